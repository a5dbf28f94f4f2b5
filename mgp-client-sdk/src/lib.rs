//! MGP clients: a [`Client`](client::Client) of one server, and the [`Kernel`](kernel::Kernel) that stands between any host
//! and many servers. With the feature `cli`, the program `mgp`.
//!
//! | module | what it holds |
//! |---|---|
//! | [`client`] | a client of one server, which talks to it directly |
//! | [`kernel`] | many servers behind one pipeline: access, permissions, validators, audit, the tool index |

#[cfg(feature = "cli")]
pub mod cli;
pub mod client;
mod handshake;
pub mod kernel;

pub use handshake::{Greeting, HandshakeError};

pub use mgp_discovery::config::Config as Configuration;
pub use mgp_security::{
    access::AccessControl,
    audit::{AuditLog, AuditSink},
    permission::{Approver, PermissionRules},
};
pub use mgp_toolindex::exposure::Exposure;
#[cfg(feature = "child")]
pub use mgp_transport::child::ChildCommand;
#[cfg(feature = "http")]
pub use mgp_transport::http::client::HttpClientConfig;
pub use mgp_transport::{
    connection::Config as ConnectionConfig,
    seam::{CallError, CallEvent, Peer, PendingCall},
};
pub use mgp_types::{context::Principal, json::RawJson, mcp::CallToolResult};
