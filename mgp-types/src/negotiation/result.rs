//! The result of the negotiation on a connection.

use super::{Carrier, Compatibility, Extension, ExtensionSet, MgpVersion};
use crate::context::TrustLevel;
use std::sync::Arc;

/// The result of the negotiation on a connection. A clone is cheap; layers find it in a message's extensions. A
/// connection without one is plain MCP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Negotiation {
    /// The peer's version of MGP.
    pub version: MgpVersion,
    /// The extensions that both sides have.
    pub extensions: ExtensionSet,
    /// The place of the peer's object.
    pub carrier: Carrier,
    /// The server's name for itself.
    pub server_id: Option<Arc<str>>,
    /// The permissions that the server needs, by name, as the server wrote them.
    pub permissions_required: Arc<[String]>,
    /// The trust level that the server claims; it can lower the configured level, never raise it.
    pub claimed_trust: Option<TrustLevel>,
}

impl Negotiation {
    /// Returns whether both sides have an extension.
    #[must_use]
    pub const fn has(&self, extension: Extension) -> bool {
        self.extensions.contains(extension)
    }

    /// Returns whether the peer's minor version differs, which is worth a warning.
    #[must_use]
    pub fn minor_differs(&self) -> bool {
        self.version.compatibility() == Compatibility::OtherMinor
    }
}
