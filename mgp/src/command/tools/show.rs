//! `mgp tools show`: one tool, and how it is judged.

use crate::{
    error::CliError,
    exit::Exit,
    output::{Outcome, printable, table},
    setup::Setup,
};
use mgp_client_sdk::kernel::{JudgedTool, Kernel, command_word};
use mgp_security::{
    access::Judgement,
    permission::Permissions,
    profile::{Confirmation, ToolProfile},
};
use mgp_types::{
    access::{AccessDecision, AccessSource},
    context::{RiskLevel, ToolId},
    json::RawJson,
    lifecycle::ServerState,
    permission::{Permission, PermissionState},
};
use serde::{Serialize, Serializer};
use std::{collections::BTreeSet, fmt};

/// A tool, whoever may use it.
#[derive(Serialize)]
struct ToolReport {
    name: String,
    server_id: String,
    server_state: Option<ServerState>,
    /// The name that its server calls it by.
    tool_name: String,
    description: Option<String>,
    risk_level: RiskLevel,
    validators: Vec<String>,
    #[serde(serialize_with = "as_name")]
    confirmation: Confirmation,
    permissions: Vec<PermissionRow>,
    /// Names that were declared as permissions and are none: the tool is never called.
    invalid_permissions: Vec<String>,
    access: Vec<AccessRow>,
    definition: RawJson,
}

#[derive(Serialize)]
struct PermissionRow {
    permission: String,
    state: PermissionState,
    /// The rest of the line for people: what becomes of it, and what decides on it.
    #[serde(skip)]
    outlook: String,
}

#[derive(Serialize)]
struct AccessRow {
    agent: String,
    permission: AccessDecision,
    source: AccessSource,
}

pub(super) async fn run(kernel: &Kernel, setup: &Setup, name: &str) -> Result<Outcome, CliError> {
    let Some(JudgedTool { named, profile }) = kernel.judged_tool(name) else {
        let error = CliError::new(Exit::NotFound, format!("no connected server has a tool {name:?}"));
        return Err(
            error.help("see the tools with `mgp tools`, and whether all servers are up with `mgp servers`")
        );
    };
    let id = named.tool.id();
    let servers = kernel.servers();
    let server = servers.iter().find(|server| *server.id() == *id.server_id);
    let shown = ToolReport {
        name: named.name.to_string(),
        server_id: id.server_id.to_string(),
        server_state: server.map(|server| server.status().state),
        tool_name: id.tool_name.to_string(),
        description: named.tool.description(),
        risk_level: profile.risk,
        validators: profile.validators.iter().map(ToString::to_string).collect(),
        confirmation: profile.confirmation,
        permissions: permissions(kernel, id, &profile),
        invalid_permissions: profile.invalid_permissions.clone(),
        access: access(kernel, setup, id).await?,
        definition: named.tool.definition().to_json(),
    };
    Outcome::new(shown.text(), &shown)
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn as_name<S: Serializer>(confirmation: &Confirmation, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(match confirmation {
        Confirmation::Never => "never",
        Confirmation::UnlessApproved => "unless_approved",
        Confirmation::Always => "always",
    })
}

fn permissions(kernel: &Kernel, id: &ToolId, profile: &ToolProfile) -> Vec<PermissionRow> {
    let row = |permission: &Permission| PermissionRow {
        permission: permission.to_string(),
        state: kernel.permissions().state(&id.server_id, permission),
        outlook: outlook(kernel.permissions(), &id.server_id, permission),
    };
    profile.permissions.iter().map(row).collect()
}

/// Returns what becomes of a permission when a call needs it, and what decides on it.
fn outlook(permissions: &Permissions, server_id: &str, permission: &Permission) -> String {
    if permissions.state(server_id, permission) == PermissionState::Approved {
        return String::new();
    }
    if permissions.has_all(server_id, [permission]) {
        return ", and the policy auto_approve approves it when it is needed".to_owned();
    }
    permissions.config_only(server_id).map_or_else(
        || format!(": `mgp approve {} {permission}`", command_word(server_id)),
        |sentence| format!(": {sentence}"),
    )
}

/// The agents that a rule or the configuration names, and what holds for each.
async fn access(kernel: &Kernel, setup: &Setup, id: &ToolId) -> Result<Vec<AccessRow>, CliError> {
    let mut agents = BTreeSet::from([setup.agent.clone()]);
    if let Some(loaded) = &setup.loaded {
        agents.extend(loaded.config.http.api_keys.iter().map(|key| key.agent.clone()));
    }
    let rules = kernel.access().entries().await?;
    agents
        .extend(rules.into_iter().filter(|rule| *rule.server_id == *id.server_id).map(|rule| rule.agent_id));
    let row = |agent: String| {
        let Judgement { decision, source, .. } =
            kernel.access().query(&agent, &id.server_id, Some(&id.tool_name));
        AccessRow { agent, permission: decision, source }
    };
    Ok(agents.into_iter().map(row).collect())
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
        let listed = |names: &[String]| if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        lines.extend([
            line("description", self.description.as_deref().unwrap_or("none")),
            line("risk", self.risk_level.as_str()),
            line("validators", &listed(&self.validators)),
            line("confirmation", self.confirmation()),
        ]);
        if !self.invalid_permissions.is_empty() {
            let names = self.invalid_permissions.join(", ");
            lines.push(line("never called", &format!("it needs {names}, which is no permission")));
        }
        lines.push(line("permissions", if self.permissions.is_empty() { "none" } else { "" }));
        lines.extend(self.permissions.iter().map(ToString::to_string));
        let rows = self
            .access
            .iter()
            .map(|row| [format!("  {}", row.agent), row.permission.to_string(), row.source.to_string()]);
        lines.push(table(["  agent", "rule", "source"], rows));
        if self.access.iter().any(|row| row.permission == AccessDecision::Deny) {
            let [server, tool] = [&*self.server_id, &*self.tool_name].map(command_word);
            lines.push(format!("  change it with `mgp access grant AGENT {server} {tool}`"));
        }
        lines.push(line("definition", ""));
        lines.push(printable(&pretty(&self.definition)).into_owned());
        lines.join("\n")
    }

    /// Returns when somebody is asked before a call.
    fn confirmation(&self) -> &'static str {
        match self.confirmation {
            Confirmation::Never => "never asked",
            Confirmation::UnlessApproved => {
                "asked, unless a dangerous permission that it needs is approved (servers[].mgp.confirmation)"
            }
            Confirmation::Always => "asked before every call (servers[].mgp.confirmation)",
        }
    }
}

impl fmt::Display for PermissionRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { permission, state, outlook } = self;
        write!(f, "  {permission} is {state}{outlook}")
    }
}

fn line(name: &str, value: &str) -> String {
    printable(format!("{name:<16}{value}").trim_end()).into_owned()
}

fn pretty(json: &RawJson) -> String {
    let value: Result<serde_json::Value, _> = serde_json::from_str(json.as_str());
    value.and_then(|value| serde_json::to_string_pretty(&value)).unwrap_or_else(|_| json.to_string())
}
