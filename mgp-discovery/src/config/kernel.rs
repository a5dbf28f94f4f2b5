//! `[kernel]`: the agent that calls, the tools that a host sees, and limits.

use super::{
    passed_extensions::PassedExtensions, refusals::RefusalForm, text::Text, tool_index::ToolIndexConfig,
};
use mgp_types::{
    access::DefaultPolicy,
    tool_index::{Exposure, ToolContextBudget},
};
use serde::{Deserialize, Serialize};

/// The `[kernel]` table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transform = super::annotate::ordered::<Self>, extend("x-also" = super::annotate::other_timeout_names())))]
#[serde(default, deny_unknown_fields)]
pub struct KernelConfig {
    /// The agent on whose behalf a host on stdio calls, as grants name it.
    pub agent: String,
    /// The tools that a host is shown, see [Exposure](https://github.com/mgp-rs/mgp/blob/main/docs/configuration.md#exposure).
    pub exposure: Exposure,
    /// Tools that `hybrid` always shows, as `server__tool` or by the name they are shown under.
    pub pinned: Vec<String>,
    /// The folder of the gateway's state. `$MGP_STATE_DIR` overrides it. Without either, it is the folder `mgp` in the platform's folder for state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state_dir: Option<Text>,
    /// The rule for an agent and a server without a grant: `opt-in` denies, `opt-out` allows its tools. The server's resources, prompts and
    /// completions always need a rule for the whole server; the log and `mgp access explain` report it.
    pub default_policy: DefaultPolicy,
    /// The longest time that one call may take, in milliseconds, from its start or its last progress. Also read as `tool_timeout_ms`. See [Time
    /// limits](https://github.com/mgp-rs/mgp/blob/main/docs/configuration.md#time-limits).
    #[serde(alias = "tool_timeout_ms")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 86_400_000)))]
    pub call_timeout_ms: u64,
    /// The longest time, in milliseconds, of a call whose server keeps sending progress or chunks. `0`: no longer than `call_timeout_ms`.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 86_400_000)))]
    pub call_max_ms: u64,
    /// The longest time that a call may wait for its turn at a server, in milliseconds. Default: as long as the call may take. See [Time
    /// limits](https://github.com/mgp-rs/mgp/blob/main/docs/configuration.md#time-limits).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 86_400_000)))]
    pub queue_timeout_ms: Option<u64>,
    /// The longest time that the validators of one call may take, in milliseconds.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 86_400_000)))]
    pub validation_timeout_ms: u64,
    /// The longest time that a server may take to list its tools, in milliseconds.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 86_400_000)))]
    pub discovery_timeout_ms: u64,
    /// The longest time that a server may take to start, to answer the handshake and to list its tools the first time, in milliseconds. Also read as
    /// `initialize_timeout_ms`.
    #[serde(alias = "initialize_timeout_ms")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 86_400_000)))]
    pub startup_timeout_ms: u64,
    /// The longest time that a server may take to stop before it is killed, in milliseconds.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 86_400_000)))]
    pub shutdown_timeout_ms: u64,
    /// The longest time that a process waits for a state file that another process is writing, in milliseconds.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 600_000)))]
    pub lock_timeout_ms: u64,
    /// The number of times that a failed call is made again, where that does no harm and fits into its time limit
    /// ([errors.md](https://github.com/mgp-rs/mgp/blob/main/docs/errors.md)).
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 10)))]
    pub max_retries: u32,
    /// The longest time that a host may take to answer a server or the gateway, in milliseconds. In the stateless era, the time that a call waits for
    /// its next round.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 86_400_000)))]
    pub question_timeout_ms: u64,
    /// The longest time that hosts wait for servers at their first start, and that a request waits for a server that is
    /// [away](https://github.com/mgp-rs/mgp/blob/main/docs/kernel.md#restarts), in milliseconds. See [Waiting for
    /// servers](https://github.com/mgp-rs/mgp/blob/main/docs/configuration.md#waiting-for-servers).
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 600_000)))]
    pub start_wait_ms: u64,
    /// True if servers are started by the first request that needs them, see
    /// [kernel.md](https://github.com/mgp-rs/mgp/blob/main/docs/kernel.md#servers-on-demand).
    pub lazy: bool,
    /// The time without use after which a server is stopped, in seconds, until a request needs it again. `0`: never.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 2_592_000)))]
    pub idle_timeout_secs: u64,
    /// The time without a host, a running call and a running task after which the gateway of all hosts ends, in seconds. `0`: never. It starts
    /// again for the next host.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 2_592_000)))]
    pub idle_exit_secs: u64,
    /// The names of variables that the gateway of all hosts takes from the user's login shell at its start, besides `PATH`. See
    /// [cli.md](https://github.com/mgp-rs/mgp/blob/main/docs/cli.md#variables-of-the-login-shell).
    pub environment: Vec<String>,
    /// The number of tools that a search returns if it sets no limit.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 50)))]
    pub search_results: usize,
    /// A text about the gateway, which hosts get before the list of its servers. At most 32 KiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// The most tokens that the list of servers and the servers' own instructions may take. `0` leaves both out. See
    /// [Instructions](https://github.com/mgp-rs/mgp/blob/main/docs/configuration.md#instructions).
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 100_000)))]
    pub instructions_tokens: u64,
    /// The extensions of MCP that pass between hosts and servers: `all`, those that are `known` to the gateway, or a list of names. See
    /// [extensions.md](https://github.com/mgp-rs/mgp/blob/main/docs/extensions.md).
    #[cfg_attr(feature = "schema", schemars(with = "serde_json::Value", extend("x-type" = "`all`, `known` or a list of names")))]
    pub extensions: PassedExtensions,
    /// The answer to a refused tool call: a JSON-RPC error, which many hosts raise as an exception; or a result with `isError`, whose text the model
    /// reads. See [errors.md](https://github.com/mgp-rs/mgp/blob/main/docs/errors.md).
    pub refusals: RefusalForm,
    /// True if hosts that do not speak MGP are shown the tool `mgp_transaction`; see
    /// [transactions.md](https://github.com/mgp-rs/mgp/blob/main/docs/transactions.md).
    pub transactions: bool,
    /// True if the gateway checks the arguments of every call against the tool's input schema. See [Checked
    /// arguments](https://github.com/mgp-rs/mgp/blob/main/docs/configuration.md#checked-arguments).
    pub check_arguments: bool,
    /// The token budget for the tool definitions shown to a model (§16.8).
    #[cfg_attr(feature = "schema", schemars(transform = super::annotate::ordered::<ToolContextBudget>))]
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
            idle_exit_secs: 600,
            environment: Vec::new(),
            search_results: 5,
            instructions: None,
            instructions_tokens: 1000,
            extensions: PassedExtensions::All,
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transform = super::annotate::ordered::<Self>))]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// The most servers, including those that are registered while the gateway runs.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 1000)))]
    pub max_servers: usize,
    /// The most tools that one server may list.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 100_000)))]
    pub max_tools_per_server: usize,
    /// The most calls that may run at once, over all servers.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 100_000)))]
    pub max_concurrent_calls: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_servers: 256, max_tools_per_server: 4096, max_concurrent_calls: 256 }
    }
}
