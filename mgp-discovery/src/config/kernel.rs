//! `[kernel]`: who calls, what a host sees, and how much there may be of anything.

use super::{refusals::RefusalForm, text::Text, tool_index::ToolIndexConfig};
use mgp_types::{
    access::DefaultPolicy,
    tool_index::{Exposure, ToolContextBudget},
};
use serde::{Deserialize, Serialize};

/// The `[kernel]` table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct KernelConfig {
    /// The agent that a local host calls for.
    pub agent: String,
    /// Which tools a host is shown.
    pub exposure: Exposure,
    /// Tools that are always shown, as `server__tool` or by the name they are shown under.
    pub pinned: Vec<String>,
    /// Where the kernel keeps its state; the platform's folder where absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state_dir: Option<Text>,
    /// What holds for an agent and a server that nothing was granted for (§5.5).
    pub default_policy: DefaultPolicy,
    /// How long one call may take, in milliseconds.
    pub call_timeout_ms: u64,
    /// How long a host may take to answer what it is asked, in milliseconds.
    pub question_timeout_ms: u64,
    /// How long a host's first requests wait for servers that are starting, in milliseconds.
    pub start_wait_ms: u64,
    /// How many tools a search returns where it does not say.
    pub search_results: usize,
    /// What the kernel says of itself to hosts, in front of the list of its servers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// The number of tokens that the list of servers may take, and what servers say of themselves.
    pub instructions_tokens: u64,
    /// How a refusal of a tool call is answered.
    pub refusals: RefusalForm,
    /// How many tokens of tool definitions may come before a model (§16.8).
    pub tool_context_budget: ToolContextBudget,
    /// What finds the meaning of tools and of queries.
    pub tool_index: ToolIndexConfig,
    /// How much there may be of anything.
    pub limits: Limits,
}

impl Default for KernelConfig {
    fn default() -> Self {
        Self {
            agent: "local".to_owned(),
            exposure: Exposure::default(),
            pinned: Vec::new(),
            state_dir: None,
            default_policy: DefaultPolicy::OptIn,
            call_timeout_ms: 60_000,
            question_timeout_ms: 300_000,
            start_wait_ms: 10_000,
            search_results: 5,
            instructions: None,
            instructions_tokens: 1000,
            refusals: RefusalForm::default(),
            tool_context_budget: ToolContextBudget::default(),
            tool_index: ToolIndexConfig::default(),
            limits: Limits::default(),
        }
    }
}

/// The `[kernel.limits]` table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// How many servers there may be.
    pub max_servers: usize,
    /// How many tools one server may list.
    pub max_tools_per_server: usize,
    /// How many calls may run at once, over all servers.
    pub max_concurrent_calls: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_servers: 256, max_tools_per_server: 4096, max_concurrent_calls: 256 }
    }
}
