//! One line of a log.

use mgp_types::printable::on_one_line;
use serde::Serialize;
use std::fmt;

/// The longest text of a line, in characters.
const MAX_TEXT: usize = 4096;

/// A line of a log, in a file: `TIME LEVEL PID TEXT`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct LogLine {
    /// The time in UTC (RFC 3339).
    pub(crate) time: String,
    /// The level of a gateway's event, such as `WARN`, or `STDERR` for a line of a server's stderr.
    pub(crate) level: String,
    /// The process id of the gateway.
    pub(crate) pid: u32,
    pub(crate) text: String,
}

/// The level of a line of a server's stderr.
pub(super) const STDERR: &str = "STDERR";

impl LogLine {
    /// Creates a line of this process with the current time. The text is made printable, and truncated if it is too
    /// long.
    pub(super) fn now(level: &str, text: &str) -> Self {
        let time = format!("{:.3}", jiff::Timestamp::now());
        let text: String = on_one_line(text).chars().take(MAX_TEXT).collect();
        Self { time, level: level.to_owned(), pid: std::process::id(), text }
    }

    /// Parses a line of a file; `None` for a truncated line, as after a full disk.
    pub(super) fn read(line: &str) -> Option<Self> {
        let mut parts = line.splitn(4, ' ');
        let (time, level, pid) =
            (parts.next()?.to_owned(), parts.next()?.to_owned(), parts.next()?.parse().ok()?);
        Some(Self { time, level, pid, text: parts.next().unwrap_or_default().to_owned() })
    }
}

impl fmt::Display for LogLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { time, level, pid, text } = self;
        write!(f, "{time} {level} {pid} {text}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_one_line_and_reads_back_whatever_it_contains() {
        let line = LogLine::now(STDERR, "gone\n2026-11-27T00:00:00.000Z ERROR 1 forged\u{1b}[2J\u{202e}");
        let written = line.to_string();
        assert_eq!(written.lines().count(), 1, "{written}");
        assert!(
            written.ends_with(r"gone 2026-11-27T00:00:00.000Z ERROR 1 forged\u{1b}[2J\u{202e}"),
            "{written}"
        );
        assert_eq!(LogLine::read(&written), Some(line));
        assert_eq!(LogLine::now("WARN", &"x".repeat(10_000)).text.len(), MAX_TEXT);
        for cut in ["", "2026-11-27T00:00:00.000Z WARN", "2026-11-27T00:00:00.000Z WARN x y"] {
            assert_eq!(LogLine::read(cut), None, "{cut}");
        }
    }
}
