//! A bounded parse.

use super::{Grammar, Interrupt};
use crate::meter;
use std::{
    cell::{Cell, RefCell},
    ops::ControlFlow,
};
use thiserror::Error;
use tree_sitter::{ParseOptions, Parser, Point, Tree};

/// The longest source that is parsed, in bytes.
const MAX_BYTES: usize = 1 << 20;

/// The greatest depth of a tree.
pub(crate) const MAX_DEPTH: usize = 1000;

/// The steps that every parse may take. A step is about a hundred operations of the parser, and a source that the grammar accepts
/// takes at most one for each twenty bytes.
const STEPS: usize = 500;

/// The bytes of a source that allow a parse one more step.
const BYTES_PER_STEP: usize = 10;

/// The steps that a parse may take once the source is known to be broken, so that the position of the error can be found.
/// The parser then searches for repairs, and each of these steps may cost as much as the source is long.
const STEPS_AFTER_ERROR: usize = 8;

/// The length of the pieces in which the parser reads a source, in bytes.
const PIECE: usize = 256;

/// The number of times that a parse may read each piece. The parser reads on to the end of an unclosed comment or string from each
/// position where one could begin.
const READS: usize = 4;

/// The number of pieces that every parse may read.
const FEW_PIECES: usize = 1_024;

thread_local! {
    /// A parser that reuses its allocations for the next source.
    static PARSER: RefCell<Parser> = RefCell::new(Parser::new());
}

/// The reason why a source has no tree. Displayed, it follows the name of the source.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum ParseError {
    /// The source breaks the grammar. Lines and columns count from 1, columns in bytes. In a long source, they are the position at which
    /// the parser noticed.
    #[error("syntax error (line {line}, column {column})")]
    Syntax { line: usize, column: usize },
    /// The source is too long.
    #[error("too long to be judged: {0} bytes, expected at most {MAX_BYTES}")]
    TooLong(usize),
    /// The source is nested too deeply.
    #[error("nested too deeply to be judged: expected at most {MAX_DEPTH} levels")]
    TooDeep,
    /// The source takes too many steps, or its judgement is no longer awaited.
    #[error("too irregular to be judged: the parser gave up")]
    TooHard,
}

/// Parses a source as a whole, within bounds of length and work. The bounds count steps, so that the same source always has the same
/// outcome unless the parse is interrupted. The caller bounds the depth of the tree.
///
/// # Errors
/// The position of the first syntax error, or the exceeded bound.
#[allow(dead_code, reason = "the sections that judge code are features")]
pub(crate) fn parse(grammar: Grammar, source: &str, interrupt: Interrupt<'_>) -> Result<Tree, ParseError> {
    if source.len() > MAX_BYTES {
        return Err(ParseError::TooLong(source.len()));
    }
    let work = Work::of(source);
    let tree = PARSER.with_borrow_mut(|parser| work.parse(parser, grammar, source, interrupt));
    match tree {
        Some(tree) if !tree.root_node().has_error() => Ok(tree),
        Some(tree) => {
            let Point { row, column } = first_error(&tree)?;
            Err(ParseError::Syntax { line: row + 1, column: column + 1 })
        }
        None => Err(work.broken_at.get().map_or(ParseError::TooHard, |at| syntax_error(source, at))),
    }
}

/// The remaining work of a parse.
#[derive(Debug)]
struct Work {
    /// The remaining steps.
    steps: Cell<usize>,
    /// The remaining pieces.
    pieces: Cell<usize>,
    /// The byte at which the parser noticed that the source breaks the grammar.
    broken_at: Cell<Option<usize>>,
}

impl Work {
    fn of(source: &str) -> Self {
        Self {
            steps: Cell::new(STEPS + source.len() / BYTES_PER_STEP),
            pieces: Cell::new(FEW_PIECES + source.len().div_ceil(PIECE) * READS),
            broken_at: Cell::new(None),
        }
    }

    /// Returns the tree of a source, or `None` if the parser gave up.
    fn parse(
        &self,
        parser: &mut Parser,
        grammar: Grammar,
        source: &str,
        interrupt: Interrupt<'_>,
    ) -> Option<Tree> {
        parser.set_language(&grammar.language()).ok()?;
        let bytes = source.as_bytes();
        // A lexer that gets an end of input stops at once. So the parse goes on to its next step, where it is given up.
        let mut read = |offset: usize, _| match self.pieces.get().checked_sub(1) {
            Some(fewer) => {
                self.pieces.set(fewer);
                meter::count(PIECE);
                let rest = bytes.get(offset..).unwrap_or_default();
                &rest[..rest.len().min(PIECE)]
            }
            None => &[],
        };
        let mut step = |state: &tree_sitter::ParseState| {
            // A source that was not read to its end may be broken only there.
            if state.has_error() && self.pieces.get() > 0 && self.broken_at.get().is_none() {
                // Every reading of the source has an error by now, and no repair removes it.
                self.broken_at.set(Some(state.current_byte_offset()));
                self.steps.set(self.steps.get().min(STEPS_AFTER_ERROR));
            }
            match self.steps.get().checked_sub(1) {
                Some(fewer) if self.pieces.get() > 0 && !interrupt.is_set() => {
                    self.steps.set(fewer);
                    ControlFlow::Continue(())
                }
                _ => ControlFlow::Break(()),
            }
        };
        let options = ParseOptions::new().progress_callback(&mut step);
        let tree = parser.parse_with_options(&mut read, None, Some(options));
        // Otherwise the next parse would resume the one that was given up.
        parser.reset();
        // Without its last pieces, the source is another one.
        tree.filter(|_| self.pieces.get() > 0)
    }
}

/// Returns the error of a source that breaks the grammar at a byte.
fn syntax_error(source: &str, at: usize) -> ParseError {
    let before = source.as_bytes().get(..at).unwrap_or(source.as_bytes());
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    let column = before.iter().rev().take_while(|byte| **byte != b'\n').count() + 1;
    ParseError::Syntax { line, column }
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
    use crate::meter::garbage;

    #[test]
    fn every_language_is_parsed_and_its_errors_have_a_position() {
        for (grammar, good, bad) in [
            (Grammar::Bash, "for f in *; do echo $f; done", "echo a\necho )"),
            (Grammar::JavaScript, "const a = b?.[0] ?? `${c}`", "let a = 1\nlet = = 2"),
            (Grammar::Python, "match x:\n  case [a, *_]: f(a)\n", "x = 1\ny = = 2"),
            (Grammar::TypeScript, "const a: Map<string, number> = f<T>(b!)", "let a = 1\nlet = = 2"),
            (Grammar::Tsx, "const a = <b>{c as d}</b>", "let a = 1\nlet = = 2"),
        ] {
            assert!(parse(grammar, good, Interrupt::NEVER).is_ok(), "{grammar:?}");
            assert!(
                matches!(parse(grammar, bad, Interrupt::NEVER), Err(ParseError::Syntax { line: 2, .. })),
                "{grammar:?}"
            );
        }
    }

    #[test]
    fn long_sources_are_refused_and_deep_ones_stay_within_bounds() {
        let long = "x\n".repeat(MAX_BYTES / 2 + 1);
        assert_eq!(
            parse(Grammar::Python, &long, Interrupt::NEVER).unwrap_err(),
            ParseError::TooLong(long.len())
        );
        for grammar in [Grammar::Python, Grammar::JavaScript] {
            let deep = format!("{}1{} )", "(".repeat(100_000), ")".repeat(100_000));
            assert!(parse(grammar, &deep, Interrupt::NEVER).is_err());
        }
    }

    /// The most steps after the parser noticed an error: each may cost as much as the source is long.
    const MOST_AFTER_ERROR: usize = 10;

    /// Parses a source, and returns the outcome with the steps and the pieces that it took. Asserts that few steps follow an error.
    fn work(grammar: Grammar, source: &str) -> (Option<Tree>, usize, usize) {
        let (work, steps, after_error) = (Work::of(source), Cell::new(0), Cell::new(0));
        let pieces = work.pieces.get();
        let count = || {
            steps.set(steps.get() + 1);
            after_error.set(after_error.get() + usize::from(work.broken_at.get().is_some()));
            false
        };
        let tree =
            PARSER.with_borrow_mut(|parser| work.parse(parser, grammar, source, Interrupt::new(&count)));
        let after_error = after_error.get();
        assert!(after_error <= MOST_AFTER_ERROR, "{grammar:?}: {after_error} steps after an error");
        (tree, steps.get(), pieces - work.pieces.get())
    }

    /// The grammars, and the tokens that open something in their languages, or close it.
    const HOSTILE: [(Grammar, &[&str]); 5] = [
        (
            Grammar::Bash,
            &[
                "(",
                "{",
                "$(",
                "${",
                "`",
                "\"",
                "'",
                "<<E\n",
                "[[",
                "((",
                "if ",
                "case x in ",
                "#",
                "|",
                ";",
                "\n",
                "a",
            ],
        ),
        (
            Grammar::JavaScript,
            &["(", "{", "[", "`", "${", "/*", "/", "\"", "'", "<a", "=>", "class ", "=", ";", "\n", "a"],
        ),
        (
            Grammar::Python,
            &[
                "(", "{", "[", "\"\"\"", "'", "f\"", "f'{", ":", "\n  ", "\n", "lambda ", "def a", "@", "=",
                "\\\n", "a",
            ],
        ),
        (
            Grammar::TypeScript,
            &["(", "{", "[", "`", "${", "/*", "/", "<", ">", ":", "?", "=>", "class ", "=", "\n", "a"],
        ),
        (
            Grammar::Tsx,
            &["(", "{", "<", "<a>", "</a>", "`", "${", "/*", "/", "\"", ":", "=>", "&", "=", "\n", "a"],
        ),
    ];

    #[test]
    fn the_work_on_garbage_is_linear_in_its_length() {
        for (grammar, tokens) in HOSTILE {
            for number in 0..20 {
                let [short, long] =
                    [4 * 1024, 16 * 1024].map(|length| garbage::repeated(tokens, number, length));
                let ((_, steps, pieces), (_, more_steps, more_pieces)) =
                    (work(grammar, &short), work(grammar, &long));
                let few = STEPS + FEW_PIECES;
                let (work, more_work) = (steps + pieces, more_steps + more_pieces);
                assert!(more_work <= 4 * work + few, "{grammar:?} {number}: {work} and {more_work}");
            }
        }
        let openers = "({[`/*".repeat(40 * 1024);
        assert!(work(Grammar::JavaScript, &openers).0.is_none());
    }

    #[test]
    fn long_valid_sources_use_part_of_the_steps_and_pieces() {
        let many = |unit: &str| unit.repeat(128 * 1024 / unit.len());
        for (grammar, source) in [
            (Grammar::Bash, many("for f in *.txt; do echo \"$f\" | grep -c x && x=$((1 + 2)); done\n")),
            (Grammar::Bash, format!("cat <<E\n{}\nE\n", many("some text $HOME\n"))),
            (Grammar::Bash, format!("echo '{}'", many("x "))),
            (Grammar::JavaScript, many("const a = b?.[0] ?? `${c}`; // why\n")),
            (Grammar::JavaScript, format!("a\n/*{}*/\nb", many("why "))),
            (Grammar::JavaScript, format!("[{}1]", many("1,"))),
            (Grammar::JavaScript, many("if(a){b()}else{c(function(){return/x/.test(d)})}")),
            (Grammar::JavaScript, format!("`{}`", many("x${a}"))),
            (Grammar::Python, many("def f(a, *b, c=1):\n    return [x for x in a if x not in b] # why\n")),
            (Grammar::Python, format!("x = \"\"\"{}\"\"\"", many("text\n"))),
            (Grammar::Python, format!("x = {{{}}}", many("'a': [1, 2.5e3], "))),
            (Grammar::Python, many("x = f'{a!r:>{b}} text'\n")),
            (
                Grammar::TypeScript,
                many("export const f = <T extends A>(a: Map<string, T>): T | undefined => a.get('x')!\n"),
            ),
            (
                Grammar::TypeScript,
                many("interface A<B> extends C { readonly d?: Array<B>; (e: number): string }\n"),
            ),
            (Grammar::Tsx, many("const a = <b c={d => e}>text {f as g} <h /></b>;\n")),
        ] {
            let (tree, steps, pieces) = work(grammar, &source);
            let beginning = &source[..40];
            assert!(tree.is_some_and(|tree| !tree.root_node().has_error()), "{grammar:?} {beginning:?}");
            let allowed = Work::of(&source);
            let is_less = steps * 2 < allowed.steps.get() && pieces * 2 < allowed.pieces.get();
            assert!(is_less, "{grammar:?}: {steps} {pieces} {beginning:?}");
        }
    }

    #[test]
    fn a_partly_read_source_is_not_reported_as_broken() {
        for grammar in [Grammar::Python, Grammar::JavaScript, Grammar::Bash] {
            // The lines move the end to each operation between two steps.
            for lines in 0..100 {
                let source = format!("{}('{}')", "a\n".repeat(lines), "x".repeat(4 * PIECE));
                let work = Work { pieces: Cell::new(2), ..Work::of(&source) };
                let tree =
                    PARSER.with_borrow_mut(|parser| work.parse(parser, grammar, &source, Interrupt::NEVER));
                assert!(tree.is_none() && work.broken_at.get().is_none(), "{grammar:?} {lines}");
            }
        }
    }

    #[test]
    fn a_parse_ends_when_it_is_interrupted() {
        let source = "x = 1\n".repeat(10_000);
        assert_eq!(
            parse(Grammar::Python, &source, Interrupt::new(&|| true)).unwrap_err(),
            ParseError::TooHard
        );
        assert!(parse(Grammar::Python, &source, Interrupt::NEVER).is_ok());
    }
}
