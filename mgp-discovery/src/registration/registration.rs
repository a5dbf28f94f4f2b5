//! One registered server.

use crate::config::ServerConfig;
use mgp_types::context::{Principal, TrustLevel};

/// A server that was registered while a kernel ran.
#[derive(Debug, Clone, PartialEq)]
pub struct Registration {
    /// The server, as its request describes it. The server is sandboxed, and may not send requests to hosts.
    pub server: ServerConfig,
    /// The id of the authenticated caller that registered the server.
    pub created_by: String,
    /// True if that caller had the admin role. Then only the admin role can remove the server.
    pub by_admin: bool,
    /// The time of the registration (RFC 3339).
    pub created_at: String,
    /// The reason for the registration, in the caller's words.
    pub justification: Option<String>,
}

impl Registration {
    /// Returns the id of the server.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.server.id
    }

    /// Returns whether `caller` registered the server, without the admin role.
    #[must_use]
    pub fn is_own_of(&self, caller: &Principal) -> bool {
        !self.by_admin && self.created_by == caller.id()
    }

    /// The trust in a registered server, regardless of the server's own claims and of its request.
    pub const TRUST: TrustLevel = TrustLevel::Sandboxed;
}
