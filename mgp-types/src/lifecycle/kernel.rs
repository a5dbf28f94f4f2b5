//! A running kernel's report on itself, for its operator. No part of the specification.

use super::{HealthStatus, ServerState, TrafficReport};
use crate::{
    context::{ConfinementMode, TrustLevel},
    json::RawObject,
    permission::WaitingTools,
    tool_metadata::MeasuredLatency,
};
use serde::{Deserialize, Serialize};

calls! {
    /// Asks a kernel for its servers, its hosts and its queues. For principals with the admin role.
    call ReportKernel = "dev.cloto/kernel/status": KernelStatusParams => KernelStatus;
}

/// The params of [`ReportKernel`]: the expensive parts, which are in the report only on request.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct KernelStatusParams {
    /// True if each connected server that has the extension `lifecycle` is asked for its own checks.
    #[serde(default)]
    pub checks: bool,
    /// True if the tools are listed: their names and the time that calls took, and all that `notices` lists.
    #[serde(default)]
    pub tools: bool,
    /// True if the tools that wait for a permission and those that are closed are counted, and notices on servers are listed.
    #[serde(default)]
    pub notices: bool,
    /// The only server that the report is about; `None` for all servers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
}

/// A kernel's report on itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KernelStatus {
    /// The version of the kernel's program.
    pub version: String,
    /// The time at which the kernel was started (RFC 3339).
    pub started_at: String,
    /// The time since then, in seconds.
    pub uptime_secs: u64,
    /// The configuration, as the program that started the kernel named it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub configuration: Option<String>,
    /// The keys of the configuration that have changed since the start, and that only a restart applies.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs_restart: Vec<String>,
    /// The servers: those of the configuration, in its order, then those that are registered.
    pub servers: Vec<ServerReport>,
    /// The connected hosts.
    pub hosts: Vec<HostReport>,
    /// The number of calls of stateless hosts that wait for an answer of their host.
    pub parked_calls: u64,
    /// The calls of the last minutes; `None` if the kernel does not report them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traffic: Option<TrafficReport>,
    /// The tools that are hidden from every agent because a permission that they need is undecided; if notices are listed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waiting: Vec<WaitingTools>,
    /// The tools that are hidden from every agent for another reason; if notices are listed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub closed: Vec<ClosedToolsReport>,
    /// The notices on servers that behave differently than they claim, or whose commands are not confined; if notices are listed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<ServerNotice>,
    /// The time that calls of tools took, for each tool of which the kernel measured a call; if tools are listed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub latencies: Vec<ToolLatencyReport>,
}

/// A kernel's report on the time that calls of a tool took.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolLatencyReport {
    /// The tool's server.
    pub server_id: String,
    /// The server's name for the tool.
    pub tool_name: String,
    /// The time.
    pub measured_latency: MeasuredLatency,
}

/// A kernel's report on one of its servers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ServerReport {
    /// The server's id.
    pub id: String,
    /// The state.
    pub state: ServerState,
    /// The reason for the state.
    pub reason: String,
    /// True if the operator stopped the server, so that only the operator can start it again.
    #[serde(default)]
    pub stopped: bool,
    /// True if the server is stopped while unused, and the next request that needs it starts it.
    #[serde(default)]
    pub on_demand: bool,
    /// The health as reported by the server: its answer if it was asked for its checks, and otherwise its last report.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub health: Option<HealthStatus>,
    /// The outcomes of the server's own checks, in its own terms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checks: Option<RawObject>,
    /// The reason the server did not report its health.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub health_error: Option<String>,
    /// The number of times that the server was started again since the kernel's start.
    pub restarts: u64,
    /// The number of calls that the server is working on.
    pub in_flight: u64,
    /// The number of calls that wait for a turn at the server.
    pub queued: u64,
    /// The number of processes that serve one session of a host each; `None` if all sessions share a process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instances: Option<u64>,
    /// The version of MGP that was negotiated; `None` for a plain MCP server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mgp_version: Option<String>,
    /// The extensions of MGP that were negotiated.
    #[serde(default)]
    pub extensions: Vec<String>,
    /// The trust in the server.
    pub trust_level: TrustLevel,
    /// The mode in which the server's process is confined; `None` if the kernel did not start the process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confined: Option<ConfinementMode>,
    /// True if the server was registered and is not in the configuration.
    #[serde(default)]
    pub registered: bool,
    /// The content of its registration; `None` for a server of the configuration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub registration: Option<RegistrationReport>,
    /// The number of the server's tools.
    pub tool_count: u64,
    /// The names of the server's tools, if tools are listed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
}

/// The content of a server's registration. Values of variables are left out, and so is the query of a URL, because they may be secrets.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RegistrationReport {
    /// The program and its arguments; empty for a server at a URL.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// The URL, up to its query.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The names of the variables that are set.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variables: Vec<String>,
    /// The permissions that all of its tools need.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub permissions: Vec<String>,
}

/// Tools of one server that are closed for the same reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClosedToolsReport {
    /// The server.
    pub server_id: String,
    /// The number of tools.
    pub tools: u64,
    /// The reason they are closed and the way to open them, in one sentence.
    pub reason: String,
}

/// A sentence for the operator about a server: that hosts get something differently than the server declares, or that its commands are not
/// confined.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerNotice {
    /// The server.
    pub server_id: String,
    /// The sentence, which names the server.
    pub text: String,
}

/// A kernel's report on a connected host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostReport {
    /// The name of the host's program, as the program states it.
    pub name: String,
    /// The version of the host's program.
    pub version: String,
    /// The agent or operator for whom the host's calls are made.
    pub principal: String,
    /// The revision of MCP that the host speaks.
    pub protocol_version: String,
    /// True if the host speaks MGP.
    pub mgp: bool,
    /// The number of the host's requests that run.
    pub in_flight: u64,
}
