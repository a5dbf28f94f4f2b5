//! The text of a JSON string that arrives in parts.

use super::PIECE;
use mgp_types::json::RawJson;
use std::io;

/// The raw characters of a JSON string that are not decoded yet.
#[derive(Debug, Default)]
pub(super) struct RawCharacters(Vec<u8>);

impl RawCharacters {
    pub(super) fn new(start: Vec<u8>) -> Self {
        Self(start)
    }

    pub(super) fn push(&mut self, raw: &[u8]) {
        self.0.extend_from_slice(raw);
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns whether there are enough characters to decode some. Must be called only outside of an escape.
    pub(super) fn is_full(&self) -> bool {
        let length = self.0.len();
        // The other half of a pair of surrogates may follow.
        length >= 2 * PIECE || length >= PIECE && !ends_in_surrogate(&self.0)
    }

    /// Decodes the characters so far. At the end of the string, these are all; before it, an incomplete character is left.
    ///
    /// # Errors
    /// Returns [`io::ErrorKind::InvalidData`] for characters that are invalid in a JSON string.
    pub(super) fn decode(&mut self, is_end: bool) -> io::Result<String> {
        let cut = if is_end { self.0.len() } else { whole_characters(&self.0) };
        let mut quoted = Vec::with_capacity(cut + 2);
        quoted.push(b'"');
        quoted.extend_from_slice(&self.0[..cut]);
        quoted.push(b'"');
        self.0.drain(..cut);
        let text = RawJson::parse(quoted).ok().and_then(|json| json.to_text());
        text.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "invalid characters in a string"))
    }
}

/// Returns the number of bytes before an incomplete character.
pub(super) fn whole_characters(bytes: &[u8]) -> usize {
    let is_continuation = |byte: &u8| byte & 0b1100_0000 == 0b1000_0000;
    let last = bytes.iter().rev().take(4).take_while(|byte| is_continuation(byte)).count();
    let Some(lead) = bytes.len().checked_sub(last + 1) else { return bytes.len() };
    let length = match bytes[lead] {
        0b1100_0000..=0b1101_1111 => 2,
        0b1110_0000..=0b1110_1111 => 3,
        0b1111_0000..=0b1111_0111 => 4,
        _ => 1,
    };
    if last + 1 < length { lead } else { bytes.len() }
}

/// Returns whether raw characters may end in the first half of a pair of surrogates.
fn ends_in_surrogate(raw: &[u8]) -> bool {
    matches!(raw, [.., b'\\', b'u', b'd' | b'D', b'8' | b'9' | b'a' | b'A' | b'b' | b'B', _, _])
}
