//! `mgp tools show`: shows one tool and the judgement on it.

use super::{
    expectation::Expectation,
    gates::{ToolGates, line},
};
use crate::{
    catalogue::Catalogue,
    error::CliError,
    exit::Exit,
    output::{Outcome, printable, table},
    setup::Setup,
};
use mgp_kernel::{Kernel, command_word};
use mgp_security::{access::Judgement, keys::KeyStore as _};
use mgp_types::{
    access::{AccessDecision, AccessSource},
    context::ToolId,
    json::RawJson,
    lifecycle::ServerState,
    mcp::conform::{Conformity, conform_tool},
    printable::on_one_line,
};
use serde::Serialize;

/// A tool and its access rules, for any agent.
#[derive(Serialize)]
struct ToolReport {
    name: String,
    server_id: String,
    server_state: Option<ServerState>,
    /// The name of the tool in rules.
    tool_name: String,
    description: Option<String>,
    #[serde(flatten)]
    gates: ToolGates,
    expectation: Expectation,
    /// The access of each agent that a rule, a key or the configuration names.
    access: Vec<AccessRow>,
    /// The operator's changes of the tool.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    shaping: Vec<String>,
    /// The parts of the server's definition that violate MCP's schema, and the change made to each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    changes: Vec<String>,
    /// The definition as hosts are shown it.
    definition: RawJson,
}

#[derive(Serialize)]
struct AccessRow {
    agent: String,
    permission: AccessDecision,
    source: AccessSource,
    /// The role whose rule decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<String>,
    /// The name of the policy that decides, if a policy does.
    #[serde(skip_serializing_if = "Option::is_none")]
    policy: Option<String>,
}

pub(super) async fn run(
    catalogue: &Catalogue,
    setup: &Setup,
    name: &str,
    raw: bool,
) -> Result<Outcome, CliError> {
    let kernel = &catalogue.kernel;
    let Some(judged) = kernel.operator().judged_tool(name) else {
        let meant = kernel.operator().meant(&setup.principal(), name);
        let question = meant.first().map(|meant| format!("did you mean {meant:?}? ")).unwrap_or_default();
        let error = CliError::new(Exit::NotFound, format!("no connected server has a tool {name:?}"));
        return Err(error.help(format!(
            "{question}see the tools with `mgp tools`, and whether all servers are up with `mgp servers`"
        )));
    };
    if raw {
        return Outcome::of_data(judged.definition.as_str(), &judged.definition);
    }
    let (named, expectation) = (&judged.named, Expectation::of(kernel, setup, &judged).await);
    let id = named.tool.id();
    let mut agents = kernel.access().agents_with_rules(&id.server_id);
    agents.insert(setup.agent.clone());
    if let Some(loaded) = &setup.loaded {
        agents.extend(loaded.config.http.api_keys.iter().map(|key| key.agent.clone()));
    }
    agents.extend(setup.state.keys()?.load().await?.into_iter().map(|key| key.agent));
    let servers = kernel.servers();
    let server = servers.iter().find(|server| *server.id() == *id.server_id);
    let shown = ToolReport {
        name: named.name.to_string(),
        server_id: id.server_id.to_string(),
        server_state: server.map(|server| catalogue.state_of(server).0),
        tool_name: id.tool_name.to_string(),
        description: named.tool.description(),
        gates: ToolGates::of(kernel, id, &judged.profile),
        expectation,
        access: agents.into_iter().map(|agent| row(kernel, agent, id)).collect(),
        shaping: judged.shaping,
        changes: changes(&judged.definition),
        definition: named.tool.definition().to_json(),
    };
    Outcome::new(shown.text(), &shown)
}

/// Returns the parts of a server's tool definition that are changed for hosts because they violate MCP's schema.
fn changes(definition: &RawJson) -> Vec<String> {
    match conform_tool(definition) {
        Conformity::Mended(_, mends) => mends.0.iter().map(ToString::to_string).collect(),
        _ => Vec::new(),
    }
}

/// Returns the access of one of the agents that a rule, a key or the configuration names.
fn row(kernel: &Kernel, agent: String, id: &ToolId) -> AccessRow {
    let Judgement { decision, source, role, policy, .. } =
        kernel.access().query(&agent, &id.server_id, Some(&id.tool_name));
    AccessRow {
        agent,
        permission: decision,
        source,
        role: role.map(|role| role.to_string()),
        policy: policy.map(|policy| policy.policy.clone()),
    }
}

impl ToolReport {
    fn text(&self) -> String {
        let server = match self.server_state {
            Some(state) => format!("{} ({state})", self.server_id),
            None => self.server_id.clone(),
        };
        let mut lines = vec![line("name", &self.name), line("server", &server)];
        if self.tool_name != self.name {
            lines.push(line("its name there", &self.tool_name));
        }
        lines.push(line("description", self.description.as_deref().unwrap_or("none")));
        lines.extend(self.gates.lines());
        lines.extend(self.expectation.lines());
        let rows = self.access.iter().map(|row| {
            let role = row.role.as_ref().map(|role| format!(" of role {role}")).unwrap_or_default();
            let source = match &row.policy {
                Some(policy) => format!("policy {policy:?}"),
                None => format!("{}{role}", row.source),
            };
            [format!("  {}", row.agent), row.permission.to_string(), source]
        });
        lines.push(table(["  agent", "rule", "source"], rows));
        if self.access.iter().any(|row| row.permission == AccessDecision::Deny) {
            let [server, tool] = [&*self.server_id, &*self.tool_name].map(command_word);
            lines.push(format!("  change it with `mgp access grant AGENT {server} {tool}`"));
        }
        if !self.shaping.is_empty() {
            lines.push(line(
                "changed",
                "by `servers[].tools` of the configuration; `--raw` shows the server's own",
            ));
            lines.extend(self.shaping.iter().map(|change| format!("  {}", on_one_line(change))));
        }
        if !self.changes.is_empty() {
            lines.push(line(
                "shown otherwise",
                "its definition breaks MCP's schema; `--raw` shows the server's own",
            ));
            lines.extend(self.changes.iter().map(|change| format!("  {}", on_one_line(change))));
        }
        lines.push(line("definition", ""));
        lines.push(printable(&pretty(&self.definition)).into_owned());
        lines.join("\n")
    }
}

fn pretty(json: &RawJson) -> String {
    let value: Result<serde_json::Value, _> = serde_json::from_str(json.as_str());
    value.and_then(|value| serde_json::to_string_pretty(&value)).unwrap_or_else(|_| json.to_string())
}
