//! Ours: a server of our server SDK, and a client's typed call on its peer.

use super::add::{self, Add};
use crate::measure::Caller;
use mgp_server_sdk::{Server, Tool, extract::Args};
use mgp_transport::{
    connection::Connection,
    seam::{BoxError, Incoming, Peer, Reply},
};
use mgp_types::{
    json::RawJson,
    mcp::{
        CallTool, CallToolParams, ClientCapabilities, Implementation, Initialize, InitializeParams,
        Initialized, ProtocolVersion,
    },
    rpc::{Empty, ErrorObject},
};
use std::sync::Arc;

/// A client that is connected to its server.
#[derive(Debug, Clone)]
pub(super) struct Ours {
    peer: Peer,
    /// Dropping them would end the connection.
    _ends: Arc<(Connection, Connection)>,
}

impl Ours {
    /// Connects and shakes hands.
    pub(super) async fn connect() -> Result<Self, String> {
        let (here, there) = tokio::io::duplex(add::STREAM);
        let tool = Tool::new(add::NAME, "Adds two numbers", add);
        let server = Server::new("adder", "1.0.0").tool(tool).build().map_err(|error| error.to_string())?;
        let (input, output) = tokio::io::split(there);
        let server = server.connection().over(input, output);
        let (input, output) = tokio::io::split(here);
        let client = Connection::builder(tower::service_fn(refuse)).over(input, output);
        shake_hands(client.peer()).await.map_err(|error| format!("failed to shake hands: {error}"))?;
        Ok(Self { peer: client.peer().clone(), _ends: Arc::new((client, server)) })
    }
}

impl Caller for Ours {
    async fn call(&self, number: i64) -> Result<(), String> {
        let add = Add::of(number);
        let arguments = RawJson::from_value(&add).map_err(|error| error.to_string())?;
        let params = CallToolParams::new(add::NAME, arguments);
        let result = self.peer.request::<CallTool>(&params).await.map_err(|error| error.to_string())?;
        add.check(result.content.first().and_then(|block| block.as_text()))
    }
}

async fn add(Args(add): Args<Add>) -> String {
    add.sum()
}

async fn shake_hands(peer: &Peer) -> Result<(), BoxError> {
    let client = Implementation::new("bench", "1.0.0");
    let params = InitializeParams::new(ProtocolVersion::LATEST_LEGACY, ClientCapabilities::default(), client);
    peer.request::<Initialize>(&params).await?;
    peer.notice::<Initialized>(&Empty::default()).await?;
    Ok(())
}

/// The server asks its client for nothing.
async fn refuse(message: Incoming) -> Result<Reply, BoxError> {
    Ok(Reply::error(ErrorObject::method_not_found(&message.method)))
}
