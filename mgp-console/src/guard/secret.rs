//! Random texts that nobody can guess.

use sha2::{Digest, Sha256};
use std::{fmt, io};

/// The number of random bytes of a secret.
const BYTES: usize = 32;

/// A random text in hexadecimal.
#[derive(Clone)]
pub(crate) struct Secret(String);

impl Secret {
    /// Draws a secret.
    ///
    /// # Errors
    /// If the system has no random bytes.
    pub(crate) fn draw() -> io::Result<Self> {
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
        Ok(Self(hexadecimal(&bytes)))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the mark by which the console finds what belongs to the secret, without keeping the secret.
    pub(crate) fn mark(&self) -> SecretMark {
        SecretMark::of(&self.0)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

/// The SHA-256 of a secret. The time of a search for it says nothing about the secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct SecretMark([u8; 32]);

impl SecretMark {
    pub(crate) fn of(text: &str) -> Self {
        Self(Sha256::digest(text.as_bytes()).into())
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_long_and_differ() {
        let [first, second] = [Secret::draw().unwrap(), Secret::draw().unwrap()];
        assert_eq!(first.as_str().len(), 64);
        assert_ne!(first.as_str(), second.as_str());
        assert_eq!(first.mark(), SecretMark::of(first.as_str()));
        assert!(!format!("{first:?}").contains(first.as_str()));
    }
}
