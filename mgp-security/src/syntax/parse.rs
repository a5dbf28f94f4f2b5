//! A bounded parse.

use super::Grammar;
use std::{cell::RefCell, ops::ControlFlow};
use thiserror::Error;
use tree_sitter::{ParseOptions, Parser, Point, Tree};

/// The longest source that is parsed, in bytes.
const MAX_BYTES: usize = 1 << 20;

/// The greatest depth of a tree.
pub(crate) const MAX_DEPTH: usize = 1000;

/// The number of steps, of about a hundred operations each, that every parse may take, and one more for each byte of the source.
/// Broken sources make the parser look for repairs, and the search has no bound of its own.
const STEPS: usize = 10_000;

thread_local! {
    /// A parser that keeps what it has allocated for the next source.
    static PARSER: RefCell<Parser> = RefCell::new(Parser::new());
}

/// The reason why a source has no tree. Displayed, it follows the name of the source.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum ParseError {
    /// The source breaks the grammar. Line and column count from 1, the column in bytes.
    #[error("syntax error (line {line}, column {column})")]
    Syntax { line: usize, column: usize },
    /// The source is too long.
    #[error("too long to be judged: {0} bytes, expected at most {MAX_BYTES}")]
    TooLong(usize),
    /// The source is nested too deeply.
    #[error("nested too deeply to be judged: expected at most {MAX_DEPTH} levels")]
    TooDeep,
    /// The parser gave up.
    #[error("too irregular to be judged: the parser gave up")]
    TooHard,
}

/// Parses a source as a whole, within bounds of length and time. The bound of time counts steps, so that the same source always has the
/// same outcome. The depth of a tree is left to those who walk it.
///
/// # Errors
/// The first place that breaks the grammar, or the bound that the source breaks.
#[allow(dead_code, reason = "the sections that judge code are features")]
pub(crate) fn parse(grammar: Grammar, source: &str) -> Result<Tree, ParseError> {
    if source.len() > MAX_BYTES {
        return Err(ParseError::TooLong(source.len()));
    }
    let tree = PARSER.with_borrow_mut(|parser| tree(parser, grammar, source)).ok_or(ParseError::TooHard)?;
    if !tree.root_node().has_error() {
        return Ok(tree);
    }
    let Point { row, column } = first_error(&tree)?;
    Err(ParseError::Syntax { line: row + 1, column: column + 1 })
}

/// Returns the tree of a source, or `None` if the parser gave up.
fn tree(parser: &mut Parser, grammar: Grammar, source: &str) -> Option<Tree> {
    parser.set_language(&grammar.language()).ok()?;
    let mut left = STEPS + source.len();
    let mut count_down = |_: &_| match left.checked_sub(1) {
        Some(fewer) => {
            left = fewer;
            ControlFlow::Continue(())
        }
        None => ControlFlow::Break(()),
    };
    let bytes = source.as_bytes();
    let mut read = |offset: usize, _| bytes.get(offset..).unwrap_or_default();
    let options = ParseOptions::new().progress_callback(&mut count_down);
    let tree = parser.parse_with_options(&mut read, None, Some(options));
    // A parse that was given up would be resumed.
    parser.reset();
    tree
}

/// Returns the start of the first node that breaks the grammar.
///
/// # Errors
/// If the tree is too deep before that node.
fn first_error(tree: &Tree) -> Result<Point, ParseError> {
    let mut cursor = tree.walk();
    let mut depth = 0;
    loop {
        let node = cursor.node();
        if node.is_error() || node.is_missing() {
            return Ok(node.start_position());
        }
        if depth > MAX_DEPTH {
            return Err(ParseError::TooDeep);
        }
        if cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return Ok(Point::default());
            }
            depth -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_is_parsed_and_its_errors_have_a_place() {
        for (grammar, good, bad) in [
            (Grammar::Bash, "for f in *; do echo $f; done", "echo a\necho )"),
            (Grammar::JavaScript, "const a = b?.[0] ?? `${c}`", "let a = 1\nlet = = 2"),
            (Grammar::Python, "match x:\n  case [a, *_]: f(a)\n", "x = 1\ny = = 2"),
            (Grammar::TypeScript, "const a: Map<string, number> = f<T>(b!)", "let a = 1\nlet = = 2"),
            (Grammar::Tsx, "const a = <b>{c as d}</b>", "let a = 1\nlet = = 2"),
        ] {
            assert!(parse(grammar, good).is_ok(), "{grammar:?}");
            assert!(matches!(parse(grammar, bad), Err(ParseError::Syntax { line: 2, .. })), "{grammar:?}");
        }
    }

    #[test]
    fn long_sources_are_refused_and_deep_ones_do_not_exhaust_the_search_for_their_error() {
        let long = "x\n".repeat(MAX_BYTES / 2 + 1);
        assert_eq!(parse(Grammar::Python, &long).unwrap_err(), ParseError::TooLong(long.len()));
        for grammar in [Grammar::Python, Grammar::JavaScript] {
            let deep = format!("{}1{} )", "(".repeat(100_000), ")".repeat(100_000));
            assert!(parse(grammar, &deep).is_err());
        }
    }
}
