//! Texts that are too long for memory, and the stores that hold them.

use super::{PIECE, unescape::whole_characters};
use mgp_types::json::RawJson;
use std::{fmt::Debug, io, sync::Arc};

/// A text that is too long for memory.
pub trait LongText: Debug + Send + Sync {
    /// Returns the length in bytes of UTF-8.
    fn length(&self) -> u64;

    /// Returns the SHA-256.
    fn sha256(&self) -> &[u8; 32];

    /// Returns up to `length` bytes from `offset` on; fewer at the end.
    ///
    /// # Errors
    /// Returns the error of the store.
    fn read(&self, offset: u64, length: usize) -> io::Result<Vec<u8>>;
}

/// A text that is being written.
pub trait LongTextWriter: Send {
    /// Appends a part of the text.
    ///
    /// # Errors
    /// Returns the error of the store, for example if it is full.
    fn write(&mut self, part: &[u8]) -> io::Result<()>;

    /// Ends the text.
    ///
    /// # Errors
    /// Returns the error of the store.
    fn finish(self: Box<Self>) -> io::Result<Arc<dyn LongText>>;
}

/// A store of texts that are too long for memory.
pub trait LongTextStore: Debug + Send + Sync {
    /// Begins a text of a line that already has the texts `before`.
    ///
    /// # Errors
    /// Returns the error of the store.
    fn begin(&self, before: &[PlacedText]) -> io::Result<Box<dyn LongTextWriter>>;
}

/// A text, and the placeholder that stands for it.
#[derive(Debug, Clone)]
pub struct PlacedText {
    /// The content of the string that represents the text: ASCII letters, digits and `-`.
    pub placeholder: Arc<str>,
    /// The text.
    pub text: Arc<dyn LongText>,
}

/// Reads the part of a text from `offset` on, up to the end of a character.
///
/// # Errors
/// Returns the error of the store, or [`io::ErrorKind::InvalidData`] if the text is not UTF-8 or ends too early.
pub fn read_part(text: &dyn LongText, offset: u64) -> io::Result<String> {
    let mut part = text.read(offset, PIECE)?;
    part.truncate(whole_characters(&part));
    if part.is_empty() && offset < text.length() {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a text ends too early"));
    }
    String::from_utf8(part).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// Returns a line with its long strings, of at most `length` bytes in total.
///
/// # Errors
/// Returns the error of the store.
pub(crate) fn whole_line(line: &[u8], texts: &[PlacedText], length: usize) -> io::Result<Vec<u8>> {
    let (mut whole, mut rest) = (Vec::with_capacity(length), line);
    for text in texts {
        let quoted = format!("\"{}\"", text.placeholder);
        let Some(at) = memchr::memmem::find(rest, quoted.as_bytes()) else { continue };
        whole.extend_from_slice(&rest[..at]);
        whole.extend_from_slice(RawJson::string(&read(&*text.text)?).as_bytes());
        rest = &rest[at + quoted.len()..];
    }
    whole.extend_from_slice(rest);
    Ok(whole)
}

fn read(text: &dyn LongText) -> io::Result<String> {
    let mut whole = String::new();
    while (whole.len() as u64) < text.length() {
        whole.push_str(&read_part(text, whole.len() as u64)?);
    }
    Ok(whole)
}
