//! `[permissions]` and `[access]`.

use super::checks::Checks;
use crate::config::{AccessConfig, PermissionsConfig, nearest::nearest, path::KeyPath};
use mgp_types::permission::{Permission, StandardPermission};

/// The longest lifetime of an approval, in seconds: a hundred years. Anything longer is a mistake.
const MAX_LIFETIME: u64 = 3_155_760_000;

/// The longest wait for an approval, in milliseconds: an hour. No host has more patience.
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
    let path = KeyPath::root().key("access").key("grants");
    checks.count(path.clone(), config.grants.len());
    for (i, grant) in config.grants.iter().enumerate() {
        checks.name(path.index(i).key("agent"), &grant.agent);
        if let Some(tool) = &grant.tool {
            checks.name(path.index(i).key("tool"), tool);
        }
    }
}
