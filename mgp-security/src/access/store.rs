//! Where rules are kept.

use super::UnreadableRule;
use crate::follow::{StoreError, StoredRows};
use async_trait::async_trait;
use mgp_types::access::{AccessEntry, EntryType};
#[cfg(feature = "sqlite")]
use mgp_types::json::Nullable;
use std::fmt;

/// Where rules are kept: one for each [`AccessKey`].
#[async_trait]
pub trait AccessStore: fmt::Debug + Send + Sync + 'static {
    /// Reads every rule.
    async fn load(&self) -> Result<StoredRows<AccessEntry, UnreadableRule>, StoreError>;

    /// Keeps a rule; it replaces the one with the same key, and what cannot be read and is about the same.
    async fn put(&self, entry: AccessEntry) -> Result<(), StoreError>;

    /// Removes a rule and returns it, where there was one; one that cannot be read, without what it says.
    async fn remove(&self, key: AccessKey) -> Result<Option<AccessEntry>, StoreError>;

    /// A number that is another one when somebody else has changed the rules.
    async fn version(&self) -> Result<i64, StoreError>;
}

/// What a rule is for. There is one rule for each.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AccessKey {
    /// How far it reaches.
    pub entry_type: EntryType,
    /// Whose it is.
    pub agent_id: String,
    /// The server.
    pub server_id: String,
    /// The tool, for a tool grant.
    pub tool_name: Option<String>,
}

impl AccessKey {
    /// A rule for this that cannot be read, without what it says.
    #[cfg(feature = "sqlite")]
    pub(super) fn unreadable(self) -> AccessEntry {
        AccessEntry {
            entry_type: self.entry_type,
            agent_id: self.agent_id,
            server_id: self.server_id,
            tool_name: self.tool_name.into(),
            permission: None,
            granted_by: Nullable::Absent,
            granted_at: Nullable::Absent,
            expires_at: Nullable::Absent,
            justification: Nullable::Absent,
        }
    }
}

impl From<&AccessEntry> for AccessKey {
    fn from(entry: &AccessEntry) -> Self {
        Self {
            entry_type: entry.entry_type,
            agent_id: entry.agent_id.clone(),
            server_id: entry.server_id.clone(),
            tool_name: entry.tool_name.get().cloned(),
        }
    }
}
