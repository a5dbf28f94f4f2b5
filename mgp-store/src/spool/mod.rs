//! Encrypted files without a name, for data that is too long for memory and that nobody else may read.
//!
//! A [`Spool`] has a key of its own, which is only in memory, and no name in its folder: what is left of it on the disk after the
//! process has ended, however it ended, cannot be read by anybody.

mod nonce;
mod reader;
mod writer;

pub use reader::Spool;
pub use writer::SpoolWriter;

/// The number of bytes that are encrypted at a time.
const CHUNK: usize = 64 * 1024;

#[cfg(test)]
mod tests;
