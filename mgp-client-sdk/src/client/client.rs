//! The client: what it knows of its server. What it asks it stands in one file for each area.

use super::{ClientBuilder, caller::Caller, owned::Owned, subscriptions::SessionListeners};
use crate::handshake::{Era, Greeting, HandshakeError};
use mgp_transport::seam::{CallError, Peer};
use mgp_types::{
    mcp::{PageParams, Ping, stateless::Discover},
    negotiation::Negotiated,
    rpc::{Call, Empty},
};
use std::{fmt, io, time::Duration};

/// A client of one server: MGP where the server speaks it, plain MCP where it does not.
///
/// It talks to the server directly. Access control, permissions, validators and the audit trail are the
/// [`Kernel`](crate::kernel::Kernel)'s.
///
/// A request that is not answered within a minute is cancelled, unless its server says how far it is
/// ([`request_timeout`](ClientBuilder::request_timeout)); dropping its future cancels it too.
///
/// Dropping the client ends its connection. A process that it started is ended in the background, for which the runtime must go on:
/// a program that ends itself then calls [`close`](Self::close).
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
    /// The connection and, where there is one, the process: they end with the client.
    owned: Owned,
}

/// Why a client could not connect.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The process could not be started.
    #[error("{0}")]
    Start(#[from] io::Error),
    /// The URL or the HTTP client is not right.
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
    /// A child process did not greet.
    #[cfg(feature = "child")]
    #[error("{error}; {report}")]
    Child {
        /// What went wrong with the handshake.
        error: Box<ClientError>,
        /// What became of the process, by its name, and what it wrote last to stderr.
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
    /// A client by a name and a version, which the server is told.
    #[must_use]
    pub fn builder(name: &str, version: &str) -> ClientBuilder {
        ClientBuilder::new(name, version)
    }

    pub(super) fn new(caller: Caller, greeting: Greeting, listeners: SessionListeners, owned: Owned) -> Self {
        Self { caller, greeting, listeners, owned }
    }

    /// Ends the connection, and waits for it. A process that the client started first notices the end of its input; one that still runs
    /// two seconds later is asked to terminate, and killed after two more.
    pub async fn close(self) {
        self.owned.close().await;
    }

    /// The server, for what has no function here. What it sends is not looked at: rounds of input are the caller's there.
    #[must_use]
    pub fn peer(&self) -> &Peer {
        &self.caller.peer
    }

    /// What the handshake brought.
    #[must_use]
    pub fn greeting(&self) -> &Greeting {
        &self.greeting
    }

    /// What was negotiated; none with a plain MCP server.
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

    /// Asks whether the server lives. The stateless revisions have no `ping`: a server of these is asked what it is
    /// (`server/discover`), which every one of them answers.
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
