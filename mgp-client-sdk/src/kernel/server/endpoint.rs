//! How a server is reached.

use mgp_transport::memory;
use std::{fmt, sync::Arc};

/// How a server is reached.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Endpoint {
    /// A child process that speaks over its stdin and stdout.
    #[cfg(feature = "child")]
    Child(mgp_transport::child::ChildCommand),
    /// A Streamable HTTP endpoint.
    #[cfg(feature = "http")]
    Http {
        /// Where it is.
        url: String,
        /// How it is spoken to.
        config: mgp_transport::http::client::HttpClientConfig,
    },
    /// A server in this process.
    InProcess(InProcess),
}

impl Endpoint {
    /// Returns whether the kernel starts what is there: a child process, or a server in this process. A URL is somebody else's.
    pub(super) fn is_own(&self) -> bool {
        !self.is_http()
    }

    /// Whether it is reached over HTTP.
    pub(super) fn is_http(&self) -> bool {
        #[cfg(feature = "http")]
        return matches!(self, Self::Http { .. });
        #[cfg(not(feature = "http"))]
        false
    }
}

/// A server in this process: each connection to it is a new pair of byte streams in memory.
#[derive(Clone)]
pub struct InProcess(Arc<dyn Fn() -> memory::End + Send + Sync>);

impl InProcess {
    /// `connect` starts the server on one end of a pair and returns the other.
    pub fn new(connect: impl Fn() -> memory::End + Send + Sync + 'static) -> Self {
        Self(Arc::new(connect))
    }

    /// One more connection.
    #[must_use]
    pub fn connect(&self) -> memory::End {
        (self.0)()
    }
}

impl fmt::Debug for InProcess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("InProcess")
    }
}
