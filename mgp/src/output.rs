//! The output of commands: text for people, JSON for programs. Text from servers, hosts and files is made printable, so that a terminal
//! shows it without interpreting it.

use super::{error::CliError, exit::Exit, operator::is_elsewhere};
use mgp_types::printable::is_unseen;
use serde::Serialize;
use std::{
    borrow::Cow,
    io::{self, IsTerminal, Write},
};

pub(crate) use super::table::{cut_table, local_time, shortened, table, table_of_reasons};
pub(crate) use mgp_types::printable::{on_one_line, printable};

/// The output of a command at its end.
#[derive(Debug)]
pub(crate) struct Outcome {
    text: String,
    form: Form,
    json: String,
    /// Additional lines for people, on stderr.
    notes: Vec<String>,
    exit: Exit,
}

/// The form of an outcome's text.
#[derive(Debug, Clone, Copy)]
enum Form {
    /// Sentences and tables of the program.
    Text,
    /// Data, which is unchanged in a file or a pipe.
    Data,
    Json,
}

impl Outcome {
    /// Creates an outcome with a text for people, and the same content as JSON for programs.
    pub(crate) fn new(text: impl Into<String>, json: &impl Serialize) -> Result<Self, CliError> {
        let json = serde_json::to_string_pretty(json).map_err(CliError::failed)?;
        Ok(Self { text: text.into(), form: Form::Text, json, notes: Vec::new(), exit: Exit::Success })
    }

    /// Creates an outcome whose text is data, such as the answer of a tool: unchanged in a file or a pipe, printable at a terminal.
    pub(crate) fn of_data(text: impl Into<String>, json: &impl Serialize) -> Result<Self, CliError> {
        Ok(Self { form: Form::Data, ..Self::new(text, json)? })
    }

    /// Creates an outcome whose text is JSON, too.
    pub(crate) fn of_json(json: &impl Serialize) -> Result<Self, CliError> {
        let outcome = Self::new("", json)?;
        Ok(Self { text: outcome.json.clone(), form: Form::Json, ..outcome })
    }

    /// Creates an outcome without output, for a command that has already printed it.
    pub(crate) const fn silent() -> Self {
        Self {
            text: String::new(),
            form: Form::Text,
            json: String::new(),
            notes: Vec::new(),
            exit: Exit::Success,
        }
    }

    /// Returns the JSON for programs.
    #[cfg(feature = "console")]
    pub(crate) fn json(&self) -> String {
        self.json.clone()
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
            match outcome.form {
                _ if json => print_json(&outcome.json),
                Form::Json => print_json(&outcome.text),
                Form::Text => print(&outcome.text),
                Form::Data => print_data(&outcome.text),
            }
            if !json {
                for text in &outcome.notes {
                    note(text);
                }
            }
            outcome.exit
        }
        Err(error) => {
            if json {
                print_json(&error.to_json());
            }
            say(&error.to_text());
            error.exit
        }
    }
}

/// Prints text of the program to stdout.
pub(crate) fn print(text: &str) {
    write_lines(&shown(text, io::stdout().is_terminal()));
}

/// Prints data to stdout: unchanged to a file or a pipe, printable at a terminal.
fn print_data(text: &str) {
    write_lines(&for_stdout(text));
}

/// Prints JSON to stdout. Control characters are escaped for the terminal, which does not change the JSON's content.
pub(crate) fn print_json(json: &str) {
    write_lines(&escaped(json));
}

/// Writes to stdout and ends the last line. A closed pipe, as with `head`, is not an error.
fn write_lines(text: &str) {
    if text.is_empty() {
        return;
    }
    let mut out = io::stdout().lock();
    let end = if text.ends_with('\n') { "" } else { "\n" };
    let _ = write!(out, "{text}{end}").and_then(|()| out.flush());
}

/// Prints a part of a tool's answer to stdout at once, without adding a line break.
pub(crate) fn print_part(text: &str) {
    let mut out = io::stdout().lock();
    let _ = write!(out, "{}", for_stdout(text)).and_then(|()| out.flush());
}

/// Prints lines to stderr, because stdout is for the answer.
///
/// A command that runs for somebody elsewhere says nothing: the stderr of its process is the gateway's.
pub(crate) fn say(text: &str) {
    if is_elsewhere() {
        return;
    }
    let text = shown(text, io::stderr().is_terminal());
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Prints a note to stderr.
pub(crate) fn note(text: &str) {
    say(&format!("note: {}", continued(text)));
}

/// Returns a text with a mark before each line after the first, so that none of its lines looks like a line of the program.
pub(crate) fn continued(text: &str) -> String {
    printable(text).trim_end().replace('\n', "\n  | ")
}

/// Returns a text of the program for a stream: printable, with the program's colours at a terminal.
pub(crate) fn shown(text: &str, is_terminal: bool) -> Cow<'_, str> {
    if !is_terminal || !text.contains('\u{1b}') {
        return printable(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        shown.push_str(&printable(&rest[..at]));
        let end = at + colour(&rest[at..]).unwrap_or(0);
        shown.push_str(&rest[at..end]);
        if end == at {
            shown.push_str(&printable("\u{1b}"));
        }
        rest = &rest[end.max(at + 1)..];
    }
    shown.push_str(&printable(rest));
    Cow::Owned(shown)
}

/// Returns the length of the escape sequence at the beginning of a text if it only sets the colour, weight or slant of letters.
/// Sequences that hide letters or move the cursor are not accepted.
fn colour(text: &str) -> Option<usize> {
    let numbers = text.strip_prefix("\u{1b}[")?;
    let end = numbers.find(|c: char| !c.is_ascii_digit() && c != ';')?;
    let is_plain = |number: &str| {
        number.parse().is_ok_and(|number: u8| matches!(number, 0..=4 | 22..=24 | 31..=39 | 90..=97))
    };
    let is_harmless = numbers[..end].split(';').all(is_plain);
    (is_harmless && numbers[end..].starts_with('m')).then_some("\u{1b}[".len() + end + 1)
}

/// Returns JSON with invisible characters escaped. They can only occur in strings, where JSON allows escapes.
fn escaped(json: &str) -> Cow<'_, str> {
    let steers =
        |c: char| c >= '\u{7f}' && (c.is_control() || is_unseen(c) || matches!(c, '\u{2028}' | '\u{2029}'));
    if !json.contains(steers) {
        return Cow::Borrowed(json);
    }
    let mut escaped = String::with_capacity(json.len());
    for c in json.chars() {
        if steers(c) {
            let mut units = [0; 2];
            for unit in &*c.encode_utf16(&mut units) {
                escaped.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            escaped.push(c);
        }
    }
    Cow::Owned(escaped)
}

/// Returns data for stdout: unchanged for a file or a pipe, printable for a terminal.
fn for_stdout(text: &str) -> Cow<'_, str> {
    if io::stdout().is_terminal() { printable(text) } else { Cow::Borrowed(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_cannot_forge_a_line_of_the_program() {
        assert_eq!(continued("gone\nerror: all is well\n"), "gone\n  | error: all is well");
    }

    #[test]
    fn a_terminal_gets_colours_and_no_other_sequence() {
        let text = "\u{1b}[1mNAME\u{1b}[0m \u{1b}[31mx\u{1b}[38;2;0;0;0;8my\u{1b}[2J\u{1b}[8mhidden\u{1b}]0;t\u{7}\u{1b}[31\u{1b}";
        let coloured = "\u{1b}[1mNAME\u{1b}[0m \u{1b}[31mx\\u{1b}[38;2;0;0;0;8my\\u{1b}[2J\\u{1b}[8mhidden\\u{1b}]0;t\\u{7}\\u{1b}[31\\u{1b}";
        assert_eq!(shown(text, true), coloured);
        assert!(!shown(text, false).contains('\u{1b}'));
    }

    #[test]
    fn json_is_equivalent_with_invisible_characters_escaped() {
        let json = "{\"a\":\"\u{9b}\u{202e}\u{e0041}ü\u{2028}\"}";
        assert_eq!(escaped(json), r#"{"a":"\u009b\u202e\udb40\udc41ü\u2028"}"#);
        let read = |json: &str| serde_json::from_str::<serde_json::Value>(json).unwrap();
        assert_eq!(read(&escaped(json)), read(json));
    }
}
