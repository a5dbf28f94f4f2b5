//! `[permissions]`, `[access]`, `[roles]` and `[[agents]]`.

use super::checks::Checks;
use crate::config::{
    AccessConfig, AgentConfig, PermissionsConfig, RoleConfig, nearest::nearest, path::KeyPath,
};
use mgp_types::permission::{Permission, StandardPermission};
use std::collections::BTreeMap;

/// The longest lifetime of an approval, in seconds: a hundred years. Anything longer is a mistake.
const MAX_LIFETIME: u64 = 3_155_760_000;

/// The longest wait for an approval, in milliseconds: an hour. No host waits longer.
const MAX_WAIT_MS: u64 = 3_600_000;
/// The longest time for a decision, in seconds: thirty days.
const MAX_DECISION_SECS: u64 = 2_592_000;

pub(super) fn permissions(config: &PermissionsConfig, checks: &mut Checks<'_>) {
    let path = KeyPath::root().key("permissions");
    checks.count(path.key("approved"), config.approved.len());
    for (server, approved) in &config.approved {
        names(approved, &path.key("approved").key(server), checks);
    }
    names(&config.exceptions, &path.key("exceptions"), checks);
    checks.range(path.key("wait_ms"), config.wait_ms, 1..=MAX_WAIT_MS);
    checks.range(path.key("decision_timeout_secs"), config.decision_timeout_secs, 1..=MAX_DECISION_SECS);
    if let Some(lifetime) = config.grant_lifetime_secs {
        checks.range(path.key("grant_lifetime_secs"), lifetime, 1..=MAX_LIFETIME);
    }
}

/// Checks the names of permissions, each a permission or a family of them.
pub(super) fn names(names: &[String], path: &KeyPath, checks: &mut Checks<'_>) {
    checks.count(path.clone(), names.len());
    for (i, name) in names.iter().enumerate() {
        if let Err(error) = Permission::expand(name) {
            let standard = StandardPermission::ALL.iter().map(|permission| permission.as_str());
            match nearest(name, standard) {
                Some(meant) => {
                    checks.advise(path.index(i), error.to_string(), format!("did you mean {meant:?}?"));
                }
                None => checks.say(path.index(i), error.to_string()),
            }
        }
    }
}

pub(super) fn access(config: &AccessConfig, checks: &mut Checks<'_>) {
    let registrars = KeyPath::root().key("access").key("registrars");
    checks.count(registrars.clone(), config.registrars.len());
    for (i, agent) in config.registrars.iter().enumerate() {
        checks.name(registrars.index(i), agent);
    }
    checks.distinct(&registrars, "agent", config.registrars.iter().map(String::as_str));
    if let Some(file) = &config.policy_file {
        let path = KeyPath::root().key("access").key("policy_file");
        checks.path(path.clone(), file);
        if file.value().is_empty() {
            checks.say(path, "empty: expected a file");
        }
    }
    let path = KeyPath::root().key("access").key("grants");
    checks.count(path.clone(), config.grants.len());
    for (i, grant) in config.grants.iter().enumerate() {
        checks.name(path.index(i).key("agent"), &grant.agent);
        grant_names(&path.index(i), &grant.server, grant.tool.as_deref(), checks);
    }
}

/// Checks the names of a server and a tool that may be patterns. Server names without a pattern are looked up later.
fn grant_names(path: &KeyPath, server: &str, tool: Option<&str>, checks: &mut Checks<'_>) {
    if server.contains('*') {
        checks.name(path.key("server"), server);
    }
    if let Some(tool) = tool {
        checks.name(path.key("tool"), tool);
    }
}

pub(super) fn roles(roles: &BTreeMap<String, RoleConfig>, agents: &[AgentConfig], checks: &mut Checks<'_>) {
    let path = KeyPath::root().key("roles");
    checks.count(path.clone(), roles.len());
    for (name, role) in roles {
        checks.name(path.key(name), name);
        let path = path.key(name).key("grants");
        checks.count(path.clone(), role.grants.len());
        for (i, grant) in role.grants.iter().enumerate() {
            grant_names(&path.index(i), &grant.server, grant.tool.as_deref(), checks);
        }
    }
    let path = KeyPath::root().key("agents");
    checks.count(path.clone(), agents.len());
    checks.distinct(&path, "agent", agents.iter().map(|agent| agent.id.as_str()));
    for (i, agent) in agents.iter().enumerate() {
        let path = path.index(i);
        checks.name(path.key("id"), &agent.id);
        checks.count(path.key("roles"), agent.roles.len());
        for (j, role) in agent.roles.iter().enumerate().filter(|(_, role)| !roles.contains_key(*role)) {
            let path = path.key("roles").index(j);
            let message = format!("no role {role:?}: expected the name of a [roles] table");
            match nearest(role, roles.keys().map(String::as_str)) {
                Some(meant) => checks.advise(path, message, format!("did you mean {meant:?}?")),
                None => checks.say(path, message),
            }
        }
    }
}
