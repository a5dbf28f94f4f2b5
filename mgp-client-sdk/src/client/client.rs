//! The client.

use super::ClientBuilder;
use crate::handshake::{Greeting, HandshakeError};
use mgp_transport::seam::{CallError, CallEvent, Peer, PendingCall};
use mgp_types::{
    json::{RawJson, RawObject},
    mcp::{CallTool, CallToolResult, ListTools, PageParams, Ping, Tool},
    negotiation::{Extension, Negotiated},
    request_meta,
    rpc::{Call, Empty, RequestId},
};
use std::{any::Any, fmt, io, time::Duration};

/// A client of one server: MGP where the server speaks it, plain MCP where it does not.
///
/// It talks to the server directly. Access control, permissions, validators and the audit trail are the
/// [`Kernel`](crate::kernel::Kernel)'s.
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
    peer: Peer,
    greeting: Greeting,
    /// The connection and, where there is one, the process: they end with the client.
    _owned: Box<dyn Any + Send + Sync>,
}

/// Why a client could not connect.
#[derive(Debug, thiserror::Error)]
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
}

/// How many pages of a list are read at most.
const MAX_PAGES: usize = 1000;

impl Client {
    /// A client by a name and a version, which the server is told.
    #[must_use]
    pub fn builder(name: &str, version: &str) -> ClientBuilder {
        ClientBuilder::new(name, version)
    }

    pub(super) fn new(peer: Peer, greeting: Greeting, owned: Box<dyn Any + Send + Sync>) -> Self {
        Self { peer, greeting, _owned: owned }
    }

    /// The server, for methods that have no function here.
    #[must_use]
    pub fn peer(&self) -> &Peer {
        &self.peer
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

    /// Sends a request of any method and waits for its result.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn request<C: Call>(&self, params: &C::Params) -> Result<C::Result, CallError> {
        self.peer.request::<C>(params).await
    }

    /// Asks whether the server lives.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn ping(&self) -> Result<(), CallError> {
        self.request::<Ping>(&Empty::default()).await.map(drop)
    }

    /// Lists the server's tools, every page of them.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn list_tools(&self) -> Result<Vec<Tool>, CallError> {
        let mut tools = Vec::new();
        let mut params = PageParams::default();
        for _ in 0..MAX_PAGES {
            let page = self.request::<ListTools>(&params).await?;
            tools.extend(page.tools);
            params.cursor = page.next_cursor;
            if params.cursor.is_none() {
                break;
            }
        }
        Ok(tools)
    }

    /// Calls a tool and waits for its result.
    ///
    /// # Errors
    /// [`CallError`]. A tool that ran and failed is a result that says so.
    pub async fn call_tool(&self, name: &str, arguments: RawJson) -> Result<CallToolResult, CallError> {
        let mut call = self.start_tool(name, arguments).await?;
        loop {
            if let CallEvent::Reply(reply) = call.next().await {
                let decoded = reply?.decode();
                return decoded.map_err(|error| CallError::Result { method: CallTool::METHOD, error });
            }
        }
    }

    /// Calls a tool; progress comes back before the result. Dropping the call cancels it.
    ///
    /// # Errors
    /// [`CallError`]: why it could not be sent.
    pub async fn start_tool(&self, name: &str, arguments: RawJson) -> Result<PendingCall, CallError> {
        self.start(name, arguments, false).await
    }

    /// Calls a tool as [`start_tool`](Self::start_tool) does, and asks for its result in chunks, which a server has that
    /// negotiated `streaming`.
    ///
    /// # Errors
    /// [`CallError`]: why it could not be sent.
    pub async fn stream_tool(&self, name: &str, arguments: RawJson) -> Result<PendingCall, CallError> {
        // A plain server is told nothing of MGP.
        let chunks = self.negotiated().is_some_and(|negotiated| negotiated.has(Extension::Streaming));
        self.start(name, arguments, chunks).await
    }

    async fn start(&self, name: &str, arguments: RawJson, chunks: bool) -> Result<PendingCall, CallError> {
        let id = self.peer.next_id();
        let mut params = RawObject::new();
        params.insert("name", RawJson::from(name));
        params.insert("arguments", arguments);
        request_meta::set_progress_token(&mut params, &mgp_types::mcp::ProgressToken(RequestId::from(id)));
        if chunks {
            mgp_types::mgp_member::set(&mut params, "stream", true.into());
        }
        self.peer.start_as(id, CallTool::METHOD, params).await
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("peer", &self.peer)
            .field("greeting", &self.greeting)
            .finish_non_exhaustive()
    }
}
