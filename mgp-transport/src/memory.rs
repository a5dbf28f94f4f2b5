//! A pair of connected byte streams in memory, for tests and for servers in the same process.

use tokio::io::{DuplexStream, ReadHalf, WriteHalf};

/// One end of the pair: the half that it reads from and the half that it writes to.
pub type End = (ReadHalf<DuplexStream>, WriteHalf<DuplexStream>);

/// The number of bytes that one direction holds before its writer waits.
const CAPACITY: usize = 64 * 1024;

/// Returns two connected ends: bytes written to one are read from the other.
#[must_use]
pub fn pair() -> (End, End) {
    let (here, there) = tokio::io::duplex(CAPACITY);
    (tokio::io::split(here), tokio::io::split(there))
}
