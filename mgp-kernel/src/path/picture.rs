//! The picture of the pipeline in `docs/layers.md`, drawn from the comments in `pipeline.rs`.

use std::{env, fmt::Write, fs};

/// The page with the picture.
const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/layers.md");

/// The environment variable with which the test writes the picture.
const WRITE: &str = "MGP_WRITE_DOCS";

/// The width of the column with the names.
const NAME: usize = 15;

/// The width of the column with the texts.
const TEXT: usize = 38;

/// The width of everything before the line of the replies.
const BEFORE_REPLY: usize = 18 + NAME + TEXT;

/// A layer or a gate, as the comment before it describes it.
#[derive(Debug, PartialEq, Eq)]
struct Row<'a> {
    /// The type of the message, where it changes.
    message: &'a str,
    name: &'a str,
    text: &'a str,
    edge: Edge<'a>,
}

/// The place where a row meets the line of the replies.
#[derive(Debug, PartialEq, Eq)]
enum Edge<'a> {
    Plain,
    /// The row holds the reply back.
    Joined,
    /// Some messages leave the stack.
    Leaving(&'a str),
    /// A note to the right of the line.
    Note(&'a str),
}

impl<'a> Row<'a> {
    /// Parses a comment in the form `[Message] name: text | note`; `None` for any other comment.
    fn parse(comment: &'a str) -> Option<Self> {
        let (message, rest) = match comment.strip_prefix('[') {
            Some(rest) => rest.split_once("] ")?,
            None => ("", comment),
        };
        let (name, rest) = rest.split_once(':')?;
        let (text, edge) = if let Some(text) = rest.strip_suffix(" -|") {
            (text, Edge::Joined)
        } else if let Some((text, target)) = rest.split_once(" -> ") {
            (text, Edge::Leaving(target))
        } else if let Some((text, note)) = rest.split_once(" | ") {
            (text, Edge::Note(note))
        } else {
            (rest, Edge::Plain)
        };
        Some(Self { message, name, text: text.trim(), edge })
    }

    /// Draws the row, with the line of the requests as `line`.
    fn draw(&self, line: char) -> String {
        let Self { message, name, text, edge } = self;
        let rest = TEXT.saturating_sub(text.chars().count() + 1);
        let arm = format!("{text} {}", "─".repeat(rest));
        let end = match edge {
            Edge::Plain => format!("{text:<TEXT$}│"),
            Edge::Joined => format!("{arm}┤"),
            Edge::Leaving(target) => format!("{arm}┼──▶ {target}"),
            Edge::Note(note) => format!("{text:<TEXT$}│   {note}"),
        };
        format!("  {message:<13}{line}  {name:<NAME$}{end}")
    }
}

/// Returns the rows of the layers and gates in the source of the pipeline, outermost first.
fn rows(source: &str) -> Vec<Row<'_>> {
    let list = source.split_once("ServiceBuilder::new()\n").unwrap().1;
    let list = list.split_once("// The end of the picture.").unwrap().0;
    let mut comment = None;
    let mut rows = Vec::new();
    for line in list.lines().map(str::trim) {
        let begins = [".layer(", ".option_layer(", ".and(", ".service(", "GateLayer::new("];
        if line != ".layer(" && begins.iter().any(|begin| line.starts_with(begin)) {
            let row = comment.and_then(Row::parse);
            rows.push(row.unwrap_or_else(|| panic!("expected a comment `// name: text` before {line}")));
        }
        comment = line.strip_prefix("// ");
    }
    rows
}

/// Draws the rows.
fn picture(rows: &[Row<'_>]) -> String {
    let mut picture = format!("{:12}{:<width$}reply\n", "", "request", width = BEFORE_REPLY - 14);
    writeln!(picture, "{:15}│{:width$}▲", "", "", width = BEFORE_REPLY - 16).unwrap();
    for (at, row) in rows.iter().enumerate() {
        let line = if at + 1 == rows.len() { '▼' } else { '│' };
        writeln!(picture, "{}", row.draw(line)).unwrap();
    }
    picture
}

// On other platforms, the folder of the pages may be a file with the path of the folder.
#[cfg(unix)]
#[test]
fn the_picture_in_the_page_shows_the_pipeline() {
    let page = fs::read_to_string(PAGE).unwrap();
    let (before, rest) = page.split_once("```text\n").unwrap();
    let (shown, after) = rest.split_once("```\n").unwrap();
    let drawn = picture(&rows(include_str!("pipeline.rs")));
    if shown != drawn && env::var_os(WRITE).is_some() {
        fs::write(PAGE, format!("{before}```text\n{drawn}```\n{after}")).unwrap();
        return;
    }
    assert_eq!(shown, drawn, "run `{WRITE}=1 cargo test -p mgp-kernel --lib picture`");
}

#[test]
fn a_row_has_the_parts_of_its_comment() {
    let row = |message, name, text, edge| Some(Row { message, name, text, edge });
    for (comment, expected) in [
        ("[Incoming] trace: readable", row("Incoming", "trace", "readable", Edge::Plain)),
        ("audit: stores the event -|", row("", "audit", "stores the event", Edge::Joined)),
        ("resolve: which tool? -> others", row("", "resolve", "which tool?", Edge::Leaving("others"))),
        ("yours: | may wait", row("", "yours", "", Edge::Note("may wait"))),
        ("Outside the quotas.", None),
    ] {
        assert_eq!(Row::parse(comment), expected, "{comment}");
    }
}

#[test]
#[should_panic(expected = "before .layer(B)")]
fn a_layer_without_a_comment_is_not_drawn() {
    rows("ServiceBuilder::new()\n// a: text\n.layer(A)\n.layer(B)\n// The end of the picture.");
}
