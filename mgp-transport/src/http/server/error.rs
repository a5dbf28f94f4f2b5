//! The reasons why a server cannot serve.

use std::{fmt, io, net::SocketAddr};

/// The reason why a server cannot serve.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The address cannot be bound: another program has it, or it is not one of this machine.
    #[error("failed to bind {address}: {error}")]
    Bind {
        /// The address; several if a name resolves to them.
        address: String,
        /// The error of the operating system.
        error: io::Error,
    },
    /// The listener failed.
    #[error("failed to accept connections: {0}")]
    Listen(#[from] io::Error),
    /// The server is not protected: everybody who can reach the address could use it.
    #[error(
        "refused to serve {0}: others can reach this address and neither an API key nor a token is required; add a key, bind a loopback address, or allow it explicitly"
    )]
    OpenToAll(SocketAddr),
    /// A page is not protected: everybody who can reach the address could read it.
    #[error(
        "refused to serve a page at {0}: others can reach this address; bind a loopback address, or allow it explicitly"
    )]
    OpenPage(SocketAddr),
    /// Tokens name the server by its URL, and this address does not determine one.
    #[error(
        "refused to serve {0}: tokens are meant for the URL of a server, and this address does not determine one; set the resource"
    )]
    NoResource(SocketAddr),
    /// The endpoint or HTTP+SSE cannot be served at its path.
    #[error("refused to serve {path:?}: expected {expected}")]
    Path {
        /// The path.
        path: String,
        /// The paths that are accepted.
        expected: &'static str,
    },
}

// A `main` that returns the error prints this form.
impl fmt::Debug for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
