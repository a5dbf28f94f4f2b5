//! One registered server.

use crate::config::ServerConfig;
use mgp_types::context::{Principal, TrustLevel};

/// A server that was registered while a kernel ran.
#[derive(Debug, Clone, PartialEq)]
pub struct Registration {
    /// How it is reached, and what it says of itself. It is sandboxed, and may ask nothing of hosts.
    pub server: ServerConfig,
    /// Who registered it: the authenticated caller.
    pub created_by: String,
    /// Whether that one had the admin role. Then only the admin role takes it away.
    pub by_admin: bool,
    /// When (RFC 3339).
    pub created_at: String,
    /// Why, in the words of who registered it.
    pub justification: Option<String>,
}

impl Registration {
    /// Its id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.server.id
    }

    /// Whether somebody registered it without the admin role.
    #[must_use]
    pub fn is_own_of(&self, caller: &Principal) -> bool {
        !self.by_admin && self.created_by == caller.id()
    }

    /// How far a registered server is trusted, whatever it or its request says.
    pub const TRUST: TrustLevel = TrustLevel::Sandboxed;
}
