//! A key as it is stored.

use jiff::Timestamp;
use mgp_transport::seam::Authentication;
use mgp_types::{
    context::{KeyScopes, Principal},
    lifecycle::OperatorRole,
};
use std::{sync::Arc, time::SystemTime};

/// The most scopes that a key may have.
pub const MAX_SCOPES: usize = 64;

/// The SHA-256 of a key's text.
pub type KeyHash = [u8; 32];

/// A key as it is stored: never its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredKey {
    /// The name of the key in logs, limits and commands. A replaced key and its successor have the same name.
    pub name: String,
    /// The SHA-256 of the key's text.
    pub hash: KeyHash,
    /// The agent that the key's owner calls for.
    pub agent: String,
    /// True if the key's owner may grant, approve and read the audit.
    pub admin: bool,
    /// The role in the console of a key that opens only the console, and calls for no agent.
    pub console: Option<OperatorRole>,
    /// The scopes that narrow what the key may do, separated by spaces; if empty, it may do everything that its agent may.
    pub scopes: String,
    /// The time at which the key was made.
    pub created_at: Timestamp,
    /// The time at which the key expires; `None` if it does not.
    pub expires_at: Option<Timestamp>,
    /// The time at which the key was last used, to the minute.
    pub last_used: Option<Timestamp>,
}

impl StoredKey {
    /// Returns whether the key is accepted at a time.
    #[must_use]
    pub fn holds_at(&self, now: Timestamp) -> bool {
        self.expires_at.is_none_or(|end| now < end)
    }

    /// Returns the role with which the key's owner signs in to the console; `None` if the key does not open it.
    #[must_use]
    pub fn console_role(&self) -> Option<OperatorRole> {
        // Scopes narrow what a key may do, and no scope is about the console.
        let admin = (self.admin && self.scopes.is_empty()).then_some(OperatorRole::Admin);
        self.console.or(admin)
    }

    /// Returns the rights of the key's owner.
    pub(super) fn rights(&self) -> Authentication {
        let agent = Principal::agent(&self.agent);
        let owner = if self.admin { agent.with_admin() } else { agent };
        // A text without any scope in it, from a row edited by hand, allows nothing.
        let principal = match &*self.scopes {
            "" => owner,
            scopes => owner.narrowed_to(KeyScopes::new(&self.name, scopes)),
        };
        Authentication {
            expires: self.expires_at.map(SystemTime::from),
            key: Some(Arc::from(&*self.name)),
            ..Authentication::new(principal)
        }
    }
}
