//! Applies the grants of the configuration to access control.

use super::config::LoadedConfig;
use crate::error::CliError;
use jiff::Timestamp;
use mgp_discovery::config::Grant;
use mgp_security::{
    access::{AccessControl, AccessKey, AccessMethods},
    audit::AuditLog,
};
use mgp_types::{
    access::{AccessDecision, AccessEntry, AccessGrantParams, AccessRevokeParams, EntryType},
    context::Principal,
    json::Nullable,
};
use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::Duration,
};

/// The actor that creates these rules.
pub(super) const CONFIG: &str = "config";

/// Adds the grants of the file, and removes those that the file no longer has. An operator's rule for the same agent, server
/// and tool stays while it is valid, because it is the later decision. A denial of another file stays, too.
pub(crate) async fn apply(
    loaded: &LoadedConfig,
    access: &AccessControl,
    log: &AuditLog,
) -> Result<(), CliError> {
    narrow(loaded, access, log).await?;
    // Of the rules of two files, a denial wins.
    let file = name(loaded);
    let denied: HashSet<_> = access
        .entries()
        .await?
        .iter()
        .filter(|entry| entry.permission == Some(AccessDecision::Deny))
        .filter(|entry| is_text(&entry.granted_by, CONFIG) && !is_text(&entry.justification, &file))
        .map(AccessKey::from)
        .collect();
    establish(loaded, access, log, |key, permission| {
        permission == AccessDecision::Allow && !denied.contains(key)
    })
    .await
}

/// Removes the rights that [`apply`] would remove.
pub(crate) async fn narrow(
    loaded: &LoadedConfig,
    access: &AccessControl,
    log: &AuditLog,
) -> Result<(), CliError> {
    establish(loaded, access, log, |_, permission| permission == AccessDecision::Deny).await?;
    let (file, wanted, by) = (name(loaded), wanted(loaded), Principal::operator(CONFIG));
    let methods = AccessMethods::new(access.clone(), Arc::new(log.clone()));
    let entries = access.entries().await?;
    let ours = entries
        .iter()
        .filter(|entry| is_text(&entry.granted_by, CONFIG) && is_text(&entry.justification, &file));
    for key in ours.map(AccessKey::from).filter(|key| !wanted.contains_key(key)) {
        methods.revoke(&by, revocation(key)).await?;
    }
    Ok(())
}

/// Adds the chosen grants of the file.
async fn establish(
    loaded: &LoadedConfig,
    access: &AccessControl,
    log: &AuditLog,
    is_chosen: impl Fn(&AccessKey, AccessDecision) -> bool,
) -> Result<(), CliError> {
    let (file, wanted) = (name(loaded), wanted(loaded));
    let chosen = wanted.iter().filter(|(key, permission)| is_chosen(key, **permission));
    let rules = chosen.map(|(key, permission)| grant(key, *permission, &file)).collect();
    let methods = AccessMethods::new(access.clone(), Arc::new(log.clone()));
    Ok(methods.establish(&Principal::operator(CONFIG), rules).await?)
}

/// Returns the name of the file in its rules. Several kernels share the state, each with its own file.
fn name(loaded: &LoadedConfig) -> String {
    loaded.file.path.display().to_string()
}

fn is_text(value: &Nullable<String>, expected: &str) -> bool {
    value.get().is_some_and(|text| text == expected)
}

/// Restores a grant of the file as soon as an operator's rule for the same agent, server and tool ends. Runs until the process ends.
pub(crate) async fn keep(loaded: LoadedConfig, access: AccessControl, log: AuditLog) {
    let wanted = wanted(&loaded);
    let mut changes = access.changes();
    loop {
        changes.mark_unchanged();
        let ends = match access.entries().await {
            Ok(entries) => {
                let wanted = entries.into_iter().filter(|entry| wanted.contains_key(&AccessKey::from(entry)));
                wanted.filter_map(|entry| end_of(&entry)).min()
            }
            Err(error) => {
                tracing::warn!(%error, "failed to look for rules that end; retrying");
                Some(Timestamp::now() + LOOK_AGAIN)
            }
        };
        let pause = ends.map(|end| Duration::try_from(end - Timestamp::now()).unwrap_or_default());
        let ended = async {
            match pause {
                // The clock may be changed during the pause.
                Some(pause) => tokio::time::sleep(pause.min(LOOK_AGAIN)).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            changed = changes.changed() => if changed.is_err() { return },
            () = ended => if let Err(error) = apply(&loaded, &access, &log).await {
                tracing::warn!(error = error.to_text(), "failed to restore a grant of the configuration; retrying");
                tokio::time::sleep(LOOK_AGAIN).await;
            }
        }
    }
}

/// The longest interval between two checks for rules that have ended.
const LOOK_AGAIN: Duration = Duration::from_secs(60);

/// Returns the expiry of a rule, if it has one. If an allowing rule's expiry cannot be read, returns a time in the past.
fn end_of(entry: &AccessEntry) -> Option<Timestamp> {
    let end = entry.expires_at.get()?.parse();
    match entry.permission {
        Some(AccessDecision::Deny) => end.ok(),
        _ => Some(end.unwrap_or(Timestamp::MIN)),
    }
}

/// Returns the grants of the file. Of two grants with the same names, a denial wins.
fn wanted(loaded: &LoadedConfig) -> HashMap<AccessKey, AccessDecision> {
    let mut wanted = HashMap::new();
    for grant in &loaded.config.access.grants {
        let permission = wanted.entry(key(grant)).or_insert(grant.permission);
        if grant.permission == AccessDecision::Deny {
            *permission = AccessDecision::Deny;
        }
    }
    wanted
}

fn key(grant: &Grant) -> AccessKey {
    AccessKey {
        entry_type: if grant.tool.is_some() { EntryType::ToolGrant } else { EntryType::ServerGrant },
        agent_id: grant.agent.clone(),
        server_id: grant.server.clone(),
        tool_name: grant.tool.clone(),
    }
}

fn grant(key: &AccessKey, permission: AccessDecision, file: &str) -> AccessGrantParams {
    AccessGrantParams {
        entry_type: key.entry_type,
        agent_id: key.agent_id.clone(),
        server_id: key.server_id.clone(),
        tool_name: key.tool_name.clone().into(),
        permission,
        granted_by: Nullable::Absent,
        justification: Nullable::Value(file.to_owned()),
        expires_at: Nullable::Absent,
    }
}

fn revocation(key: AccessKey) -> AccessRevokeParams {
    AccessRevokeParams {
        agent_id: key.agent_id,
        server_id: key.server_id,
        entry_type: key.entry_type,
        tool_name: key.tool_name.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_discovery::{
        config::Config,
        locate::{ConfigFile, Origin},
    };
    use mgp_security::{access::MemoryAccessStore, audit::AuditLogConfig};
    use std::collections::BTreeMap;
    use xtask_testing::within;

    fn loaded(path: &str, agents: &[&str]) -> LoadedConfig {
        let mut config = Config::default();
        let grant = |agent: &&str| Grant {
            agent: (*agent).into(),
            server: "s".into(),
            tool: None,
            permission: AccessDecision::Allow,
        };
        config.access.grants = agents.iter().map(grant).collect();
        LoadedConfig {
            file: ConfigFile { path: path.into(), origin: Origin::Named },
            config,
            policy: None,
            variables: BTreeMap::new(),
        }
    }

    #[tokio::test]
    async fn a_grant_follows_its_file_and_keeps_an_operator_s_rule() {
        let folder = tempfile::tempdir().unwrap();
        let log = AuditLog::open(folder.path().join("audit"), &AuditLogConfig::default()).unwrap();
        let access = AccessControl::open(Arc::new(MemoryAccessStore::new())).await.unwrap();
        let denied = key(&loaded("/x", &["denied"]).config.access.grants[0]);
        let denied = grant(&denied, AccessDecision::Deny, "by hand");
        let methods = AccessMethods::new(access.clone(), Arc::new(log.clone()));
        methods.grant(&Principal::operator("ann"), denied).await.unwrap();
        access.set_server("s", mgp_types::access::DefaultPolicy::OptIn);
        let allowed = |agent: &str| access.query(agent, "s", None).allows();

        apply(&loaded("/one", &["a", "b", "denied"]), &access, &log).await.unwrap();
        apply(&loaded("/two", &["c"]), &access, &log).await.unwrap();
        assert!(allowed("a") && allowed("b") && allowed("c") && !allowed("denied"));

        apply(&loaded("/one", &["b"]), &access, &log).await.unwrap();
        assert!(!allowed("a") && allowed("b") && allowed("c") && !allowed("denied"));

        let mut forbids = loaded("/one", &["b", "b"]);
        forbids.config.access.grants[0].permission = AccessDecision::Deny;
        apply(&forbids, &access, &log).await.unwrap();
        assert!(!allowed("b"), "of two grants with the same names, the one that denies counts");
        apply(&loaded("/two", &["b", "c"]), &access, &log).await.unwrap();
        assert!(!allowed("b") && allowed("c"), "another file's denial stands");
        apply(&loaded("/two", &["c"]), &access, &log).await.unwrap();
        assert!(!allowed("b"), "and stays when the other file drops its grant");
    }

    #[tokio::test]
    async fn an_operator_s_rule_overrides_the_file_s_grant_until_it_ends() {
        let folder = tempfile::tempdir().unwrap();
        let log = AuditLog::open(folder.path().join("audit"), &AuditLogConfig::default()).unwrap();
        let access = AccessControl::open(Arc::new(MemoryAccessStore::new())).await.unwrap();
        access.set_server("s", mgp_types::access::DefaultPolicy::OptIn);
        let file = loaded("/one", &["a"]);
        let rule = |agent: &str, permission, end: Timestamp| AccessEntry {
            entry_type: EntryType::ServerGrant,
            agent_id: agent.into(),
            server_id: "s".into(),
            tool_name: Nullable::Absent,
            permission: Some(permission),
            granted_by: Nullable::Value("ann".into()),
            granted_at: Nullable::Null,
            expires_at: Nullable::Value(end.to_string()),
            justification: Nullable::Absent,
        };
        let allowed = || access.query("a", "s", None).allows();
        for permission in [AccessDecision::Deny, AccessDecision::Allow] {
            access.put(rule("a", permission, Timestamp::now() - Duration::from_secs(1))).await.unwrap();
            apply(&file, &access, &log).await.unwrap();
            assert!(allowed(), "{permission} has ended before the start");
        }
        // While the process runs.
        let denial = |time| rule("a", AccessDecision::Deny, Timestamp::now() + time);
        access.put(denial(Duration::from_secs(3600))).await.unwrap();
        apply(&file, &access, &log).await.unwrap();
        assert!(!allowed(), "it stands above the file's grant");
        access.put(denial(Duration::from_millis(50))).await.unwrap();
        let mut changes = access.changes();
        let keeping = tokio::spawn(keep(file, access.clone(), log.clone()));
        let back = async {
            while !allowed() {
                changes.changed().await.unwrap();
            }
        };
        within(back).await;
        keeping.abort();
    }
}
