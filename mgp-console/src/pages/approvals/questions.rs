//! The JSON of `mgp approve`, as far as the page shows it.

use serde::Deserialize;
use serde_json::{Value, value::RawValue};
use sha2::{Digest, Sha256};

/// The answer of `mgp approve`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Questions {
    pub(super) permissions: Vec<PermissionQuestion>,
    pub(super) confirmations: Vec<CallQuestion>,
    pub(super) servers: Vec<ServerQuestion>,
    pub(super) definitions: Vec<DefinitionQuestion>,
    pub(super) unreadable: Vec<UnreadablePermission>,
}

impl Questions {
    pub(super) const fn is_empty(&self) -> bool {
        self.permissions.is_empty()
            && self.confirmations.is_empty()
            && self.servers.is_empty()
            && self.definitions.is_empty()
            && self.unreadable.is_empty()
    }

    /// Returns a short mark of all questions, with which a page knows whether it shows the present ones.
    pub(super) fn mark(&self) -> String {
        let permissions = self.permissions.iter().map(|row| row.request_id.as_str());
        let calls = self.confirmations.iter().map(|row| row.request_id.as_str());
        let servers = self.servers.iter().map(|row| row.request_id.as_str());
        let definitions = self.definitions.iter().map(|row| row.listed_sha256.as_str());
        let mut ids: Vec<_> = permissions.chain(calls).chain(servers).chain(definitions).collect();
        ids.sort_unstable();
        let hash = Sha256::digest(ids.join("\n"));
        hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
    }
}

/// A permission that a server needs.
#[derive(Debug, Deserialize)]
pub(super) struct PermissionQuestion {
    pub(super) request_id: String,
    pub(super) server_id: String,
    pub(super) permission: String,
    #[serde(default)]
    pub(super) state: String,
    #[serde(default)]
    pub(super) tool_name: Option<String>,
    pub(super) asked_at: String,
    #[serde(default)]
    pub(super) decided_by: Option<String>,
    #[serde(default)]
    pub(super) expires_at: Option<String>,
    /// The limits, by their kind, such as `{"paths": ["/srv"]}`.
    #[serde(default)]
    pub(super) scope: Option<Value>,
    /// The number of tools that wait for the permission.
    #[serde(default)]
    pub(super) waiting_tools: Option<u64>,
}

/// A call that needs confirmation.
#[derive(Debug, Deserialize)]
pub(super) struct CallQuestion {
    pub(super) request_id: String,
    pub(super) agent_id: String,
    pub(super) server_id: String,
    pub(super) tool_name: String,
    pub(super) arguments: Box<RawValue>,
    pub(super) risk: String,
    pub(super) reason: String,
    #[serde(default)]
    pub(super) intent: Option<String>,
    #[serde(default)]
    pub(super) estimate: Option<String>,
    #[serde(default)]
    pub(super) every_time: bool,
    /// The first question of its group, if several belong together.
    #[serde(default)]
    pub(super) group: Option<String>,
    #[serde(default)]
    pub(super) pattern: Option<Value>,
    #[serde(default)]
    pub(super) session_only: bool,
    #[serde(default)]
    pub(super) state: String,
    pub(super) asked_at: String,
    #[serde(default)]
    pub(super) expires_at: Option<String>,
    #[serde(default)]
    pub(super) trace_id: Option<String>,
    #[serde(default)]
    pub(super) decided_by: Option<String>,
    #[serde(default)]
    pub(super) decided_at: Option<String>,
}

/// A server that an agent wants.
#[derive(Debug, Deserialize)]
pub(super) struct ServerQuestion {
    pub(super) request_id: String,
    pub(super) agent_id: String,
    pub(super) server_id: String,
    #[serde(default)]
    pub(super) state: String,
    pub(super) asked_for: Box<RawValue>,
    pub(super) asked_at: String,
    #[serde(default)]
    pub(super) denied_by: Option<String>,
}

/// A tool whose definition is another one than the accepted one.
#[derive(Debug, Deserialize)]
pub(super) struct DefinitionQuestion {
    pub(super) server_id: String,
    pub(super) tool_name: String,
    #[serde(default)]
    pub(super) held: bool,
    #[serde(default)]
    pub(super) breaking: bool,
    /// False if only the hashes can be compared.
    #[serde(default)]
    pub(super) compared: bool,
    pub(super) listed_sha256: String,
    pub(super) listed_at: String,
    #[serde(default)]
    pub(super) differences: Vec<Difference>,
    #[serde(default)]
    pub(super) left_out: u64,
    #[serde(default)]
    pub(super) old_version: Option<String>,
    #[serde(default)]
    pub(super) new_version: Option<String>,
}

/// A difference of two definitions.
#[derive(Debug, Deserialize)]
pub(super) struct Difference {
    pub(super) path: String,
    pub(super) effect: String,
    #[serde(default)]
    pub(super) old: Option<Value>,
    #[serde(default)]
    pub(super) new: Option<Value>,
}

/// A row about a permission that cannot be read.
#[derive(Debug, Deserialize)]
pub(super) struct UnreadablePermission {
    #[serde(default)]
    pub(super) server_id: Option<String>,
    #[serde(default)]
    pub(super) permission: Option<String>,
    pub(super) problem: String,
}
