//! Connects to a server, does the handshake with it and reads its lists.

use super::{Endpoint, Link, Server, inbound::Inbound, listing::list_tools, shared::Seat};
use crate::session::{self, AgreedConnection, ConnectError, Hello, ServerConnection};
use mgp_discovery::config::HostFeature;
use mgp_transport::{
    connection::{Builder, Connection},
    seam::Session,
};
use mgp_types::{
    json::RawJson,
    mcp::{ClientCapabilities, Implementation},
    negotiation::{Extension, ExtensionSet},
};
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
    for extension in
        [Extension::Security, Extension::Audit, Extension::Lifecycle, Extension::Streaming, Extension::Events]
    {
        offered.insert(extension);
    }
    offered
}

/// Returns the extensions that the kernel offers to one server: callbacks only if the server may ask by them, and to a shared server only those
/// whose messages name no others by ids, because the kernels that share it have different ones.
fn offered_to(server: &Server) -> ExtensionSet {
    if server.spec.shared {
        return [Extension::Security, Extension::Lifecycle].into_iter().collect();
    }
    let mut offered = offered_extensions();
    if server.spec.host_features.contains(&HostFeature::Callback) {
        offered.insert(Extension::Callbacks);
    }
    offered
}

/// Connects to a server, whose messages `inbound` handles, and returns the connection and the link for calls once the server's lists are read,
/// with the kernel's seat at the server's process.
///
/// # Errors
/// The text that says why the server cannot be reached.
pub(super) async fn connect(
    server: &Arc<Server>,
    inbound: &Inbound,
) -> Result<(ServerConnection, Arc<Link>, Seat), String> {
    let hello = Hello {
        client: Implementation::new("mgp", env!("CARGO_PKG_VERSION")),
        capabilities: offered_features(server),
        offered: Some(offered_to(server)),
    };
    let limit = server.spec.startup_timeout;
    let (agreed, seat) = agree(server, inbound, hello, limit).await?;
    let AgreedConnection { mut connection, session, left } = agreed;
    let link = Link::new(session);
    let listed = async {
        server.set_tools(list_tools(&link, server).await?);
        tokio::join!(server.offers.read_resources(server, &link), server.offers.read_prompts(server, &link));
        Ok::<_, mgp_transport::seam::CallError>(())
    };
    let discovery = server.spec.discovery_timeout;
    let error = match tokio::time::timeout(left.min(discovery), listed).await {
        Ok(Ok(())) => return Ok((connection, Arc::new(link), seat)),
        Ok(Err(error)) => format!("failed to list its tools: {error}"),
        Err(_) if discovery < left => {
            format!("took longer than {discovery:?} to list its tools (servers[].mgp.discovery_timeout_ms)")
        }
        Err(_) => format!(
            "took longer than {limit:?} to start, to shake hands and to list its tools (servers[].mgp.startup_timeout_ms)"
        ),
    };
    Err(connection.explain(error).await)
}

/// Opens a connection to a server and performs the handshake.
async fn agree(
    server: &Arc<Server>,
    inbound: &Inbound,
    hello: Hello,
    limit: Duration,
) -> Result<(AgreedConnection, Seat), String> {
    #[cfg(all(unix, feature = "child"))]
    if let Endpoint::Child(command) = &server.spec.endpoint
        && server.spec.shared
        && let Some(agreed) = super::shared::connect(server, inbound, command, &hello, limit).await?
    {
        return Ok(agreed);
    }
    let open = || open(server, inbound);
    let era = server.spec.era.within(limit, server.spec.endpoint.is_http());
    let connected = session::connect(open, hello, Some(era), &server.era, limit).await;
    #[cfg(feature = "http")]
    let connected = match &server.spec.endpoint {
        Endpoint::Http { url, .. } => connected.map_err(|error| error.at(url)),
        _ => connected,
    };
    Ok((connected.map_err(|error| error.to_string())?, Seat::Alone))
}

/// Returns the builder of a connection to a server.
pub(super) fn builder(server: &Server, inbound: &Inbound) -> Builder<Inbound> {
    // Names the server in what is logged about its messages.
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let session = Session::new(&format!("server-{}-{number}", server.id()));
    Connection::builder(inbound.clone()).session(session)
}

/// Opens a connection to a server.
fn open(server: &Server, inbound: &Inbound) -> Result<ServerConnection, ConnectError> {
    let builder = builder(server, inbound);
    Ok(match &server.spec.endpoint {
        #[cfg(feature = "child")]
        Endpoint::Child(command) => {
            let command = server.confined_by(command, server.granted());
            ServerConnection::child(&command, builder)?
        }
        #[cfg(feature = "http")]
        Endpoint::Http { url, config } => ServerConnection::http(url, config.clone(), builder)?,
        Endpoint::InProcess(server) => {
            let (input, output) = server.connect();
            ServerConnection::over(builder.over(input, output))
        }
        Endpoint::Unusable(fault) => return Err(io::Error::other(fault.clone()).into()),
    })
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
            // An extension of MGP, and no capability of MCP.
            HostFeature::Callback => continue,
        };
        if let Ok(settings) = RawJson::parse(settings) {
            capabilities.0.insert_named(feature.as_str(), settings);
        }
    }
    capabilities
}
