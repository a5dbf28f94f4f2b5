//! One recorded line.

use crate::output::printable;
use serde_json::Value;
use std::fmt;

/// The direction of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::demo) enum Direction {
    /// Sent to the kernel, or to a server that is called directly.
    Sent,
    /// Received from the kernel or that server.
    Received,
}

/// One line of JSON as it went over the wire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::demo) struct Line {
    pub(in crate::demo) direction: Direction,
    pub(in crate::demo) text: String,
}

impl Line {
    /// Returns the message, or `null` if the line is not JSON.
    pub(in crate::demo) fn message(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_default()
    }

    /// Returns the line as text, without the member `jsonrpc` that every line has.
    pub(in crate::demo) fn readable(&self) -> String {
        let text = self.text.replacen(r#""jsonrpc":"2.0","#, "", 1);
        format!("{} {}", self.direction, printable(&text))
    }

    /// Returns the line as text, shortened to `limit` characters: its start, and the relevant `part`.
    pub(in crate::demo) fn shortened(&self, part: &str, limit: usize) -> String {
        let text: Vec<char> = self.readable().chars().collect();
        let cut = |from: usize, count: usize| text.iter().skip(from).take(count).collect::<String>();
        let readable = cut(0, text.len());
        let before = readable.find(part).map_or(0, |at| readable[..at].chars().count());
        let end = if text.len() > limit { "…" } else { "" };
        if before + part.chars().count() <= limit {
            return format!("{}{end}", cut(0, limit));
        }
        let start = limit * 2 / 5;
        let rest = limit - start;
        let end = if before + rest < text.len() { end } else { "" };
        format!("{}…{}{end}", cut(0, start), cut(before, rest))
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sent => "→",
            Self::Received => "←",
        })
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.direction, self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_to_its_start_and_its_relevant_part() {
        let text = format!(r#"{{"jsonrpc":"2.0","id":1,"result":"{}wanted here"}}"#, "ä".repeat(100));
        let line = Line { direction: Direction::Received, text };
        assert_eq!(line.shortened(r#""id""#, 20), "← {\"id\":1,\"result\":\"…");
        assert_eq!(line.shortened("wanted", 20), "← {\"id\":…wanted here\"…");
        assert_eq!(line.shortened("wanted", 15), "← {\"id…wanted he…");
        let short = Line { direction: Direction::Sent, text: "{}".to_owned() };
        assert_eq!((short.shortened("", 20), short.to_string()), ("→ {}".to_owned(), "→ {}".to_owned()));
    }
}
