//! What a client says of itself, and what a handshake brings.

use super::Era;
use mgp_transport::seam::CallError;
use mgp_types::{
    mcp::{ClientCapabilities, Implementation, ProtocolVersion, ServerCapabilities},
    negotiation::{ExtensionSet, Negotiated},
};
use std::fmt;

/// What a client says of itself.
#[derive(Debug, Clone)]
pub(crate) struct Hello {
    pub(crate) client: Implementation,
    pub(crate) capabilities: ClientCapabilities,
    /// What it offers of MGP.
    pub(crate) offered: Option<ExtensionSet>,
}

/// What a handshake brought.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Greeting {
    /// The revision of MCP that is spoken.
    pub version: ProtocolVersion,
    /// What the server can do.
    pub capabilities: ServerCapabilities,
    /// Who the server says it is. Not to be trusted.
    pub server_info: Implementation,
    /// How to use the server, for a model.
    pub instructions: Option<String>,
    /// What was negotiated; none with a plain MCP server.
    pub negotiated: Option<Negotiated>,
}

impl Greeting {
    /// The era of the revision that is spoken.
    #[must_use]
    pub fn era(&self) -> Era {
        if self.version.is_stateless() { Era::Stateless } else { Era::Initialize }
    }
}

/// Why there is no connection with a server.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum HandshakeError {
    /// The server refused, or is gone.
    #[error("failed to shake hands: {0}")]
    Call(#[from] CallError),
    /// The server speaks a revision of MCP that is not known here.
    #[error("failed to shake hands: the server speaks MCP {found}, expected one of {known}", known = known_versions())]
    Version {
        /// What it speaks.
        found: String,
    },
    /// The server ended when it was asked which revisions it speaks: it must be started anew, and not be asked.
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
