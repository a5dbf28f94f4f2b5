//! Connects to a server and does the handshake with it.

use super::{Endpoint, Link, Server, envelopes::Envelopes, inbound::Inbound};
use crate::{
    handshake::{Era, EraChoice, HandshakeError, Hello, shake_hands},
    transport::Transport,
};
use mgp_discovery::config::HostFeature;
use mgp_transport::{
    connection::Connection,
    seam::{CallError, Peer, Session},
};
use mgp_types::{
    json::RawJson,
    mcp::{ClientCapabilities, Implementation},
    negotiation::{Extension, ExtensionSet},
};
use parking_lot::Mutex;
use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

/// Returns the extensions that the kernel offers to a server (§2.2).
pub(crate) fn offered_extensions() -> ExtensionSet {
    let mut offered = ExtensionSet::EMPTY;
    for extension in [Extension::Security, Extension::Audit, Extension::Lifecycle, Extension::Streaming] {
        offered.insert(extension);
    }
    offered
}

/// An error of connecting to a server.
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
    TimeLimit(Duration),
}

/// A connection to a server, before the handshake.
pub(super) struct Open {
    pub(super) transport: Transport,
    #[cfg(feature = "child")]
    pub(super) process: Option<mgp_transport::child::ChildProcess>,
}

/// Connects to a server, before the handshake.
pub(super) fn open(server: &Arc<Server>, inbound: Inbound) -> Result<Open, ConnectError> {
    // Names the server in what is logged about its messages.
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let session = Session::new(&format!("server-{}-{number}", server.id()));
    let builder = Connection::builder(inbound).session(session);
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

/// Returns what a server may ask of hosts, as the kernel declares it before any host is known. To a server of a stateless revision,
/// each call declares what its own host can do.
fn offered_features(server: &Server) -> ClientCapabilities {
    let mut capabilities = ClientCapabilities::default();
    for feature in &server.spec.host_features {
        let settings = match feature {
            HostFeature::Sampling => "{}",
            HostFeature::Elicitation => r#"{"form":{},"url":{}}"#,
            HostFeature::Roots => r#"{"listChanged":true}"#,
        };
        if let Ok(settings) = RawJson::parse(settings) {
            capabilities.0.insert_named(feature.as_str(), settings);
        }
    }
    capabilities
}

/// Does the handshake, and returns the link for calls. `era` is the era that an attempt just before has shown.
pub(super) async fn greet(server: &Server, peer: &Peer, era: Option<Era>) -> Result<Link, ConnectError> {
    let client = Implementation::new("mgp", env!("CARGO_PKG_VERSION"));
    let hello = Hello { client, capabilities: offered_features(server), offered: Some(offered_extensions()) };
    let choice = era.or_else(|| server.known_era(None)).map_or_else(|| asking(server), EraChoice::Known);
    let greeting = match shake_hands(peer, hello, choice).await {
        Ok(greeting) => greeting,
        Err(error) => {
            // Another program may stand in its place: the next attempt asks.
            server.forget_era();
            return Err(error.into());
        }
    };
    server.known_era(Some(greeting.era()));
    Ok(Link {
        peer: peer.clone(),
        negotiated: greeting.negotiated,
        info: greeting.server_info,
        protocol_version: greeting.version,
        capabilities: greeting.capabilities,
        instructions: greeting.instructions.filter(|text| !text.trim().is_empty()).map(Arc::from),
        envelopes: Envelopes::default(),
        told: Mutex::default(),
        log_level: Mutex::default(),
    })
}

/// Returns the choice of era that the operator configured. A probe leaves enough time to speak to a silent server in the other era.
fn asking(server: &Server) -> EraChoice {
    match server.spec.era {
        // Over HTTP, silence says nothing of the era.
        EraChoice::Auto { .. } if server.spec.endpoint.is_http() => {
            EraChoice::Auto { probe_time_limit: Duration::MAX }
        }
        EraChoice::Auto { probe_time_limit } => {
            EraChoice::Auto { probe_time_limit: probe_time_limit.min(server.spec.startup_time_limit / 2) }
        }
        known => known,
    }
}
