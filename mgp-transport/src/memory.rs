//! A pair of connected byte streams in memory, for tests and for servers in the same process.

use tokio::io::{DuplexStream, ReadHalf, WriteHalf};

/// One end of the pair: what it reads from and what it writes to.
pub type End = (ReadHalf<DuplexStream>, WriteHalf<DuplexStream>);

/// How many bytes one direction holds before its writer waits.
const CAPACITY: usize = 64 * 1024;

/// Two ends; what is written to one is read from the other.
#[must_use]
pub fn pair() -> (End, End) {
    let (here, there) = tokio::io::duplex(CAPACITY);
    (tokio::io::split(here), tokio::io::split(there))
}
