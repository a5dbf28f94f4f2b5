//! The hash of a tool's definition.

use std::{fmt, str::FromStr};

/// The SHA-256 of a tool's name, title, description, schemas and annotations, because an approval holds only for the definition that was approved.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct DefinitionHash([u8; 32]);

impl DefinitionHash {
    /// Creates a hash from its bytes.
    #[must_use]
    pub const fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

/// The error returned for a text that is not a hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DefinitionHashError;

impl fmt::Display for DefinitionHashError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected 64 hexadecimal digits")
    }
}

impl std::error::Error for DefinitionHashError {}

impl FromStr for DefinitionHash {
    type Err = DefinitionHashError;

    fn from_str(text: &str) -> Result<Self, DefinitionHashError> {
        let mut bytes = [0; 32];
        let (pairs, []) = text.as_bytes().as_chunks::<2>() else { return Err(DefinitionHashError) };
        if pairs.len() != bytes.len() {
            return Err(DefinitionHashError);
        }
        for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
            let digit = |c: u8| char::from(c).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
            let (Some(high), Some(low)) = (digit(*high), digit(*low)) else {
                return Err(DefinitionHashError);
            };
            *byte = high << 4 | low;
        }
        Ok(Self(bytes))
    }
}

impl fmt::Display for DefinitionHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for DefinitionHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_read_as_it_is_written() {
        let hash = DefinitionHash::new(std::array::from_fn(|at| at as u8 * 7));
        assert_eq!(hash.to_string().parse(), Ok(hash));
        for wrong in ["", "0", &"0".repeat(63), &"0".repeat(66), &"g".repeat(64), &"é".repeat(32)] {
            assert_eq!(wrong.parse::<DefinitionHash>(), Err(DefinitionHashError), "{wrong}");
        }
    }
}
