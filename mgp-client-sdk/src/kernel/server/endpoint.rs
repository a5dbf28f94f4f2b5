//! The endpoint at which a server is reached.

use mgp_server_sdk::ServerStack;
use mgp_transport::memory;
use std::{fmt, sync::Arc};

/// The endpoint at which a server is reached.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Endpoint {
    /// A child process that speaks over its stdin and stdout.
    #[cfg(feature = "child")]
    Child(mgp_transport::child::ChildCommand),
    /// A Streamable HTTP endpoint.
    #[cfg(feature = "http")]
    Http {
        /// The URL of the endpoint.
        url: String,
        /// The configuration of the HTTP client.
        config: mgp_transport::http::client::HttpClientConfig,
    },
    /// A server in this process.
    InProcess(InProcess),
    /// No endpoint, for this reason: the server's settings cannot be used, and every attempt to connect fails.
    Unusable(String),
}

#[cfg(feature = "child")]
impl From<mgp_transport::child::ChildCommand> for Endpoint {
    fn from(command: mgp_transport::child::ChildCommand) -> Self {
        Self::Child(command)
    }
}

impl From<InProcess> for Endpoint {
    fn from(server: InProcess) -> Self {
        Self::InProcess(server)
    }
}

impl From<ServerStack> for Endpoint {
    fn from(stack: ServerStack) -> Self {
        InProcess::new(move || stack.in_process()).into()
    }
}

impl Endpoint {
    /// Returns whether the kernel starts the server: a child process, or a server in this process. A server at a URL is somebody else's.
    pub(super) const fn is_own(&self) -> bool {
        !self.is_http()
    }

    /// Returns the reason why the server's settings cannot be used, if they cannot.
    pub(in crate::kernel) fn fault(&self) -> Option<&str> {
        match self {
            Self::Unusable(fault) => Some(fault),
            _ => None,
        }
    }

    /// Returns whether the server is reached at a URL, over HTTP.
    pub(in crate::kernel) const fn is_http(&self) -> bool {
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
    /// Creates a server in this process. `connect` starts the server on one end of a pair of byte streams, and returns the other end.
    pub fn new(connect: impl Fn() -> memory::End + Send + Sync + 'static) -> Self {
        Self(Arc::new(connect))
    }

    /// Starts the server on one more connection, and returns the other end.
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
