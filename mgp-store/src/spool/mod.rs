//! Encrypted files without a name, for data that is too long for memory and that nobody else may read.
//!
//! A [`Spool`] has a key of its own, which is only in memory, and no name in its folder: what is left of it on the disk after the
//! process has ended, however it ended, cannot be read by anybody.

mod reader;
mod writer;

pub use reader::Spool;
pub use writer::SpoolWriter;

/// The number of bytes that are encrypted at a time.
const CHUNK: usize = 64 * 1024;

/// Returns the nonce of a chunk. It occurs once under each key, because each file has a key of its own and is written once.
fn nonce(chunk: u64) -> ring::aead::Nonce {
    let mut nonce = [0; ring::aead::NONCE_LEN];
    nonce[..8].copy_from_slice(&chunk.to_le_bytes());
    ring::aead::Nonce::assume_unique_for_key(nonce)
}

#[cfg(test)]
mod tests;
