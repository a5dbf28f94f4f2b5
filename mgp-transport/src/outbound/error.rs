//! The reason for the end of a connection.

use std::{fmt, io, sync::Arc, time::Duration};

/// The reason for the end of a connection.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectionError {
    /// The other side ended it.
    #[error("the peer closed the connection")]
    Closed,
    /// This side ended it.
    #[error("the connection was shut down")]
    Shutdown,
    /// The input could not be read.
    #[error("failed to read from the peer: {0}")]
    Read(Arc<io::Error>),
    /// The output could not be written.
    #[error("failed to write to the peer: {0}")]
    Write(Arc<io::Error>),
    /// The other side takes no bytes.
    #[error("the peer took no bytes for {0:?}")]
    WriteTimeout(Duration),
    /// The other side sends requests but does not read the answers.
    #[error("the peer left {0} bytes of refusals unread")]
    Unread(usize),
    /// Another reason, worded by the transport.
    #[error("{0}")]
    Transport(Arc<str>),
}

// A `main` that returns the error prints this form.
impl fmt::Debug for ConnectionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
