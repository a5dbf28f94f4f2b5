//! What holds on a connection.

use super::{Carrier, Compatibility, Extension, ExtensionSet, MgpVersion};
use crate::context::TrustLevel;
use std::sync::Arc;

/// What was negotiated on a connection. A clone is cheap; layers find it in a message's extensions. A connection without
/// it is plain MCP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Negotiated {
    /// The peer's version of MGP.
    pub version: MgpVersion,
    /// What both sides have.
    pub extensions: ExtensionSet,
    /// Where the peer's object stood.
    pub carrier: Carrier,
    /// The server's name for itself.
    pub server_id: Option<Arc<str>>,
    /// The permissions that the server needs, by name, as it wrote them.
    pub permissions_required: Arc<[String]>,
    /// How far the server wants to be trusted; can lower what the configuration says, never raise it.
    pub claimed_trust: Option<TrustLevel>,
}

impl Negotiated {
    /// Whether both sides have an extension.
    #[must_use]
    pub const fn has(&self, extension: Extension) -> bool {
        self.extensions.contains(extension)
    }

    /// Whether the peer's minor version is another one, which is worth a warning.
    #[must_use]
    pub fn minor_differs(&self) -> bool {
        self.version.compatibility() == Compatibility::OtherMinor
    }
}
