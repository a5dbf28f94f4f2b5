//! The gateways of others, each with its defaults. A new one is a file and a line here.

mod context_forge;
mod fastmcp;
mod mcp_proxy;
mod mcp_proxy_python;
mod package;
mod peer;
mod supergateway;

pub(super) use peer::Peer;

/// The gateways that ours is compared with.
pub(super) static PEERS: [&Peer; 5] =
    [&mcp_proxy::PEER, &fastmcp::PEER, &mcp_proxy_python::PEER, &supergateway::PEER, &context_forge::PEER];
