//! The store of access rules.

use super::{StoreError, UnreadableRule};
use crate::stored_rows::StoredRows;
use async_trait::async_trait;
use mgp_types::access::{AccessEntry, EntryType};
#[cfg(feature = "sqlite")]
use mgp_types::json::Nullable;
use std::fmt;

/// A store of access rules: one rule for each [`AccessKey`].
#[async_trait]
pub trait AccessStore: fmt::Debug + Send + Sync + 'static {
    /// Reads every rule.
    async fn load(&self) -> Result<StoredRows<AccessEntry, UnreadableRule>, StoreError>;

    /// Stores a rule, which replaces the rule with the same key, and any unreadable rule for the same agent, server and tool.
    async fn put(&self, entry: AccessEntry) -> Result<(), StoreError>;

    /// Removes a rule, and returns it if it existed. For an unreadable rule, only its key is returned.
    async fn remove(&self, key: AccessKey) -> Result<Option<AccessEntry>, StoreError>;

    /// Returns a number that changes when another process has changed the rules. It shows every change that was made before the call.
    async fn version(&self) -> Result<i64, StoreError>;
}

/// The key of a rule. There is at most one rule for each key.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AccessKey {
    /// The scope of the rule.
    pub entry_type: EntryType,
    /// The id of the agent that the rule is for.
    pub agent_id: String,
    /// The server.
    pub server_id: String,
    /// The tool, for a tool grant.
    pub tool_name: Option<String>,
}

impl AccessKey {
    /// Returns a rule with only this key, for a rule that cannot be read.
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
