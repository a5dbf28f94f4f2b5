//! Ours: a server of our server SDK, and a client's typed call on its peer.

use super::STREAM;
use crate::{
    adder::{Add, NAME, server},
    measure::Caller,
};
use mgp_kernel::Era;
use mgp_transport::{
    connection::Connection,
    seam::{BoxError, Incoming, Peer, Reply},
};
use mgp_types::{
    json::RawJson,
    mcp::{
        CallTool, CallToolParams, ClientCapabilities, Implementation, Initialize, InitializeParams,
        Initialized, ProtocolVersion, stateless::RequestEnvelope,
    },
    rpc::{Empty, ErrorObject},
};
use std::{any::Any, sync::Arc};
use tokio::io::{DuplexStream, ReadHalf, WriteHalf};

/// A client that is connected to its server.
#[derive(Debug, Clone)]
pub(super) struct Ours {
    pub(super) peer: Peer,
    /// Dropping them would end the connections.
    _ends: Arc<dyn Any + Send + Sync>,
}

impl Ours {
    /// Connects to a server and shakes hands.
    pub(super) async fn connect() -> Result<Self, String> {
        let (here, there) = duplex();
        let server = server()?.connection().over(there.0, there.1);
        Self::greet(here, Era::Initialize, server).await
    }

    /// Greets the server at the other end of a stream in an era, and keeps the values that must live as long as the client.
    pub(super) async fn greet(end: End, era: Era, kept: impl Any + Send + Sync) -> Result<Self, String> {
        let client = Connection::builder(tower::service_fn(refuse)).over(end.0, end.1);
        match era {
            Era::Initialize => {
                shake_hands(client.peer())
                    .await
                    .map_err(|error| format!("failed to shake hands: {error}"))?;
            }
            // There is no handshake: each request describes its client.
            Era::Stateless => client.peer().speak_stateless(RequestEnvelope {
                version: ProtocolVersion::V2026_07_28,
                capabilities: ClientCapabilities::default(),
                client_info: Some(client_info()),
                log_level: None,
            }),
        }
        Ok(Self { peer: client.peer().clone(), _ends: Arc::new((client, kept)) })
    }

    /// Returns the same client, which keeps one more value for as long as it lives.
    pub(super) fn keeping(self, kept: impl Any + Send + Sync) -> Self {
        Self { peer: self.peer, _ends: Arc::new((self._ends, kept)) }
    }
}

/// One end of a byte stream in memory.
pub(super) type End = (ReadHalf<DuplexStream>, WriteHalf<DuplexStream>);

/// Returns a byte stream in memory, the same for every contestant.
pub(super) fn duplex() -> (End, End) {
    let (here, there) = tokio::io::duplex(STREAM);
    (tokio::io::split(here), tokio::io::split(there))
}

impl Caller for Ours {
    async fn call(&self, number: i64) -> Result<(), String> {
        let add = Add::of(number);
        let arguments = RawJson::from_value(&add).map_err(|error| error.to_string())?;
        let params = CallToolParams::new(NAME, arguments);
        let result = self.peer.request::<CallTool>(&params).await.map_err(|error| error.to_string())?;
        add.check(result.content.first().and_then(|block| block.as_text()))
    }
}

fn client_info() -> Implementation {
    Implementation::new("bench", "1.0.0")
}

async fn shake_hands(peer: &Peer) -> Result<(), BoxError> {
    let params =
        InitializeParams::new(ProtocolVersion::LATEST_LEGACY, ClientCapabilities::default(), client_info());
    peer.request::<Initialize>(&params).await?;
    peer.notice::<Initialized>(&Empty::default()).await?;
    Ok(())
}

/// Refuses every message: the server asks its client for nothing.
pub(super) async fn refuse(message: Incoming) -> Result<Reply, BoxError> {
    Ok(Reply::error(ErrorObject::method_not_found(&message.method)))
}
