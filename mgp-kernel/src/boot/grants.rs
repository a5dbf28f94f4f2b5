//! Applies the grants of the configuration to access control.

use jiff::Timestamp;
use mgp_discovery::config::Grant;
use mgp_security::{
    access::{AccessControl, AccessKey, AccessMethods},
    audit::AuditSink,
};
use mgp_types::{
    access::{AccessDecision, AccessEntry, AccessGrantParams, AccessRevokeParams},
    context::Principal,
    json::Nullable,
    rpc::ErrorObject,
};
use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Weak},
    time::Duration,
};
use tokio::sync::{Mutex, MutexGuard, watch};

/// The actor that creates these rules.
const CONFIG: &str = "config";

/// The rules of some grants. Of two grants with the same names, a denial wins.
type Rules = HashMap<AccessKey, AccessDecision>;

/// The grants of the configuration, as rules of the access control.
pub(super) struct ConfiguredGrants {
    access: AccessControl,
    methods: AccessMethods,
    /// The name of the configuration in its rules. Several kernels share the state, each with its own configuration.
    name: String,
    /// The rules that are in force, or are being applied. Locked during a reload.
    rules: Mutex<Rules>,
    replaced: watch::Sender<()>,
}

/// The grants of another configuration, of which only the removals and denials are applied.
pub(super) struct NarrowedGrants<'a> {
    grants: &'a ConfiguredGrants,
    rules: MutexGuard<'a, Rules>,
    after: Rules,
}

impl ConfiguredGrants {
    /// Applies the grants of the configuration of this name, and removes the rules of its earlier grants. An operator's rule for the same agent, server
    /// and tool stays while it is valid, because it is the later decision. A denial of another configuration stays, too.
    pub(super) async fn apply(
        name: Option<&str>,
        grants: &[Grant],
        access: AccessControl,
        sink: Arc<dyn AuditSink>,
    ) -> Result<Arc<Self>, ErrorObject> {
        let applied = Arc::new(Self {
            methods: AccessMethods::new(access.clone(), sink),
            access,
            name: name.unwrap_or("configuration").to_owned(),
            rules: Mutex::default(),
            replaced: watch::Sender::default(),
        });
        applied.narrow(grants).await?.widen().await?;
        tokio::spawn(keep(applied.access.changes(), Arc::downgrade(&applied)));
        Ok(applied)
    }

    /// Removes the rights that the grants of another configuration would remove. If that fails, the rights are restored.
    pub(super) async fn narrow(&self, grants: &[Grant]) -> Result<NarrowedGrants<'_>, ErrorObject> {
        let narrowed = NarrowedGrants { grants: self, rules: self.rules.lock().await, after: rules(grants) };
        match self.remove(&narrowed.after).await {
            Ok(()) => Ok(narrowed),
            Err(error) => {
                narrowed.restore().await;
                Err(error)
            }
        }
    }

    /// Adds the rules that deny, and removes those that allow and are not among these rules.
    async fn remove(&self, rules: &Rules) -> Result<(), ErrorObject> {
        self.establish(rules, |_, permission| permission == AccessDecision::Deny).await?;
        self.revoke_others(rules, |permission| permission != Some(AccessDecision::Deny)).await
    }

    /// Adds the rules that allow, and removes all that are not among these rules. Of the rules of two configurations, a denial wins.
    async fn add(&self, rules: &Rules) -> Result<(), ErrorObject> {
        self.revoke_others(rules, |_| true).await?;
        let entries = self.access.entries().await.map_err(unreadable)?;
        let denied = entries.iter().filter(|entry| entry.permission == Some(AccessDecision::Deny));
        let denied = denied.filter(|entry| is_text(&entry.granted_by, CONFIG) && !self.is_ours(entry));
        let denied: HashSet<_> = denied.map(AccessKey::from).collect();
        self.establish(rules, |key, permission| permission == AccessDecision::Allow && !denied.contains(key))
            .await
    }

    /// Removes the chosen rules of this configuration that are not among these.
    async fn revoke_others(
        &self,
        rules: &Rules,
        is_chosen: impl Fn(Option<AccessDecision>) -> bool,
    ) -> Result<(), ErrorObject> {
        let entries = self.access.entries().await.map_err(unreadable)?;
        let ours = entries.iter().filter(|entry| self.is_ours(entry) && is_chosen(entry.permission));
        for key in ours.map(AccessKey::from).filter(|key| !rules.contains_key(key)) {
            self.methods.revoke(&Principal::operator(CONFIG), revocation(key)).await?;
        }
        Ok(())
    }

    /// Adds the chosen rules.
    async fn establish(
        &self,
        rules: &Rules,
        is_chosen: impl Fn(&AccessKey, AccessDecision) -> bool,
    ) -> Result<(), ErrorObject> {
        let chosen = rules.iter().filter(|(key, permission)| is_chosen(key, **permission));
        let chosen = chosen.map(|(key, permission)| grant(key, *permission, &self.name)).collect();
        self.methods.establish(&Principal::operator(CONFIG), chosen).await
    }

    fn is_ours(&self, entry: &AccessEntry) -> bool {
        is_text(&entry.granted_by, CONFIG) && is_text(&entry.justification, &self.name)
    }

    /// Returns the time of the next check for rules that have ended; `None` if no rule for the same names as a grant ends.
    async fn next_end(&self) -> Option<Timestamp> {
        match self.access.entries().await {
            Ok(entries) => {
                let rules = self.rules.lock().await;
                let same = entries.into_iter().filter(|entry| rules.contains_key(&AccessKey::from(entry)));
                same.filter_map(|entry| end_of(&entry)).min()
            }
            Err(error) => {
                tracing::warn!(%error, "failed to look for rules that end; retrying");
                Some(Timestamp::now() + LOOK_AGAIN)
            }
        }
    }

    /// Applies the current grants again.
    async fn apply_again(&self) -> Result<(), ErrorObject> {
        let rules = self.rules.lock().await;
        self.remove(&rules).await?;
        self.add(&rules).await
    }
}

impl NarrowedGrants<'_> {
    /// Adds the rights of the grants.
    pub(super) async fn widen(mut self) -> Result<(), ErrorObject> {
        *self.rules = self.after;
        self.grants.replaced.send_replace(());
        self.grants.add(&self.rules).await
    }

    /// Restores the rights of the grants before.
    pub(super) async fn restore(self) {
        let restored = match self.grants.remove(&self.rules).await {
            Ok(()) => self.grants.add(&self.rules).await,
            Err(error) => Err(error),
        };
        if let Err(error) = restored {
            tracing::error!(error = error.message, "removed grants could not be restored");
        }
    }
}

/// Restores a grant as soon as an operator's rule for the same agent, server and tool ends, until the kernel is gone.
async fn keep(mut changes: watch::Receiver<()>, grants: Weak<ConfiguredGrants>) {
    let Some(mut replaced) = grants.upgrade().map(|grants| grants.replaced.subscribe()) else { return };
    loop {
        changes.mark_unchanged();
        replaced.mark_unchanged();
        let Some(current) = grants.upgrade() else { return };
        let end = current.next_end().await;
        drop(current);
        let pause = end.map(|end| Duration::try_from(end - Timestamp::now()).unwrap_or_default());
        let ended = async {
            match pause {
                // The clock may be changed during the pause.
                Some(pause) => tokio::time::sleep(pause.min(LOOK_AGAIN)).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            changed = changes.changed() => if changed.is_err() { return },
            changed = replaced.changed() => if changed.is_err() { return },
            () = ended => {
                let Some(current) = grants.upgrade() else { return };
                let again = current.apply_again().await;
                drop(current);
                if let Err(error) = again {
                    tracing::warn!(error = error.message, "failed to restore a grant of the configuration; retrying");
                    tokio::time::sleep(LOOK_AGAIN).await;
                }
            }
        }
    }
}

/// The longest interval between two checks for rules that have ended.
const LOOK_AGAIN: Duration = Duration::from_secs(60);

fn is_text(value: &Nullable<String>, expected: &str) -> bool {
    value.get().is_some_and(|text| text == expected)
}

fn unreadable(error: impl std::fmt::Display) -> ErrorObject {
    ErrorObject::internal(error.to_string())
}

/// Returns the expiry of a rule, if it has one. If an allowing rule's expiry cannot be read, returns a time in the past.
fn end_of(entry: &AccessEntry) -> Option<Timestamp> {
    let end = entry.expires_at.get()?.parse();
    match entry.permission {
        Some(AccessDecision::Deny) => end.ok(),
        _ => Some(end.unwrap_or(Timestamp::MIN)),
    }
}

fn rules(grants: &[Grant]) -> Rules {
    let mut rules = Rules::new();
    for grant in grants {
        let permission = rules.entry(AccessKey::from(&AccessEntry::from(grant))).or_insert(grant.permission);
        if grant.permission == AccessDecision::Deny {
            *permission = AccessDecision::Deny;
        }
    }
    rules
}

fn grant(key: &AccessKey, permission: AccessDecision, name: &str) -> AccessGrantParams {
    AccessGrantParams {
        entry_type: key.entry_type,
        agent_id: key.agent_id.clone(),
        server_id: key.server_id.clone(),
        tool_name: key.tool_name.clone().into(),
        permission,
        granted_by: Nullable::Absent,
        justification: Nullable::Value(name.to_owned()),
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
    use mgp_security::{
        access::{SqlAccessStore, SqlStore},
        audit::MemorySink,
    };
    use mgp_types::access::{DefaultPolicy, EntryType};
    use xtask_testing::within;

    fn allow(agent: &str) -> Grant {
        Grant { agent: agent.into(), server: "s".into(), tool: None, permission: AccessDecision::Allow }
    }

    async fn apply(name: &str, grants: &[Grant], access: &AccessControl) -> Arc<ConfiguredGrants> {
        let sink = Arc::new(MemorySink::new(100));
        ConfiguredGrants::apply(Some(name), grants, access.clone(), sink).await.unwrap()
    }

    async fn access() -> AccessControl {
        let access = AccessControl::open(Arc::new(SqlAccessStore::in_memory())).await.unwrap();
        access.set_server("s", DefaultPolicy::OptIn);
        access
    }

    #[tokio::test]
    async fn a_grant_follows_its_file_and_keeps_an_operator_s_rule() {
        let access = access().await;
        access.put(AccessEntry::deny("denied").server("s").granted_by("ann")).await.unwrap();
        let allowed = |agent: &str| access.query(agent, "s", None).allows();

        apply("/one", &["a", "b", "denied"].map(allow), &access).await;
        apply("/two", &[allow("c")], &access).await;
        assert!(allowed("a") && allowed("b") && allowed("c") && !allowed("denied"));

        apply("/one", &[allow("b")], &access).await;
        assert!(!allowed("a") && allowed("b") && allowed("c") && !allowed("denied"));

        let denial = Grant { permission: AccessDecision::Deny, ..allow("b") };
        apply("/one", &[denial, allow("b")], &access).await;
        assert!(!allowed("b"), "of two grants with the same names, the one that denies counts");
        apply("/two", &["b", "c"].map(allow), &access).await;
        assert!(!allowed("b") && allowed("c"), "another file's denial stands");
        apply("/two", &[allow("c")], &access).await;
        assert!(!allowed("b"), "and stays when the other file drops its grant");
    }

    #[tokio::test]
    async fn a_change_that_is_given_up_restores_the_grants() {
        let access = access().await;
        let allowed = |agent: &str| access.query(agent, "s", None).allows();
        let grants = apply("/one", &[allow("a")], &access).await;
        let narrowed = grants.narrow(&[allow("b")]).await.unwrap();
        assert!(!allowed("a") && !allowed("b"), "rights are taken away first");
        narrowed.restore().await;
        assert!(allowed("a") && !allowed("b"));
        grants.narrow(&[allow("b")]).await.unwrap().widen().await.unwrap();
        assert!(!allowed("a") && allowed("b"));
    }

    #[tokio::test]
    async fn an_operator_s_rule_overrides_the_file_s_grant_until_it_ends() {
        let access = access().await;
        let rule = |permission, end: Timestamp| AccessEntry {
            entry_type: EntryType::ServerGrant,
            agent_id: "a".into(),
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
            access.put(rule(permission, Timestamp::now() - Duration::from_secs(1))).await.unwrap();
            apply("/one", &[allow("a")], &access).await;
            assert!(allowed(), "{permission} has ended before the start");
        }
        // While the kernel runs.
        let denial = |time| rule(AccessDecision::Deny, Timestamp::now() + time);
        access.put(denial(Duration::from_secs(3600))).await.unwrap();
        let _grants = apply("/one", &[allow("a")], &access).await;
        assert!(!allowed(), "it stands above the file's grant");
        access.put(denial(Duration::from_millis(50))).await.unwrap();
        let mut changes = access.changes();
        let back = async {
            while !allowed() {
                changes.changed().await.unwrap();
            }
        };
        within(back).await;
    }
}
