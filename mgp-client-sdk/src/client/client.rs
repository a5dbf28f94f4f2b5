//! The client and its knowledge of the server. The requests are in one file for each area.

use super::{ClientBuilder, caller::Caller, owned::OwnedConnection, session_listeners::SessionListeners};
use crate::session::Greeting;
use mgp_lifecycle::health::ProbeMethod;
use mgp_transport::seam::{CallError, Peer};
use mgp_types::{
    mcp::{Discover, PageParams, Ping},
    negotiation::Negotiation,
    rpc::{Call, Empty},
};
use std::fmt;

/// A client of one server, which speaks MGP if the server does, and plain MCP otherwise.
///
/// The client talks to the server directly. Access control, permissions, validators and the audit trail are part of the kernel,
/// the crate `mgp-kernel`.
///
/// A request that is not answered within a minute is cancelled, unless the server reports progress
/// ([`request_timeout`](ClientBuilder::request_timeout)); dropping its future cancels it too.
///
/// Dropping the client ends its connection. A process that the client started is ended in the background, which needs a running
/// runtime: a program that is about to exit calls [`close`](Self::close) instead.
///
/// ```
/// use mgp_client_sdk::client::Client;
/// use mgp_server_sdk::{Server, Tool, extract::Args};
/// # use {schemars::JsonSchema, serde::{Deserialize, Serialize}};
/// # #[derive(Serialize, Deserialize, JsonSchema)] struct Add { a: f64, b: f64 }
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// async fn add(Args(Add { a, b }): Args<Add>) -> String {
///     (a + b).to_string()
/// }
/// let server = Server::new("adder", "1.0.0").tool(Tool::new("add", "Adds two numbers", add)).build()?;
/// let (input, output) = server.in_process();
/// let client = Client::builder("example", "1.0.0").connect(input, output).await?;
/// let sum: f64 = client.call("add", &Add { a: 2.0, b: 3.0 }).await?;
/// assert!(sum == 5.0);
/// # Ok(()) }
/// ```
pub struct Client {
    pub(super) caller: Caller,
    pub(super) listeners: SessionListeners,
    /// The connection and the process, if any, which end with the client.
    pub(super) owned: OwnedConnection,
}

impl Client {
    /// Creates a builder of a client, with the name and version for the server.
    #[must_use]
    pub fn builder(name: impl Into<String>, version: impl Into<String>) -> ClientBuilder {
        ClientBuilder::new(name, version)
    }

    /// Closes the connection, and waits for its end. A process that the client started first sees the end of its input. If it is
    /// still running two seconds later, it is asked to terminate, and two seconds after that it is killed
    /// ([`close_timeout`](ClientBuilder::close_timeout)).
    pub async fn close(self) {
        self.owned.close().await;
    }

    /// Returns the server as a peer, for requests without a function here. Their results are returned unread: the caller
    /// handles rounds of input.
    #[must_use]
    pub fn peer(&self) -> &Peer {
        &self.caller.session.peer
    }

    /// Returns the result of the handshake.
    #[must_use]
    pub fn greeting(&self) -> &Greeting {
        &self.caller.session.greeting
    }

    /// Returns the negotiated MGP version and extensions, or `None` with a plain MCP server.
    #[must_use]
    pub fn negotiated(&self) -> Option<&Negotiation> {
        self.greeting().negotiated.as_ref()
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
        match self.caller.session.probe_method() {
            ProbeMethod::Discover => self.request::<Discover>(&PageParams::default()).await.map(drop),
            ProbeMethod::Mcp | ProbeMethod::Mgp => self.request::<Ping>(&Empty::default()).await.map(drop),
        }
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("peer", self.peer())
            .field("greeting", self.greeting())
            .finish_non_exhaustive()
    }
}
