//! The messages between two programs, line by line.

use crate::json::Normal;
use parking_lot::Mutex;
use std::{
    fs::{File, OpenOptions},
    io::Write,
    path::Path,
};

/// The direction of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Direction {
    ToServer,
    ToClient,
}

impl Direction {
    const fn sign(self) -> char {
        match self {
            Self::ToServer => '>',
            Self::ToClient => '<',
        }
    }

    const fn of(sign: char) -> Option<Self> {
        match sign {
            '>' => Some(Self::ToServer),
            '<' => Some(Self::ToClient),
            _ => None,
        }
    }
}

/// A record that is being written.
#[derive(Debug)]
pub(super) struct Writer(Mutex<File>);

impl Writer {
    /// Appends to the record of an earlier tap, if there is one.
    pub(super) fn open(path: &Path) -> Result<Self, String> {
        let file = OpenOptions::new().create(true).append(true).open(path);
        file.map(Mutex::new).map(Self).map_err(|error| format!("failed to open {}: {error}", path.display()))
    }

    pub(super) fn write(&self, direction: Direction, line: &[u8]) {
        let mut text = vec![direction.sign() as u8, b' '];
        text.extend_from_slice(line);
        if !line.ends_with(b"\n") {
            text.push(b'\n');
        }
        // A record that cannot be written makes the row that reads it fail.
        let _ = self.0.lock().write_all(&text);
    }
}

/// A line of a record.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    pub(crate) direction: Direction,
    pub(crate) message: Normal,
    pub(crate) text: String,
}

/// The whole record.
#[derive(Debug, Clone)]
pub(crate) struct Record(pub(crate) Vec<Line>);

impl Record {
    pub(crate) fn read(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| format!("failed to read {}: {error}", path.display()))?;
        Self::parse(&text)
    }

    fn parse(text: &str) -> Result<Self, String> {
        let mut lines = Vec::new();
        for line in text.lines() {
            let direction = line.chars().next().and_then(Direction::of);
            let (Some(direction), Some(text)) = (direction, line.get(2..)) else {
                return Err(format!("a line of a record does not start with > or <: {line:?}"));
            };
            lines.push(Line { direction, message: Normal::parse(text)?, text: text.to_owned() });
        }
        Ok(Self(lines))
    }

    /// Returns the lines of one direction after the handshake: after the answer to `initialize`, and without
    /// `notifications/initialized`.
    pub(crate) fn after_handshake(&self, direction: Direction) -> Result<Vec<&Line>, String> {
        let answered = |line: &Line| line.direction == Direction::ToClient && is_answer(&line.message);
        let start = self.0.iter().position(answered).ok_or("the record has no answer to initialize")?;
        let rest = self.0.iter().skip(start + 1).filter(|line| line.direction == direction);
        Ok(rest.filter(|line| method(&line.message) != Some("notifications/initialized")).collect())
    }

    /// Returns the lines of one direction.
    pub(crate) fn all(&self, direction: Direction) -> Vec<&Line> {
        self.0.iter().filter(|line| line.direction == direction).collect()
    }

    /// Returns `true` if a connection was made with `initialize`. A client that only tries this, because its probe was not answered soon,
    /// does not complete the handshake.
    pub(crate) fn is_initialized(&self) -> bool {
        self.count("notifications/initialized") > 0
    }

    /// Returns the number of messages of a method that were sent to the server.
    pub(crate) fn count(&self, wanted: &str) -> usize {
        let asked =
            |line: &&Line| line.direction == Direction::ToServer && method(&line.message) == Some(wanted);
        self.0.iter().filter(asked).count()
    }
}

fn is_answer(message: &Normal) -> bool {
    matches!(message, Normal::Object(members) if members.contains_key("result"))
}

fn method(message: &Normal) -> Option<&str> {
    match message {
        Normal::Object(members) => match members.get("method") {
            Some(Normal::Text(method)) => Some(method),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORD: &str = "\
> {\"id\":1,\"method\":\"initialize\"}
< {\"id\":1,\"result\":{\"capabilities\":{}}}
> {\"method\":\"notifications/initialized\"}
> {\"id\":2,\"method\":\"tools/list\"}
< {\"id\":2,\"result\":{}}
";

    #[test]
    fn the_handshake_is_separated_from_the_rest() {
        let record = Record::parse(RECORD).unwrap();
        let texts = |direction| {
            let lines = record.after_handshake(direction).unwrap();
            lines.iter().map(|line| line.text.clone()).collect::<Vec<_>>()
        };
        assert_eq!(texts(Direction::ToServer), [r#"{"id":2,"method":"tools/list"}"#]);
        assert_eq!(texts(Direction::ToClient), [r#"{"id":2,"result":{}}"#]);
        assert_eq!((record.count("tools/list"), record.count("tools/call")), (1, 0));
        assert_eq!(record.all(Direction::ToClient).len(), 2);
        assert!(record.is_initialized());
        assert!(!Record::parse("> {\"id\":1,\"method\":\"initialize\"}\n").unwrap().is_initialized());
        assert!(Record::parse("> {}\n").unwrap().after_handshake(Direction::ToServer).is_err());
    }

    #[test]
    fn a_record_reads_back_and_a_second_tap_continues_it() {
        let path = std::env::temp_dir().join(format!("mgp-record-{}", std::process::id()));
        for line in [&b"{\"a\":1}\n"[..], b"{\"b\":2}"] {
            Writer::open(&path).unwrap().write(Direction::ToServer, line);
        }
        let record = Record::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let texts: Vec<_> = record.0.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(texts, [r#"{"a":1}"#, r#"{"b":2}"#]);
    }

    #[test]
    fn a_line_that_is_not_a_message_is_shown() {
        assert!(Record::parse("hello\n").unwrap_err().contains("hello"));
        assert!(Record::parse("< hello\n").is_err());
    }
}
