//! The nonces of a spool's chunks.

use ring::aead::{NONCE_LEN, Nonce};

/// Returns the nonce of a chunk. It occurs once under each key, because each file has its own key and is written once.
pub(super) fn nonce(chunk: u64) -> Nonce {
    let mut nonce = [0; NONCE_LEN];
    nonce[..8].copy_from_slice(&chunk.to_le_bytes());
    Nonce::assume_unique_for_key(nonce)
}
