//! The digest of a table's rows.

use crate::sql::Value;
use sha2::{Digest, Sha256};
use std::fmt;

/// The digest of rows in any order: the sum of the rows' SHA-256 hashes, in four lanes of 64 bits. Engines return the same rows in different
/// orders. The digest finds accidental differences; it does not protect from somebody who chooses rows for their hashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ContentDigest([u64; 4]);

impl ContentDigest {
    /// Adds a row.
    pub(super) fn add(&mut self, row: &[Value<'_>]) {
        let mut hash = Sha256::new();
        for value in row {
            match value {
                Value::Null => hash.update([0]),
                Value::Integer(number) => {
                    hash.update([1]);
                    hash.update(number.to_be_bytes());
                }
                Value::Text(text) => measured(&mut hash, 2, text.as_bytes()),
                Value::Bytes(bytes) => measured(&mut hash, 3, bytes),
            }
        }
        let hash: [u8; 32] = hash.finalize().into();
        let (lanes, _) = hash.as_chunks::<8>();
        for (sum, lane) in self.0.iter_mut().zip(lanes) {
            *sum = sum.wrapping_add(u64::from_be_bytes(*lane));
        }
    }
}

/// Hashes content after its type and its length, so that no two rows have the same form.
fn measured(hash: &mut Sha256, kind: u8, content: &[u8]) {
    hash.update([kind]);
    hash.update((content.len() as u64).to_be_bytes());
    hash.update(content);
}

/// Writes 64 hexadecimal digits.
impl fmt::Display for ContentDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|lane| write!(f, "{lane:016x}"))
    }
}
