//! The reasons why the proxy refuses a connection.

use std::{fmt, io};

/// The reason why the proxy refuses a connection.
#[derive(Debug)]
pub(super) enum EgressError {
    /// The request cannot be read.
    Malformed(&'static str),
    /// The server may not reach the host.
    Forbidden(String),
    /// The host does not answer.
    Unreachable(io::Error),
}

impl fmt::Display for EgressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(reason) => f.write_str(reason),
            Self::Forbidden(reason) => f.write_str(reason),
            Self::Unreachable(error) => write!(f, "failed to connect: {error}"),
        }
    }
}

impl From<io::Error> for EgressError {
    fn from(error: io::Error) -> Self {
        Self::Unreachable(error)
    }
}
