//! A line whose long strings go to a store while it is read.

use super::{
    LongText, LongTextStore, LongTextWriter, PIECE, PlacedText, read_part, unescape::RawCharacters,
    whole_line,
};
use mgp_types::json::RawJson;
use std::{io, mem, sync::Arc};

/// The most long strings that are taken out of a line. Each may be an open file; further strings stay in the line.
const MAX_TEXTS: usize = 16;

/// A line that is being read, without its long strings.
pub(crate) struct Outline {
    store: Arc<dyn LongTextStore>,
    /// The line so far, with a placeholder for each long string.
    line: Vec<u8>,
    texts: Vec<PlacedText>,
    state: State,
    /// The number of bytes that are missing until the end of an escape.
    escape: Escape,
    /// True directly after a long string. A string before a colon is a name, which must not be replaced.
    is_after_text: bool,
    length: usize,
    max: usize,
    /// The error of the store after which the line keeps all its long strings.
    refused: Option<io::Error>,
}

enum State {
    /// Between strings.
    Outside,
    /// In a string that begins here in the line.
    Short { start: usize },
    /// In a long string.
    Long(OpenText),
}

/// A long string that is being read.
struct OpenText {
    writer: Box<dyn LongTextWriter>,
    raw: RawCharacters,
    /// The number of bytes that the store took.
    written: u64,
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
}

impl Outline {
    /// Begins a line. It may have `max` bytes, not counting its long strings.
    pub(crate) fn new(store: Arc<dyn LongTextStore>, max: usize) -> Self {
        let (line, texts) = (Vec::new(), Vec::new());
        let (state, escape) = (State::Outside, Escape::None);
        Self { store, line, texts, state, escape, is_after_text: false, length: 0, max, refused: None }
    }

    /// Reads the next part of the line. If the store refuses more bytes, the strings are put back into the line, unless it is
    /// then too long.
    ///
    /// # Errors
    /// Returns the error of the store, [`io::ErrorKind::FileTooLarge`] for a line that is too long, or
    /// [`io::ErrorKind::InvalidData`] for a line that is not JSON.
    pub(crate) fn read(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        self.length += bytes.len();
        while !bytes.is_empty() {
            bytes = match self.state {
                State::Outside => self.outside(bytes)?,
                State::Short { .. } | State::Long(_) => self.inside(bytes)?,
            };
            if self.line.len() > self.max {
                let too_long = "longer than its limit without its long strings";
                let too_long = || io::Error::new(io::ErrorKind::FileTooLarge, too_long);
                return Err(self.refused.take().unwrap_or_else(too_long));
            }
        }
        Ok(())
    }

    /// Ends the line.
    pub(crate) fn finish(self) -> OutlinedLine {
        OutlinedLine { line: self.line, texts: self.texts }
    }

    /// Reads up to a string. Returns the rest.
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

    /// Reads up to the next escape in a string, a part of the escape, or the string's end. Returns the rest.
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

    /// Adds raw characters of a string.
    fn push(&mut self, now: &[u8]) -> io::Result<()> {
        match &mut self.state {
            State::Long(open) => {
                open.raw.push(now);
                if self.escape == Escape::None && open.raw.is_full() {
                    let part = open.raw.decode(false)?;
                    if let Err(error) = open.write(&part) {
                        return self.put_back(&part, error);
                    }
                }
            }
            State::Short { start } => {
                self.line.extend_from_slice(now);
                let is_long = self.line.len() - *start > PIECE && self.texts.len() < MAX_TEXTS;
                if is_long && self.refused.is_none() {
                    match self.store.begin(&self.texts) {
                        Ok(writer) => {
                            let raw = RawCharacters::new(self.line.split_off(*start));
                            self.state = State::Long(OpenText { writer, raw, written: 0 });
                        }
                        Err(error) => return self.put_back("", error),
                    }
                }
            }
            State::Outside => {}
        }
        Ok(())
    }

    fn end_string(&mut self) -> io::Result<()> {
        if let State::Long(open) = &mut self.state {
            let part = open.raw.decode(true)?;
            if let Err(error) = open.write(&part) {
                self.put_back(&part, error)?;
            }
        }
        if let State::Long(open) = mem::replace(&mut self.state, State::Outside) {
            let text = open.writer.finish().map_err(lost)?;
            let placeholder = placeholder(text.sha256(), self.texts.len());
            self.line.extend_from_slice(placeholder.as_bytes());
            self.texts.push(PlacedText { placeholder: placeholder.into(), text });
            self.is_after_text = true;
        }
        self.line.push(b'"');
        Ok(())
    }

    /// Puts the long strings back into the line, because the store refuses more bytes: `part` is the decoded part that it did not
    /// accept. From here on, the line keeps its strings.
    ///
    /// # Errors
    /// Returns the error of the store, if the line is already too long or the store cannot read back its content.
    fn put_back(&mut self, part: &str, error: io::Error) -> io::Result<()> {
        let error = lost(error);
        if self.length > self.max {
            return Err(error);
        }
        if let State::Long(open) = mem::replace(&mut self.state, State::Outside) {
            let OpenText { writer, raw, written } = open;
            if written > 0 {
                escape_start(&*writer.finish().map_err(lost)?, written, &mut self.line).map_err(lost)?;
            }
            escape(part, &mut self.line);
            self.line.extend_from_slice(raw.as_bytes());
        }
        let texts = mem::take(&mut self.texts);
        if !texts.is_empty() {
            self.line = whole_line(&self.line, &texts, self.length).map_err(lost)?;
        }
        self.state = State::Short { start: 0 };
        self.refused = Some(error);
        Ok(())
    }
}

impl OpenText {
    fn write(&mut self, part: &str) -> io::Result<()> {
        self.writer.write(part.as_bytes())?;
        self.written += part.len() as u64;
        Ok(())
    }
}

/// Appends the first bytes of a text, escaped for a JSON string.
fn escape_start(text: &dyn LongText, bytes: u64, out: &mut Vec<u8>) -> io::Result<()> {
    let mut offset = 0;
    while offset < bytes {
        let part = read_part(text, offset)?;
        // The store may hold part of a write that it refused.
        let left = usize::try_from(bytes - offset).unwrap_or(usize::MAX);
        let part = &part[..part.floor_char_boundary(left)];
        if part.is_empty() {
            return Err(io::Error::other("a text ends too early"));
        }
        escape(part, out);
        offset += part.len() as u64;
    }
    Ok(())
}

/// Appends a text, escaped for a JSON string.
fn escape(text: &str, out: &mut Vec<u8>) {
    let quoted = RawJson::string(text);
    out.extend_from_slice(&quoted.as_bytes()[1..quoted.as_bytes().len() - 1]);
}

/// Wraps a store's error, to distinguish it from a fault in the line.
fn lost(error: io::Error) -> io::Error {
    if error.kind() == io::ErrorKind::InvalidData { io::Error::other(error) } else { error }
}

/// Returns the placeholder of a text in a line. If a server itself sends a placeholder, its occurrences are replaced by the same
/// text.
fn placeholder(sha256: &[u8; 32], index: usize) -> String {
    format!("mgp-long-text-{}-{index}", mgp_types::hex::encode(sha256))
}

fn invalid(problem: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, problem)
}
