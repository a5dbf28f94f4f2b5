//! The client's description of itself, and the result of a handshake.

use super::Era;
use mgp_transport::seam::CallError;
use mgp_types::{
    mcp::{ClientCapabilities, Implementation, ProtocolVersion, ServerCapabilities},
    negotiation::{ExtensionSet, Negotiation},
};
use std::fmt;

/// A client's description of itself.
#[derive(Debug, Clone)]
pub struct Hello {
    pub client: Implementation,
    pub capabilities: ClientCapabilities,
    /// The MGP extensions that the client offers, if any.
    pub offered: Option<ExtensionSet>,
}

/// The result of a handshake.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Greeting {
    /// The negotiated revision of MCP.
    pub version: ProtocolVersion,
    /// The capabilities of the server.
    pub capabilities: ServerCapabilities,
    /// The server's name and version, in its own statement. Not to be trusted.
    pub server_info: Implementation,
    /// Instructions for a model on how to use the server.
    pub instructions: Option<String>,
    /// The negotiated MGP version and extensions; `None` with a plain MCP server.
    pub negotiated: Option<Negotiation>,
}

impl Greeting {
    /// Returns the greeting of an earlier handshake, from its kept parts.
    #[doc(hidden)]
    #[must_use]
    pub fn kept(
        version: ProtocolVersion,
        capabilities: ServerCapabilities,
        server_info: Implementation,
        instructions: Option<String>,
        negotiated: Option<Negotiation>,
    ) -> Self {
        Self { version, capabilities, server_info, instructions, negotiated }
    }

    /// Returns the era of the negotiated revision.
    #[must_use]
    pub fn era(&self) -> Era {
        if self.version.is_stateless() { Era::Stateless } else { Era::Initialize }
    }
}

/// The error of a failed handshake.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum HandshakeError {
    /// The server refused, or is gone.
    #[error("failed to shake hands: {0}")]
    Call(#[from] CallError),
    /// The server's revision of MCP is not known here.
    #[error("failed to shake hands: the server speaks MCP {found}, expected one of {known}", known = known_versions())]
    Version {
        /// The server's revision.
        found: String,
    },
    /// The server ended when it was probed: it must be restarted, and used without probing.
    #[error("failed to shake hands: the server ended when it was asked which revisions of MCP it speaks")]
    EndedByProbe,
}

// A `main` that returns the error prints this form.
impl fmt::Debug for HandshakeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

fn known_versions() -> String {
    ProtocolVersion::LATEST_FIRST.map(ProtocolVersion::as_str).join(", ")
}
