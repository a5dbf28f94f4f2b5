//! The output of commands: text for people, JSON for programs.

use super::{error::CliError, exit::Exit};
use comfy_table::{Table, TableStyle};
use serde::Serialize;
use std::{
    borrow::Cow,
    io::{self, IsTerminal, Write},
};

/// The output of a command at its end.
#[derive(Debug)]
pub(crate) struct Outcome {
    text: String,
    json: String,
    /// More for people, on stderr.
    notes: Vec<String>,
    exit: Exit,
}

impl Outcome {
    /// Creates an outcome with a text for people, and the same content as JSON for programs.
    pub(crate) fn new(text: impl Into<String>, json: &impl Serialize) -> Result<Self, CliError> {
        let json = serde_json::to_string_pretty(json).map_err(CliError::failed)?;
        Ok(Self { text: text.into(), json, notes: Vec::new(), exit: Exit::Success })
    }

    /// Creates an outcome that is JSON for people too.
    pub(crate) fn of_json(json: &impl Serialize) -> Result<Self, CliError> {
        let outcome = Self::new("", json)?;
        Ok(Self { text: outcome.json.clone(), ..outcome })
    }

    /// Creates an outcome that prints nothing, for a command that has printed its output already.
    pub(crate) const fn silent() -> Self {
        Self { text: String::new(), json: String::new(), notes: Vec::new(), exit: Exit::Success }
    }

    /// Adds notes for people, which go to stderr.
    #[must_use]
    pub(crate) fn with_notes(mut self, notes: impl IntoIterator<Item = String>) -> Self {
        self.notes.extend(notes);
        self
    }

    /// Sets another exit code.
    #[must_use]
    pub(crate) const fn with_exit(mut self, exit: Exit) -> Self {
        self.exit = exit;
        self
    }
}

/// Prints the outcome of a command, and returns its exit code.
pub(crate) fn finish(json: bool, result: &Result<Outcome, CliError>) -> Exit {
    match result {
        Ok(outcome) => {
            print(if json { &outcome.json } else { &outcome.text });
            if !json {
                for text in &outcome.notes {
                    note(text);
                }
            }
            outcome.exit
        }
        Err(error) => {
            if json {
                print(&error.to_json());
            }
            say(&error.to_text());
            error.exit
        }
    }
}

/// Prints to stdout. A reader that has gone away, such as `head`, is not an error.
pub(crate) fn print(text: &str) {
    if text.is_empty() {
        return;
    }
    let mut out = io::stdout().lock();
    let end = if text.ends_with('\n') { "" } else { "\n" };
    let _ = write!(out, "{text}{end}").and_then(|()| out.flush());
}

/// Prints a part of an answer to stdout at once, without adding a line break.
pub(crate) fn print_part(text: &str) {
    let mut out = io::stdout().lock();
    let _ = write!(out, "{text}").and_then(|()| out.flush());
}

/// Prints a line to stderr, for the person at the terminal, because stdout is for the answer.
pub(crate) fn say(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Prints a note to stderr.
pub(crate) fn note(text: &str) {
    say(&format!("note: {}", printable(text)));
}

/// Returns a table without lines, for terminals and for `awk`.
pub(crate) fn table<const N: usize>(
    header: [&str; N],
    rows: impl IntoIterator<Item = [String; N]>,
) -> String {
    let mut table = Table::new();
    table.load_style(TableStyle::new()).set_header(header.map(str::to_uppercase));
    for row in rows {
        table.add_row(row.map(|cell| printable(&cell).replace('\n', " ")));
    }
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    table.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>().join("\n")
}

/// Returns the whole text on one line, for the last cell of a row: the end of a reason often says most.
pub(crate) fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the start of a text on one line, for a cell of a table.
pub(crate) fn shortened(text: &str, limit: usize) -> String {
    let line = on_one_line(text);
    match line.char_indices().nth(limit) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}

/// Returns a text without control characters, which could control a terminal if a server wrote them.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    let steers = |c: char| c.is_control() && c != '\n' && c != '\t';
    if text.contains(steers) {
        Cow::Owned(text.chars().map(|c| if steers(c) { '\u{fffd}' } else { c }).collect())
    } else {
        Cow::Borrowed(text)
    }
}

/// Returns a text for stdout: unchanged for a file or a pipe, without control characters for a terminal.
pub(crate) fn for_stdout(text: &str) -> Cow<'_, str> {
    if io::stdout().is_terminal() { printable(text) } else { Cow::Borrowed(text) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn a_table_has_no_lines_and_no_spaces_at_the_end() {
        let rows = [["a".to_owned(), "long one".to_owned()], ["bcd".to_owned(), String::new()]];
        expect![[r"
            NAME  TEXT
            a     long one
            bcd"]]
        .assert_eq(&table(["name", "text"], rows));
    }

    #[test]
    fn what_could_steer_a_terminal_is_not_shown() {
        assert_eq!(printable("a\u{1b}[2Jb\r"), "a\u{fffd}[2Jb\u{fffd}");
        assert_eq!(printable("a\n\tb"), "a\n\tb");
        let cell = table(["x"], [["a\nb".to_owned()]]);
        assert!(cell.ends_with("a b"), "{cell}");
    }

    #[test]
    fn a_long_text_is_cut_at_a_character() {
        assert_eq!(shortened("äöü  x", 3), "äöü…");
        assert_eq!(shortened("äöü", 3), "äöü");
    }
}
