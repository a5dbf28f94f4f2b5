//! The answer of `mgp tools show`, as far as the page shows it.

use mgp_types::{json::RawJson, mcp::ToolAnnotations, tool_check::ToolQuota};
use serde::Deserialize;

/// The answer of `mgp tools show`.
#[derive(Debug, Deserialize)]
pub(super) struct ToolReport {
    pub(super) name: String,
    pub(super) server_id: String,
    #[serde(default)]
    pub(super) server_state: Option<String>,
    #[serde(default)]
    pub(super) tool_name: String,
    #[serde(default)]
    pub(super) description: Option<String>,
    #[serde(default)]
    pub(super) risk_level: String,
    #[serde(default)]
    pub(super) risk_reason: String,
    #[serde(default)]
    pub(super) validators: Vec<String>,
    /// The sentence that states whether somebody is asked before a call.
    #[serde(default)]
    pub(super) asked: String,
    #[serde(default)]
    pub(super) permissions: Vec<PermissionRow>,
    #[serde(default)]
    pub(super) confinement: Option<String>,
    #[serde(default)]
    pub(super) secrets: String,
    #[serde(default)]
    pub(super) invalid_permissions: Vec<String>,
    #[serde(default)]
    pub(super) pinned: PinStanding,
    #[serde(default)]
    pub(super) expectation: Expectation,
    #[serde(default)]
    pub(super) access: Vec<AccessRow>,
    /// The parts of the definition that are shown otherwise.
    #[serde(default)]
    pub(super) changes: Vec<String>,
    pub(super) definition: RawJson,
}

/// A permission that the tool needs, and its state.
#[derive(Debug, Deserialize)]
pub(super) struct PermissionRow {
    pub(super) permission: String,
    pub(super) state: String,
}

/// The state of the pinned definition.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct PinStanding {
    pub(super) state: String,
    pub(super) reason: Option<String>,
}

/// The expected time and cost of a call.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Expectation {
    pub(super) latency: Option<String>,
    pub(super) quota: Option<ToolQuota>,
    pub(super) measured: Vec<LatencyRow>,
}

/// The latency that a gateway measured.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct LatencyRow {
    pub(super) calls: u64,
    pub(super) p50_ms: u64,
    pub(super) p95_ms: u64,
}

/// The access of an agent.
#[derive(Debug, Deserialize)]
pub(super) struct AccessRow {
    pub(super) agent: String,
    pub(super) permission: String,
    #[serde(default)]
    pub(super) source: String,
    #[serde(default)]
    pub(super) role: Option<String>,
    #[serde(default)]
    pub(super) policy: Option<String>,
}

/// The parts of a definition that the page shows.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Definition {
    pub(super) title: Option<String>,
    pub(super) input_schema: Option<RawJson>,
    pub(super) output_schema: Option<RawJson>,
    pub(super) annotations: Option<ToolAnnotations>,
}

impl ToolReport {
    /// Returns the parts of the definition. A definition of another form has none.
    pub(super) fn parts(&self) -> Definition {
        self.definition.decode().unwrap_or_default()
    }
}
