//! What `mgp approve --json` prints, as far as the page shows it.

use serde::Deserialize;
use serde_json::{Value, value::RawValue};

/// The answer of `mgp approve`.
#[derive(Debug, Deserialize)]
pub(super) struct Questions {
    pub(super) permissions: Vec<PermissionQuestion>,
    pub(super) confirmations: Vec<CallQuestion>,
    pub(super) servers: Vec<ServerQuestion>,
    #[serde(default)]
    pub(super) definitions: Vec<DefinitionQuestion>,
}

impl Questions {
    pub(super) fn is_empty(&self) -> bool {
        self.permissions.is_empty()
            && self.confirmations.is_empty()
            && self.servers.is_empty()
            && self.definitions.is_empty()
    }
}

/// A permission that a server needs.
#[derive(Debug, Deserialize)]
pub(super) struct PermissionQuestion {
    pub(super) request_id: String,
    pub(super) server_id: String,
    pub(super) permission: String,
    #[serde(default)]
    pub(super) tool_name: Option<String>,
    pub(super) asked_at: String,
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
    pub(super) every_time: bool,
    pub(super) asked_at: String,
}

/// A server that an agent wants.
#[derive(Debug, Deserialize)]
pub(super) struct ServerQuestion {
    pub(super) request_id: String,
    pub(super) agent_id: String,
    pub(super) server_id: String,
    pub(super) asked_for: Value,
    pub(super) asked_at: String,
}

/// A tool whose definition is another one than the accepted one.
#[derive(Debug, Deserialize)]
pub(super) struct DefinitionQuestion {
    pub(super) server_id: String,
    pub(super) tool_name: String,
    pub(super) breaking: bool,
    pub(super) listed_at: String,
}
