//! A line whose long strings go to a store while it is read.

use super::{LongTextStore, LongTextWriter, PIECE, PlacedText, unescape::RawCharacters};
use std::{fmt::Write as _, io, mem, sync::Arc};

/// The most long strings that are taken out of a line. Each may be an open file; those after them stay in the line.
const MAX_TEXTS: usize = 16;

/// A line that is being read: what is left of it without its long strings.
pub(crate) struct Outline {
    store: Arc<dyn LongTextStore>,
    /// The line so far, with a placeholder for each long string.
    line: Vec<u8>,
    texts: Vec<PlacedText>,
    state: State,
    /// The number of bytes that are missing to the end of an escape.
    escape: Escape,
    /// True directly after a long string. One before a colon is a name, which must not be replaced.
    is_after_text: bool,
    length: usize,
    max: usize,
}

enum State {
    /// Between strings.
    Outside,
    /// In a string that begins here in the line.
    Short { start: usize },
    /// In a long string.
    Long { writer: Box<dyn LongTextWriter>, raw: RawCharacters },
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Escape {
    None,
    /// After a backslash.
    Begun,
    /// Before this number of hexadecimal digits.
    Digits(u8),
}

/// A line without its long strings.
#[derive(Debug)]
pub(crate) struct OutlinedLine {
    pub(crate) line: Vec<u8>,
    pub(crate) texts: Vec<PlacedText>,
    /// The length of the line with its strings, in bytes.
    pub(crate) length: usize,
}

impl Outline {
    /// Begins a line. Without its long strings, it may have `max` bytes.
    pub(crate) fn new(store: Arc<dyn LongTextStore>, max: usize) -> Self {
        let (line, texts) = (Vec::new(), Vec::new());
        let (state, escape) = (State::Outside, Escape::None);
        Self { store, line, texts, state, escape, is_after_text: false, length: 0, max }
    }

    /// Reads the next part of the line.
    ///
    /// # Errors
    /// Those of the store, and [`io::ErrorKind::InvalidData`] for a line that is too long, or is no JSON.
    pub(crate) fn read(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        self.length += bytes.len();
        while !bytes.is_empty() {
            bytes = match self.state {
                State::Outside => self.outside(bytes)?,
                State::Short { .. } | State::Long { .. } => self.inside(bytes)?,
            };
            if self.line.len() > self.max {
                return Err(invalid("longer than its limit without its long strings"));
            }
        }
        Ok(())
    }

    /// Ends the line.
    pub(crate) fn finish(self) -> OutlinedLine {
        OutlinedLine { line: self.line, texts: self.texts, length: self.length }
    }

    /// Reads up to a string, and returns what follows.
    fn outside<'a>(&mut self, bytes: &'a [u8]) -> io::Result<&'a [u8]> {
        let quote = memchr::memchr(b'"', bytes);
        let (between, rest) = bytes.split_at(quote.unwrap_or(bytes.len()));
        if self.is_after_text
            && let Some(first) = between.trim_ascii_start().first()
        {
            if *first == b':' {
                return Err(invalid("a member's name is too long"));
            }
            self.is_after_text = false;
        }
        self.line.extend_from_slice(between);
        let Some(rest) = rest.strip_prefix(b"\"") else { return Ok(rest) };
        self.line.push(b'"');
        self.state = State::Short { start: self.line.len() };
        Ok(rest)
    }

    /// Reads up to the next escape in a string, a part of the escape, or the string's end, and returns what follows.
    fn inside<'a>(&mut self, bytes: &'a [u8]) -> io::Result<&'a [u8]> {
        let (now, rest) = match (self.escape, bytes) {
            (Escape::Begun, [kind, rest @ ..]) => {
                self.escape = if *kind == b'u' { Escape::Digits(4) } else { Escape::None };
                (&bytes[..1], rest)
            }
            (Escape::Digits(left), [_, rest @ ..]) => {
                self.escape = if left > 1 { Escape::Digits(left - 1) } else { Escape::None };
                (&bytes[..1], rest)
            }
            _ => match memchr::memchr2(b'"', b'\\', bytes) {
                Some(0) if bytes[0] == b'"' => {
                    self.end_string()?;
                    return Ok(&bytes[1..]);
                }
                Some(0) => {
                    self.escape = Escape::Begun;
                    bytes.split_at(1)
                }
                at => bytes.split_at(at.unwrap_or(bytes.len())),
            },
        };
        self.push(now)?;
        Ok(rest)
    }

    /// Takes raw characters of a string.
    fn push(&mut self, now: &[u8]) -> io::Result<()> {
        match &mut self.state {
            State::Long { writer, raw } => {
                raw.push(now);
                if self.escape == Escape::None && raw.is_full() {
                    writer.write(raw.decode(false)?.as_bytes())?;
                }
            }
            State::Short { start } => {
                self.line.extend_from_slice(now);
                if self.line.len() - *start > PIECE && self.texts.len() < MAX_TEXTS {
                    let raw = RawCharacters::new(self.line.split_off(*start));
                    self.state = State::Long { writer: self.store.begin()?, raw };
                }
            }
            State::Outside => {}
        }
        Ok(())
    }

    fn end_string(&mut self) -> io::Result<()> {
        if let State::Long { mut writer, mut raw } = mem::replace(&mut self.state, State::Outside) {
            writer.write(raw.decode(true)?.as_bytes())?;
            let text = writer.finish()?;
            let placeholder = placeholder(text.sha256(), self.texts.len());
            self.line.extend_from_slice(placeholder.as_bytes());
            self.texts.push(PlacedText { placeholder: placeholder.into(), text });
            self.is_after_text = true;
        }
        self.line.push(b'"');
        Ok(())
    }
}

/// Returns the placeholder of a text in a line. A server that writes it itself gets what it wrote, twice.
fn placeholder(sha256: &[u8; 32], index: usize) -> String {
    let mut placeholder = String::from("mgp-long-text-");
    for byte in sha256 {
        // Writing into a string cannot fail.
        let _ = write!(placeholder, "{byte:02x}");
    }
    let _ = write!(placeholder, "-{index}");
    placeholder
}

fn invalid(problem: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, problem)
}
