//! Sealed tokens: content that a peer keeps and returns. Only holders of the key can create a token, for one owner and until a point in time.
//! The content is not secret.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use hmac_sha256::HMAC;
use std::fmt;

/// The length of the time in a token, in bytes.
const UNTIL: usize = 8;
/// The length of the code that authenticates a token, in bytes.
const CODE: usize = 32;

/// A key that seals tokens. Processes that share a key open each other's tokens.
///
/// ```
/// use mgp_types::seal::{SealError, SealKey};
/// let (key, now) = (SealKey::new([7; 32]), 1_800_000_000);
/// let token = key.seal(b"ann", now + 60, b"page 2");
/// assert_eq!(key.open(b"ann", &token, now)?, b"page 2");
/// assert_eq!(key.open(b"bob", &token, now), Err(SealError::Foreign));
/// assert_eq!(key.open(b"ann", &token, now + 61), Err(SealError::Expired));
/// # Ok::<(), SealError>(())
/// ```
#[derive(Clone)]
pub struct SealKey([u8; 32]);

impl SealKey {
    /// Creates a key from random bytes.
    #[must_use]
    pub const fn new(key: [u8; 32]) -> Self {
        Self(key)
    }

    /// Seals content for an owner, until a time in seconds since 1970. The token is longer than the content, by a third and 54 bytes.
    #[must_use]
    pub fn seal(&self, owner: &[u8], until: u64, content: &[u8]) -> String {
        let until = until.to_be_bytes();
        let code = self.authenticate(owner, until, content).finalize();
        URL_SAFE_NO_PAD.encode([&until[..], &code, content].concat())
    }

    /// Returns the content of a token that was sealed for the owner.
    ///
    /// # Errors
    /// [`SealError`].
    pub fn open(&self, owner: &[u8], token: &str, now: u64) -> Result<Vec<u8>, SealError> {
        let bytes = URL_SAFE_NO_PAD.decode(token).map_err(|_| SealError::Foreign)?;
        let (until, rest) = bytes.split_first_chunk::<UNTIL>().ok_or(SealError::Foreign)?;
        let (code, content) = rest.split_first_chunk::<CODE>().ok_or(SealError::Foreign)?;
        // Compares in constant time.
        if !self.authenticate(owner, *until, content).finalize_verify(code) {
            return Err(SealError::Foreign);
        }
        if u64::from_be_bytes(*until) < now { Err(SealError::Expired) } else { Ok(content.to_vec()) }
    }

    fn authenticate(&self, owner: &[u8], until: [u8; UNTIL], content: &[u8]) -> HMAC {
        let mut code = HMAC::new(self.0);
        code.update(until);
        // With the length first, no end of the owner can be mistaken for the start of the content.
        code.update((owner.len() as u64).to_be_bytes());
        code.update(owner);
        code.update(content);
        code
    }
}

impl fmt::Debug for SealKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SealKey(..)")
    }
}

/// The error returned when a token does not open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SealError {
    /// The token was not sealed with the key for the owner, or it was changed.
    Foreign,
    /// The token has expired.
    Expired,
}

impl fmt::Display for SealError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Foreign => "not sealed with this key for this owner",
            Self::Expired => "expired",
        })
    }
}

impl std::error::Error for SealError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_opens_only_for_its_owner_unchanged_and_in_time() {
        let key = SealKey::new([7; 32]);
        let token = key.seal(b"ann", 99, b"content");
        assert_eq!(key.open(b"ann", &token, 99).unwrap(), b"content");
        assert_eq!(key.open(b"ann", &token, 100), Err(SealError::Expired));
        for owner in [&b""[..], b"an", b"annc", b"bob"] {
            assert_eq!(key.open(owner, &token, 0), Err(SealError::Foreign), "{owner:?}");
        }
        assert_eq!(SealKey::new([8; 32]).open(b"ann", &token, 0), Err(SealError::Foreign));
        for wrong in ["", "=", "é", &token[1..], &format!("{token}A"), &"A".repeat(1000)] {
            assert_eq!(key.open(b"ann", wrong, 0), Err(SealError::Foreign), "{wrong}");
        }
        for at in 0..token.len() {
            let letter = if token.as_bytes()[at] == b'A' { "B" } else { "A" };
            let wrong = [&token[..at], letter, &token[at + 1..]].concat();
            assert_eq!(key.open(b"ann", &wrong, 0), Err(SealError::Foreign), "{at}");
        }
    }
}
