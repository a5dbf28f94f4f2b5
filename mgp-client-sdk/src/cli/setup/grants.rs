//! The grants that stand in the configuration, brought into access control.

use super::config::Loaded;
use crate::cli::error::CliError;
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
use std::{collections::HashSet, sync::Arc};

/// Who makes these rules.
pub(super) const CONFIG: &str = "config";

/// Adds the grants that the file has, and takes away those that it had. A rule that an operator made for the same agent,
/// server and tool stays: it is the later word.
pub(super) async fn apply(loaded: &Loaded, access: &AccessControl, log: &AuditLog) -> Result<(), CliError> {
    let by = Principal::operator(CONFIG);
    let methods = AccessMethods::new(access.clone(), Arc::new(log.clone()));
    // Several kernels share the state, each with its own file: a rule names the file that it came from.
    let file = loaded.file.path.display().to_string();
    let entries = access.entries().await?;
    let there: HashSet<AccessKey> = entries.iter().map(AccessKey::from).collect();
    let wanted: HashSet<AccessKey> = loaded.config.access.grants.iter().map(key).collect();
    for key in wanted.difference(&there) {
        methods.grant(&by, grant(key, &file)).await?;
    }
    let ours = |entry: &&AccessEntry| {
        let text =
            |value: &Nullable<String>, expected: &str| value.get().is_some_and(|text| text == expected);
        text(&entry.granted_by, CONFIG) && text(&entry.justification, &file)
    };
    for key in entries.iter().filter(ours).map(AccessKey::from).filter(|key| !wanted.contains(key)) {
        methods.revoke(&by, revocation(key)).await?;
    }
    Ok(())
}

fn key(grant: &Grant) -> AccessKey {
    AccessKey {
        entry_type: if grant.tool.is_some() { EntryType::ToolGrant } else { EntryType::ServerGrant },
        agent_id: grant.agent.clone(),
        server_id: grant.server.clone(),
        tool_name: grant.tool.clone(),
    }
}

fn grant(key: &AccessKey, file: &str) -> AccessGrantParams {
    AccessGrantParams {
        entry_type: key.entry_type,
        agent_id: key.agent_id.clone(),
        server_id: key.server_id.clone(),
        tool_name: key.tool_name.clone().into(),
        permission: AccessDecision::Allow,
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

    fn loaded(path: &str, agents: &[&str]) -> Loaded {
        let mut config = Config::default();
        let grant = |agent: &&str| Grant { agent: (*agent).into(), server: "s".into(), tool: None };
        config.access.grants = agents.iter().map(grant).collect();
        Loaded { file: ConfigFile { path: path.into(), origin: Origin::Named }, config }
    }

    #[tokio::test]
    async fn a_grant_comes_and_goes_with_its_file_and_an_operator_s_rule_stays() {
        let folder = tempfile::tempdir().unwrap();
        let log = AuditLog::open(folder.path().join("audit"), &AuditLogConfig::default()).unwrap();
        let access = AccessControl::open(Arc::new(MemoryAccessStore::new())).await.unwrap();
        let mut denied = grant(&key(&loaded("/x", &["denied"]).config.access.grants[0]), "by hand");
        denied.permission = AccessDecision::Deny;
        let methods = AccessMethods::new(access.clone(), Arc::new(log.clone()));
        methods.grant(&Principal::operator("ann"), denied).await.unwrap();
        access.set_server("s", mgp_types::access::DefaultPolicy::OptIn);
        let allowed = |agent: &str| access.query(agent, "s", None).allows();

        apply(&loaded("/one", &["a", "b", "denied"]), &access, &log).await.unwrap();
        apply(&loaded("/two", &["c"]), &access, &log).await.unwrap();
        assert!(allowed("a") && allowed("b") && allowed("c") && !allowed("denied"));

        apply(&loaded("/one", &["b"]), &access, &log).await.unwrap();
        assert!(!allowed("a") && allowed("b") && allowed("c") && !allowed("denied"));
    }
}
