//! The order in which a reload changes rights: narrower rules, then the policy, then wider rules.

use crate::support::{spec, start, within};
use async_trait::async_trait;
use mgp_discovery::config::Config;
use mgp_kernel::{AccessPolicy, AccessRequest, PolicyDecision};
use mgp_security::access::{
    AccessControl, AccessKey, AccessStore, SqlAccessStore, SqlStore, StoreError, StoredRows, UnreadableRule,
};
use mgp_types::{
    access::{AccessDecision, AccessEntry},
    context::Principal,
};
use parking_lot::Mutex;
use std::sync::{Arc, OnceLock};

/// A policy with one decision for every tool and agent.
#[derive(Debug)]
struct Always(AccessDecision);

impl AccessPolicy for Always {
    fn decide(&self, _: &AccessRequest<'_>) -> Option<PolicyDecision> {
        Some(PolicyDecision::new(self.0, "always", "the policy says so"))
    }

    fn names_agent(&self, _: &str) -> bool {
        true
    }
}

/// A store that keeps a line for each change of a rule, with the decision of the policy at that time.
#[derive(Debug)]
struct ObservedStore {
    store: SqlAccessStore,
    access: Arc<OnceLock<AccessControl>>,
    changes: Arc<Mutex<Vec<String>>>,
}

impl ObservedStore {
    fn note(&self, change: &str, tool: Option<&str>) {
        let Some(access) = self.access.get() else { return };
        let policy = if access.query("probe", "test", Some("probe")).allows() { "new" } else { "old" };
        self.changes.lock().push(format!("{change} {}, {policy} policy", tool.unwrap_or_default()));
    }
}

#[async_trait]
impl AccessStore for ObservedStore {
    async fn load(&self) -> Result<StoredRows<AccessEntry, UnreadableRule>, StoreError> {
        self.store.load().await
    }

    async fn put(&self, entry: AccessEntry) -> Result<(), StoreError> {
        let change = if entry.permission == Some(AccessDecision::Deny) { "deny" } else { "allow" };
        self.note(change, AccessKey::from(&entry).tool_name.as_deref());
        self.store.put(entry).await
    }

    async fn remove(&self, key: AccessKey) -> Result<Option<AccessEntry>, StoreError> {
        self.note("remove", key.tool_name.as_deref());
        self.store.remove(key).await
    }

    async fn version(&self) -> Result<i64, StoreError> {
        self.store.version().await
    }
}

fn config(grants: &[(&str, &str)]) -> Config {
    let grant = |(tool, permission): &(&str, &str)| {
        format!(
            "[[access.grants]]\nagent = \"ann\"\nserver = \"*\"\ntool = \"{tool}\"\npermission = \"{permission}\"\n"
        )
    };
    let text: String = grants.iter().map(grant).collect();
    Config::parse("mgp.toml".as_ref(), text.as_bytes(), &|_| None).unwrap()
}

#[tokio::test]
async fn a_policy_changes_between_narrower_and_wider_rules() {
    let observed =
        ObservedStore { store: SqlAccessStore::in_memory(), access: Arc::default(), changes: Arc::default() };
    let (known, changes) = (observed.access.clone(), observed.changes.clone());
    let access = AccessControl::open(Arc::new(observed)).await.unwrap();
    let before = config(&[("kept", "allow"), ("lost", "allow"), ("freed", "deny")]);
    let setup = start(|kernel, signals| {
        let kernel = kernel.configure(&before).unwrap().server(spec("test", signals));
        kernel.access(access).access_policy(Always(AccessDecision::Deny))
    })
    .await;
    known.set(setup.kernel.access().clone()).unwrap();
    let after = config(&[("kept", "allow"), ("barred", "deny"), ("gained", "allow")]);
    let policy = Arc::new(Always(AccessDecision::Allow));
    let operator = Principal::operator("bob");
    let changed = within(setup.kernel.reconfigure_with_policy(&after, policy, &operator)).await.unwrap();
    assert!(changed.applied.iter().any(|key| key == "access.policy_file"), "{changed:?}");
    let mut changes = changes.lock().clone();
    changes.retain(|change| !change.contains("kept"));
    let expected = [
        "deny barred, old policy",
        "remove lost, old policy",
        "remove freed, new policy",
        "allow gained, new policy",
    ];
    assert_eq!(changes, expected);
}
