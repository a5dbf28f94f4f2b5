//! Encrypted files without a name, for data that is too long for memory and that nobody else may read.
//!
//! A [`Spool`] has its own key, kept only in memory, and no name in its folder. Bytes that remain on disk after the process has ended, even
//! by a crash, cannot be read. A [`DerivedKey`] encrypts chunks that another process has to read.

mod derived;
mod nonce;
mod reader;
mod writer;

pub use derived::DerivedKey;
pub use reader::Spool;
pub use writer::SpoolWriter;

/// The number of bytes that are encrypted at a time.
const CHUNK: usize = 64 * 1024;

#[cfg(test)]
mod tests;
