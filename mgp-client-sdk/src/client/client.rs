//! The client and its knowledge of the server. The requests are in one file for each area.

use super::{ClientBuilder, caller::Caller, owned::Owned, subscriptions::SessionListeners};
use crate::handshake::{Era, Greeting, HandshakeError};
use mgp_transport::seam::{CallError, Peer};
use mgp_types::{
    mcp::{PageParams, Ping, stateless::Discover},
    negotiation::Negotiated,
    rpc::{Call, Empty},
};
use std::{fmt, io, time::Duration};

/// A client of one server, which speaks MGP if the server does, and plain MCP otherwise.
///
/// The client talks to the server directly. Access control, permissions, validators and the audit trail are part of the
/// [`Kernel`](crate::kernel::Kernel).
///
/// A request that is not answered within a minute is cancelled, unless the server reports progress
/// ([`request_timeout`](ClientBuilder::request_timeout)); dropping its future cancels it too.
///
/// Dropping the client ends its connection. A process that the client started is ended in the background, which needs a running
/// runtime: a program that is about to exit calls [`close`](Self::close) instead.
///
/// ```
/// use mgp_client_sdk::{RawJson, client::Client};
/// use mgp_server_sdk::{Server, Tool, extract::Args};
/// # use {schemars::JsonSchema, serde::Deserialize};
/// # #[derive(Deserialize, JsonSchema)] struct Add { a: f64, b: f64 }
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// async fn add(Args(Add { a, b }): Args<Add>) -> String {
///     (a + b).to_string()
/// }
/// let server = Server::new("adder", "1.0.0").tool(Tool::new("add", "Adds two numbers", add)).build()?;
/// let (input, output) = server.in_process();
/// let client = Client::builder("example", "1.0.0").connect(input, output).await?;
/// let sum = client.call_tool("add", RawJson::parse(r#"{"a":2,"b":3}"#)?).await?;
/// assert!(sum.content[0].as_text() == Some("5"));
/// # Ok(()) }
/// ```
pub struct Client {
    pub(super) caller: Caller,
    pub(super) greeting: Greeting,
    pub(super) listeners: SessionListeners,
    /// The connection and the process, if any, which end with the client.
    owned: Owned,
}

/// The error of a client that could not connect.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The process could not be started.
    #[error("{0}")]
    Start(#[from] io::Error),
    /// The URL or the configuration of the HTTP client is invalid.
    #[cfg(feature = "http")]
    #[error("{0}")]
    Http(#[from] mgp_transport::http::client::HttpClientError),
    /// The server did not agree to a connection.
    #[error("{0}")]
    Handshake(#[from] HandshakeError),
    /// The handshake took too long.
    #[error("the handshake took longer than {0:?}")]
    TimeLimit(Duration),
    /// No server answers at the URL.
    #[cfg(feature = "http")]
    #[error("could not connect to {server}: {reason}")]
    Unreachable {
        /// Scheme, host and port. The rest of the URL may hold a secret.
        server: String,
        /// The failure.
        reason: String,
    },
    /// The handshake with a child process failed.
    #[cfg(feature = "child")]
    #[error("{error}; {report}")]
    Child {
        /// The error of the handshake.
        error: Box<ClientError>,
        /// The name of the process, how it ended, and its last lines on stderr.
        report: String,
    },
}

// A `main` that returns the error prints this form.
impl fmt::Debug for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Client {
    /// Creates a builder of a client, with the name and version that the server is told.
    #[must_use]
    pub fn builder(name: &str, version: &str) -> ClientBuilder {
        ClientBuilder::new(name, version)
    }

    pub(super) fn new(caller: Caller, greeting: Greeting, listeners: SessionListeners, owned: Owned) -> Self {
        Self { caller, greeting, listeners, owned }
    }

    /// Closes the connection, and waits for its end. A process that the client started first sees the end of its input; if it still
    /// runs two seconds later, it is asked to terminate, and two seconds after that it is killed.
    pub async fn close(self) {
        self.owned.close().await;
    }

    /// Returns the server as a peer, for requests that have no function here. Their results are passed on unread: the caller
    /// handles rounds of input.
    #[must_use]
    pub fn peer(&self) -> &Peer {
        &self.caller.peer
    }

    /// Returns the result of the handshake.
    #[must_use]
    pub fn greeting(&self) -> &Greeting {
        &self.greeting
    }

    /// Returns the MGP version and extensions that were negotiated, or `None` with a plain MCP server.
    #[must_use]
    pub fn negotiated(&self) -> Option<&Negotiated> {
        self.greeting.negotiated.as_ref()
    }

    /// Sends a request of any method and waits for its result. Rounds of input are answered by the client's handlers.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn request<C: Call>(&self, params: &C::Params) -> Result<C::Result, CallError> {
        self.caller.request::<C>(params).await
    }

    /// Checks that the server answers. The stateless revisions have no `ping`, so a server of these gets `server/discover`, which
    /// every such server answers.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn ping(&self) -> Result<(), CallError> {
        match self.greeting.era() {
            Era::Initialize => self.request::<Ping>(&Empty::default()).await.map(drop),
            Era::Stateless => self.request::<Discover>(&PageParams::default()).await.map(drop),
        }
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("peer", &self.caller.peer)
            .field("greeting", &self.greeting)
            .finish_non_exhaustive()
    }
}
