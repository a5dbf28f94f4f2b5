//! The answers of `mgp tools list` and `mgp tools search`, as far as the page shows them.

use mgp_types::permission::WaitingTools;
use serde::Deserialize;

/// The answer of `mgp tools list`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ToolList {
    pub(super) agent: String,
    /// A part of the tools that fit.
    pub(super) tools: Vec<ListedTool>,
    /// The number of tools that fit.
    pub(super) fitting: usize,
    /// The number of all tools that the agent may call.
    pub(super) available: usize,
    /// The servers of all these tools.
    pub(super) servers: Vec<String>,
    /// The tools that are hidden because a permission that they need is undecided.
    pub(super) waiting: Vec<WaitingTools>,
    /// The tools that are hidden for another reason.
    pub(super) closed: Vec<ClosedTools>,
    /// The tools whose definition differs from the accepted one.
    pub(super) changed: Vec<String>,
    /// The tools with a suspicious definition.
    pub(super) suspect: Vec<String>,
    pub(super) not_connected: Vec<String>,
}

/// A tool that an agent may call.
#[derive(Debug, Deserialize)]
pub(super) struct ListedTool {
    pub(super) name: String,
    pub(super) server_id: String,
    pub(super) risk_level: String,
    #[serde(default)]
    pub(super) description: Option<String>,
}

/// Tools of a server that are hidden.
#[derive(Debug, Deserialize)]
pub(super) struct ClosedTools {
    pub(super) server_id: String,
    pub(super) reason: String,
}

/// The answer of `mgp tools search`.
#[derive(Debug, Deserialize)]
pub(super) struct SearchReport {
    #[serde(default)]
    pub(super) tools: Vec<FoundTool>,
    #[serde(default)]
    pub(super) why: Vec<MatchReasons>,
    #[serde(default)]
    pub(super) total_available: u64,
    #[serde(default)]
    pub(super) search_strategy: String,
    #[serde(default)]
    pub(super) query_time_ms: u64,
    #[serde(default, rename = "_mgp")]
    pub(super) notes: Option<SearchNotes>,
}

/// A tool that fits a search.
#[derive(Debug, Deserialize)]
pub(super) struct FoundTool {
    pub(super) name: String,
    pub(super) server_id: String,
    #[serde(default)]
    pub(super) description: Option<String>,
    #[serde(default)]
    pub(super) relevance_score: f64,
    #[serde(default)]
    pub(super) security: Option<FoundRisk>,
}

/// The risk of a tool: as its server claims it, and as the gateway judges it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct FoundRisk {
    pub(super) risk_level: String,
    pub(super) effective_risk_level: Option<String>,
}

impl FoundTool {
    pub(super) fn risk(&self) -> &str {
        let risk = self.security.as_ref();
        risk.map_or("", |risk| risk.effective_risk_level.as_deref().unwrap_or(&risk.risk_level))
    }
}

/// The reasons for a match.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct MatchReasons {
    /// The fields that contain a word of the search.
    pub(super) fields: Vec<String>,
    pub(super) words: f64,
    pub(super) meaning: Option<f64>,
    pub(super) deprecated: bool,
}

/// Remarks on a search.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct SearchNotes {
    pub(super) hints: Vec<String>,
    pub(super) above_risk: Option<AboveRisk>,
}

/// The tools that would fit above the wanted risk.
#[derive(Debug, Deserialize)]
pub(super) struct AboveRisk {
    pub(super) tools: u64,
}
