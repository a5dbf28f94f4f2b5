//! `[kernel]`: the agent that calls, the tools that a host sees, and limits.

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
    /// The exposure mode, which selects the tools shown to a host.
    pub exposure: Exposure,
    /// Tools that are always shown, as `server__tool` or by the name they are shown under.
    pub pinned: Vec<String>,
    /// The folder of the kernel's state. `None` means the platform's folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state_dir: Option<Text>,
    /// The policy for an agent and a server without a grant (§5.5).
    pub default_policy: DefaultPolicy,
    /// The time limit of one call, in milliseconds.
    #[serde(alias = "tool_timeout_ms")]
    pub call_timeout_ms: u64,
    /// The time limit of a call whose server reports progress, in milliseconds; 0 for the limit of every call.
    pub call_max_ms: u64,
    /// The time limit of a call's wait for its turn at a server, in milliseconds. `None` means that of the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_timeout_ms: Option<u64>,
    /// The time limit of the validators of one call, in milliseconds.
    pub validation_timeout_ms: u64,
    /// The time limit for a server to list its tools, in milliseconds.
    pub discovery_timeout_ms: u64,
    /// The time limit for a server to start and to answer the handshake, in milliseconds.
    #[serde(alias = "initialize_timeout_ms")]
    pub startup_timeout_ms: u64,
    /// The time limit for a server to stop, in milliseconds.
    pub shutdown_timeout_ms: u64,
    /// The time limit of a wait for a state file that another process writes, in milliseconds.
    pub lock_timeout_ms: u64,
    /// The maximum number of retries of a failed call, if a retry is safe.
    pub max_retries: u32,
    /// The time limit of a host's answer to a request of a server or of the kernel, in milliseconds.
    pub question_timeout_ms: u64,
    /// The time in milliseconds that hosts' first requests wait for starting servers without a kept listing, and that a request waits for a
    /// server that is away.
    pub start_wait_ms: u64,
    /// True if servers are started by the first request that needs them.
    pub lazy: bool,
    /// The time after which an unused server is stopped, in seconds; 0 for never.
    pub idle_timeout_secs: u64,
    /// The number of tools that a search returns by default.
    pub search_results: usize,
    /// The kernel's own instructions for hosts, which precede the list of its servers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// The most tokens that the list of servers and the servers' own instructions may take.
    pub instructions_tokens: u64,
    /// The form of the answer to a tool call that is refused.
    pub refusals: RefusalForm,
    /// True if hosts that do not speak MGP get the requests about transactions as a tool.
    pub transactions: bool,
    /// True if the kernel checks the arguments of every call against their tool's input schema.
    pub check_arguments: bool,
    /// The token budget for the tool definitions shown to a model (§16.8).
    pub tool_context_budget: ToolContextBudget,
    /// The models that find the meaning of tools and of queries.
    pub tool_index: ToolIndexConfig,
    /// Upper bounds on servers, tools and calls.
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
            call_max_ms: 600_000,
            queue_timeout_ms: None,
            validation_timeout_ms: 5_000,
            discovery_timeout_ms: 60_000,
            startup_timeout_ms: 60_000,
            shutdown_timeout_ms: 5_000,
            lock_timeout_ms: 5_000,
            max_retries: 2,
            question_timeout_ms: 300_000,
            // Some hosts are known to give a request five seconds.
            start_wait_ms: 4_000,
            lazy: false,
            idle_timeout_secs: 0,
            search_results: 5,
            instructions: None,
            instructions_tokens: 1000,
            refusals: RefusalForm::default(),
            transactions: false,
            check_arguments: false,
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
    /// The most servers.
    pub max_servers: usize,
    /// The most tools that one server may list.
    pub max_tools_per_server: usize,
    /// The most calls that may run at once, over all servers.
    pub max_concurrent_calls: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_servers: 256, max_tools_per_server: 4096, max_concurrent_calls: 256 }
    }
}
