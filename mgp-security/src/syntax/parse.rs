//! A bounded parse.

use super::Grammar;
use std::ops::ControlFlow;
use thiserror::Error;
use tree_sitter::{Node, ParseOptions, Parser, Point, Tree};

/// The longest source that is parsed, in bytes.
const MAX_BYTES: usize = 1 << 20;

/// The greatest depth of a tree.
const MAX_DEPTH: u32 = 1000;

/// The number of steps, of about a hundred operations each, that every parse may take, and one more for each byte of the source.
/// Broken sources make the parser look for repairs, and the search has no bound of its own.
const STEPS: usize = 10_000;

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

/// Parses a source as a whole, within bounds of length, depth and time. The bound of time counts steps, so that the same source
/// always has the same outcome.
///
/// # Errors
/// The first place that breaks the grammar, or the bound that the source breaks.
#[allow(dead_code, reason = "the sections that judge code are features")]
pub(crate) fn parse(grammar: Grammar, source: &str) -> Result<Tree, ParseError> {
    if source.len() > MAX_BYTES {
        return Err(ParseError::TooLong(source.len()));
    }
    let mut parser = Parser::new();
    parser.set_language(&grammar.language()).map_err(|_| ParseError::TooHard)?;
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
    let tree = parser.parse_with_options(&mut read, None, Some(options)).ok_or(ParseError::TooHard)?;
    match first_error(&tree)? {
        Some(Point { row, column }) => Err(ParseError::Syntax { line: row + 1, column: column + 1 }),
        None => Ok(tree),
    }
}

/// Returns the start of the first node that breaks the grammar.
///
/// # Errors
/// If the tree is too deep.
fn first_error(tree: &Tree) -> Result<Option<Point>, ParseError> {
    let broken = tree.root_node().has_error();
    let mut cursor = tree.walk();
    loop {
        let node: Node<'_> = cursor.node();
        if node.is_error() || node.is_missing() {
            return Ok(Some(node.start_position()));
        }
        if cursor.depth() > MAX_DEPTH {
            return Err(ParseError::TooDeep);
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return Ok(broken.then(Point::default));
            }
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
    fn long_and_deep_sources_are_refused() {
        let long = "x\n".repeat(MAX_BYTES / 2 + 1);
        assert_eq!(parse(Grammar::Python, &long).unwrap_err(), ParseError::TooLong(long.len()));
        for grammar in [Grammar::Python, Grammar::JavaScript] {
            let deep = format!("{}1{}", "(".repeat(100_000), ")".repeat(100_000));
            assert_eq!(parse(grammar, &deep).unwrap_err(), ParseError::TooDeep);
        }
    }
}
