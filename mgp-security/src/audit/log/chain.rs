//! The chain of hashes: each event's covers the event and the hash of the one before it.

use rusqlite::types::ValueRef;
use sha2::{Digest, Sha256};

/// A SHA-256.
pub(super) type Hash = [u8; 32];

/// Returns the hash of values. Each is hashed with its type and length, so that no two lists of values look alike.
pub(super) fn hash<'a>(values: impl IntoIterator<Item = ValueRef<'a>>) -> Hash {
    let mut hash = Sha256::new();
    for value in values {
        match value {
            ValueRef::Null => hash.update([0]),
            ValueRef::Integer(number) => {
                hash.update([1]);
                hash.update(number.to_le_bytes());
            }
            ValueRef::Real(number) => {
                hash.update([2]);
                hash.update(number.to_bits().to_le_bytes());
            }
            ValueRef::Text(bytes) => sized(&mut hash, 3, bytes),
            ValueRef::Blob(bytes) => sized(&mut hash, 4, bytes),
        }
    }
    hash.finalize().into()
}

fn sized(hash: &mut Sha256, kind: u8, bytes: &[u8]) {
    hash.update([kind]);
    hash.update((bytes.len() as u64).to_le_bytes());
    hash.update(bytes);
}
