//! Reaches a server and does the handshake with it.

use super::{Endpoint, Link, Server, inbound::Inbound};
use crate::handshake::{HandshakeError, shake_hands};
use mgp_transport::{
    connection::{Connection, ConnectionError},
    seam::{CallError, Peer},
};
use mgp_types::{
    mcp::{ClientCapabilities, Implementation},
    negotiation::{Extension, ExtensionSet},
};
use std::{
    io,
    sync::{Arc, Mutex},
};

/// What the kernel offers a server (§2.2).
pub(crate) fn offered_extensions() -> ExtensionSet {
    let mut offered = ExtensionSet::EMPTY;
    for extension in [Extension::Security, Extension::Audit, Extension::Lifecycle, Extension::Streaming] {
        offered.insert(extension);
    }
    offered
}

/// Why a server could not be reached.
#[derive(Debug, thiserror::Error)]
pub(super) enum ConnectError {
    #[error("{0}")]
    Start(#[from] io::Error),
    #[cfg(feature = "http")]
    #[error("{0}")]
    Http(#[from] mgp_transport::http::client::HttpClientError),
    #[error("{0}")]
    Handshake(#[from] HandshakeError),
    #[error("failed to list its tools: {0}")]
    Listing(CallError),
    #[error("took longer than {0:?} to start and shake hands")]
    TimeLimit(std::time::Duration),
}

/// A server that was reached, before the handshake.
pub(super) struct Open {
    pub(super) transport: Transport,
    #[cfg(feature = "child")]
    pub(super) process: Option<mgp_transport::child::ChildProcess>,
}

/// The connection, which ends when this is dropped.
pub(super) enum Transport {
    Stream(Connection),
    #[cfg(feature = "http")]
    Http(mgp_transport::http::client::HttpConnection),
}

impl Transport {
    pub(super) fn peer(&self) -> &Peer {
        match self {
            Self::Stream(connection) => connection.peer(),
            #[cfg(feature = "http")]
            Self::Http(connection) => connection.peer(),
        }
    }

    /// Ends the connection and waits until what was under way is written.
    pub(super) async fn close(self) -> ConnectionError {
        match self {
            Self::Stream(connection) => {
                connection.peer().close();
                connection.closed().await
            }
            #[cfg(feature = "http")]
            Self::Http(connection) => {
                connection.close().await;
                ConnectionError::Shutdown
            }
        }
    }
}

/// Reaches a server.
pub(super) fn open(server: &Arc<Server>, inbound: Inbound) -> Result<Open, ConnectError> {
    let builder = Connection::builder(inbound);
    match &server.spec.endpoint {
        #[cfg(feature = "child")]
        Endpoint::Child(command) => {
            let (connection, process) = command.connect(builder)?;
            Ok(Open { transport: Transport::Stream(connection), process: Some(process) })
        }
        #[cfg(feature = "http")]
        Endpoint::Http { url, config } => {
            let connection = mgp_transport::http::client::HttpClient::connect(url, config.clone(), builder)?;
            Ok(Open {
                transport: Transport::Http(connection),
                #[cfg(feature = "child")]
                process: None,
            })
        }
        Endpoint::InProcess(server) => {
            let (input, output) = server.connect();
            Ok(Open {
                transport: Transport::Stream(builder.over(input, output)),
                #[cfg(feature = "child")]
                process: None,
            })
        }
    }
}

/// Does the handshake and keeps the connection for calls.
pub(super) async fn greet(peer: &Peer) -> Result<Link, ConnectError> {
    let client = Implementation::new("mgp", env!("CARGO_PKG_VERSION"));
    let greeting =
        shake_hands(peer, client, ClientCapabilities::default(), Some(offered_extensions())).await?;
    Ok(Link {
        peer: peer.clone(),
        negotiated: greeting.negotiated,
        info: greeting.server.server_info,
        protocol_version: greeting.server.protocol_version,
        told: Mutex::default(),
    })
}
