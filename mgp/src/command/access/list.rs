//! `mgp access list`: every rule.

use super::unreadable::say_unreadable;
use crate::{
    error::CliError,
    output::{Outcome, note, table},
};
use mgp_security::access::{AccessControl, UnreadableRule};
use mgp_types::{
    access::{AccessDecision, AccessEntry, RoleRule, Roles},
    json::Nullable,
};
use serde::Serialize;

/// The cell for a rule about a whole server. It is neither a name nor a pattern of tools.
pub(super) const WHOLE_SERVER: &str = "(all)";

#[derive(Serialize)]
struct Entries {
    entries: Vec<AccessEntry>,
    /// The rules that agents have by their roles.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    by_roles: Vec<RoleEntry>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unreadable: Vec<UnreadableRule>,
}

#[derive(Serialize)]
struct RoleEntry {
    agent_id: String,
    role: String,
    server_id: String,
    tool_name: Option<String>,
    permission: AccessDecision,
}

pub(super) async fn list(
    access: &AccessControl,
    roles: &Roles,
    agent: Option<&str>,
) -> Result<Outcome, CliError> {
    let mut entries = access.entries().await?;
    entries.retain(|entry| agent.is_none_or(|agent| entry.agent_id == agent));
    entries.sort_by(|a, b| {
        let key = |entry: &AccessEntry| {
            (entry.agent_id.clone(), entry.server_id.clone(), entry.tool_name.get().cloned())
        };
        key(a).cmp(&key(b))
    });
    let by_roles = by_roles(roles, agent);
    let unreadable = access.unreadable();
    say_unreadable(&unreadable);
    if entries.is_empty() && by_roles.is_empty() {
        if unreadable.is_empty() {
            note("there are no rules: every server's default policy holds");
        }
        return Outcome::new("", &Entries { entries, by_roles, unreadable });
    }
    let rows = entries.iter().map(row).chain(by_roles.iter().map(role_row));
    let text = table(["agent", "server", "tool", "rule", "ends", "by", "reason"], rows);
    Outcome::new(text, &Entries { entries, by_roles, unreadable })
}

fn by_roles(roles: &Roles, agent: Option<&str>) -> Vec<RoleEntry> {
    let entry = |agent_id: &str, role: &str, rule: &RoleRule| RoleEntry {
        agent_id: agent_id.to_owned(),
        role: role.to_owned(),
        server_id: rule.server_id.clone(),
        tool_name: rule.tool_name.clone(),
        permission: rule.permission,
    };
    let agents = roles.agents().filter(|id| agent.is_none_or(|agent| agent == *id));
    let rules = agents.flat_map(|agent| {
        let own = roles.rules().filter(move |(role, _)| roles.of_agent(agent).any(|own| own == *role));
        own.flat_map(move |(role, rules)| rules.iter().map(move |rule| entry(agent, role, rule)))
    });
    rules.collect()
}

fn row(entry: &AccessEntry) -> [String; 7] {
    let or =
        |value: &Nullable<String>, otherwise: &str| value.get().map_or(otherwise, String::as_str).to_owned();
    [
        entry.agent_id.clone(),
        entry.server_id.clone(),
        or(&entry.tool_name, WHOLE_SERVER),
        entry.permission.map_or("-", AccessDecision::as_str).to_owned(),
        or(&entry.expires_at, "never"),
        or(&entry.granted_by, "-"),
        or(&entry.justification, ""),
    ]
}

fn role_row(entry: &RoleEntry) -> [String; 7] {
    [
        entry.agent_id.clone(),
        entry.server_id.clone(),
        entry.tool_name.clone().unwrap_or_else(|| WHOLE_SERVER.to_owned()),
        entry.permission.to_string(),
        "never".to_owned(),
        format!("role {}", entry.role),
        String::new(),
    ]
}
