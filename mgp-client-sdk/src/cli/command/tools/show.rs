//! `mgp tools show`: one tool, and how it is judged.

use crate::{
    cli::{
        error::CliError,
        exit::Exit,
        output::{Outcome, printable, table},
        setup::Setup,
    },
    kernel::{JudgedTool, Kernel},
};
use mgp_security::{
    access::Judgement,
    profile::{Confirmation, ToolProfile},
};
use mgp_types::{
    access::{AccessDecision, AccessSource},
    context::{RiskLevel, ToolId},
    json::RawJson,
    lifecycle::ServerState,
    permission::PermissionState,
};
use serde::Serialize;
use std::collections::BTreeSet;

/// A tool, whoever may use it.
#[derive(Serialize)]
struct Shown {
    name: String,
    server_id: String,
    server_state: Option<ServerState>,
    /// The name that its server calls it by.
    tool_name: String,
    description: Option<String>,
    risk_level: RiskLevel,
    validators: Vec<String>,
    confirmation: &'static str,
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
    let shown = Shown {
        name: named.name.to_string(),
        server_id: id.server_id.to_string(),
        server_state: server.map(|server| server.status().state),
        tool_name: id.tool_name.to_string(),
        description: named.tool.description(),
        risk_level: profile.risk,
        validators: profile.validators.iter().map(ToString::to_string).collect(),
        confirmation: confirmation(profile.confirmation),
        permissions: permissions(kernel, id, &profile),
        invalid_permissions: profile.invalid_permissions.clone(),
        access: access(kernel, setup, id).await?,
        definition: named.tool.definition().to_json(),
    };
    Outcome::new(shown.text(), &shown)
}

fn confirmation(confirmation: Confirmation) -> &'static str {
    match confirmation {
        Confirmation::Never => "never",
        Confirmation::UnlessApproved => "unless_approved",
        Confirmation::Always => "always",
    }
}

fn permissions(kernel: &Kernel, id: &ToolId, profile: &ToolProfile) -> Vec<PermissionRow> {
    let state = |permission| kernel.permissions().state(&id.server_id, permission);
    let row =
        |permission| PermissionRow { permission: ToString::to_string(permission), state: state(permission) };
    profile.permissions.iter().map(row).collect()
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

impl Shown {
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
            line("confirmation", &self.confirmation.replace('_', " ")),
        ]);
        if !self.invalid_permissions.is_empty() {
            let names = self.invalid_permissions.join(", ");
            lines.push(line("never called", &format!("it needs {names}, which is no permission")));
        }
        lines.push(line("permissions", if self.permissions.is_empty() { "none" } else { "" }));
        lines.extend(self.permissions.iter().map(|row| self.permission(row)));
        let rows = self
            .access
            .iter()
            .map(|row| [format!("  {}", row.agent), row.permission.to_string(), row.source.to_string()]);
        lines.push(table(["  agent", "rule", "source"], rows));
        if self.access.iter().any(|row| row.permission == AccessDecision::Deny) {
            let (server, tool) = (&self.server_id, &self.tool_name);
            lines.push(format!("  change it with `mgp access grant AGENT {server} {tool}`"));
        }
        lines.push(line("definition", ""));
        lines.push(printable(&pretty(&self.definition)).into_owned());
        lines.join("\n")
    }

    fn permission(&self, PermissionRow { permission, state }: &PermissionRow) -> String {
        let decide = match state {
            PermissionState::Approved => String::new(),
            _ => format!(": `mgp approve {} {permission}`", self.server_id),
        };
        format!("  {permission} is {state}{decide}")
    }
}

fn line(name: &str, value: &str) -> String {
    printable(format!("{name:<16}{value}").trim_end()).into_owned()
}

fn pretty(json: &RawJson) -> String {
    let value: Result<serde_json::Value, _> = serde_json::from_str(json.as_str());
    value.and_then(|value| serde_json::to_string_pretty(&value)).unwrap_or_else(|_| json.to_string())
}
