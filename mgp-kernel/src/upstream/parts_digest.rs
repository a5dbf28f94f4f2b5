//! A digest of a list of texts.

use sha2::{Digest, Sha256};

/// The SHA-256 of a list of texts. Each is preceded by its length, so that different lists have different digests.
#[derive(Default)]
pub(super) struct PartsDigest(Sha256);

impl PartsDigest {
    /// Adds a text to the list.
    pub(super) fn part(&mut self, part: impl AsRef<[u8]>) {
        let part = part.as_ref();
        self.0.update((part.len() as u64).to_be_bytes());
        self.0.update(part);
    }

    /// Returns the digest in hexadecimal digits.
    pub(super) fn finish(self) -> String {
        mgp_types::hex::encode(self.0.finalize())
    }
}
