//! `mgp access roles`: the configured roles and their agents.

use super::list::WHOLE_SERVER;
use crate::{
    error::CliError,
    output::{Outcome, note, on_one_line, table},
};
use mgp_types::access::{AccessDecision, RoleRule, Roles};
use serde::Serialize;

#[derive(Serialize)]
struct RoleList {
    roles: Vec<RoleReport>,
}

#[derive(Serialize)]
struct RoleReport {
    role: String,
    agents: Vec<String>,
    rules: Vec<RuleReport>,
}

#[derive(Serialize)]
struct RuleReport {
    server_id: String,
    tool_name: Option<String>,
    permission: AccessDecision,
}

pub(super) fn show(roles: &Roles) -> Result<Outcome, CliError> {
    let roles: Vec<_> = roles.rules().map(|(role, rules)| report(roles, role, rules)).collect();
    if roles.is_empty() {
        note("there are no roles: [roles] in the configuration makes some");
    }
    let rows = roles.iter().flat_map(|role| {
        role.rules.iter().map(|rule| {
            let tool = rule.tool_name.clone().unwrap_or_else(|| WHOLE_SERVER.to_owned());
            [role.role.clone(), rule.server_id.clone(), tool, rule.permission.to_string()]
        })
    });
    let mut lines = Vec::new();
    if roles.iter().any(|role| !role.rules.is_empty()) {
        lines.push(table(["role", "server", "tool", "rule"], rows));
    }
    lines.extend(roles.iter().map(|RoleReport { role, agents, .. }| {
        let agents = if agents.is_empty() { "nobody".to_owned() } else { agents.join(", ") };
        on_one_line(&format!("{role} is the role of {agents}"))
    }));
    Outcome::new(lines.join("\n"), &RoleList { roles })
}

fn report(roles: &Roles, role: &str, rules: &[RoleRule]) -> RoleReport {
    let rule = |rule: &RoleRule| RuleReport {
        server_id: rule.server_id.clone(),
        tool_name: rule.tool_name.clone(),
        permission: rule.permission,
    };
    RoleReport {
        role: role.to_owned(),
        agents: roles.holders(role).map(str::to_owned).collect(),
        rules: rules.iter().map(rule).collect(),
    }
}
