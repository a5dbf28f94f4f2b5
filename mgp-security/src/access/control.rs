//! §5.2 The handle on access control.

use super::{
    AccessDenial, AccessKey, AccessStore, Judgement, StoreError, UnreadableRule,
    snapshot::{Known, Rules, Snapshot},
};
use crate::follow::{Followed, follow, log_unreadable};
use arc_swap::ArcSwap;
use mgp_types::{
    access::{AccessEntry, DefaultPolicy},
    context::{Principal, ToolId},
};
use std::{fmt, sync::Arc};
use tokio::sync::{Mutex, watch};

/// Which agent may use which tool. Answers from memory; a clone is the same control.
///
/// First match wins: a rule for the tool, a rule for the server, the server's default policy. Rules that have run out
/// do not count. An agent is denied that neither the configuration names nor a rule lets do something, and so is a server that nobody
/// named.
#[derive(Debug, Clone)]
pub struct AccessControl(Arc<Shared>);

struct Shared {
    snapshot: ArcSwap<Snapshot>,
    store: Arc<dyn AccessStore>,
    /// Says that the rules in memory are other ones.
    changed: watch::Sender<()>,
    /// Held while the rules are read and put in place, so that an older reading never replaces a newer one.
    reloading: Mutex<()>,
}

impl Followed for Shared {
    async fn version(&self) -> Result<i64, StoreError> {
        self.store.version().await
    }

    async fn reload(&self) -> Result<(), StoreError> {
        let _order = self.reloading.lock().await;
        let rules = Arc::new(Rules::new(self.store.load().await?));
        let before = self.snapshot.rcu(|old| Snapshot { rules: rules.clone(), known: old.known.clone() });
        log_unreadable(before.rules.unreadable(), rules.unreadable());
        if before.rules != rules {
            self.changed.send_replace(());
        }
        Ok(())
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").field("store", &self.store).finish_non_exhaustive()
    }
}

impl AccessControl {
    /// Reads the rules, and follows the store until the last clone is dropped.
    ///
    /// # Errors
    /// [`StoreError`] where the rules cannot be read.
    pub async fn open(store: Arc<dyn AccessStore>) -> Result<Self, StoreError> {
        let (snapshot, changed) = (ArcSwap::default(), watch::Sender::new(()));
        let shared = Arc::new(Shared { snapshot, store, changed, reloading: Mutex::new(()) });
        shared.reload().await?;
        tokio::spawn(follow(Arc::downgrade(&shared)));
        Ok(Self(shared))
    }

    /// Names a server, with what holds where there is no rule. A server that is not named is denied to everybody.
    pub fn set_server(&self, server_id: &str, policy: DefaultPolicy) {
        self.change_known(|known| {
            known.servers.insert(server_id.into(), policy);
        });
    }

    /// Forgets a server. Its rules stay, for when it comes back.
    pub fn remove_server(&self, server_id: &str) {
        self.change_known(|known| {
            known.servers.remove(server_id);
        });
    }

    /// Names an agent, so that default policies hold for it. One that a rule lets do something is known for as long as that holds.
    pub fn add_agent(&self, agent_id: &str) {
        self.change_known(|known| {
            known.agents.insert(agent_id.into());
        });
    }

    /// Returns what the rules say of a principal and a tool: for one that acts for others, the first judgement that denies it to one
    /// of them.
    #[must_use]
    pub fn check(&self, principal: &Principal, tool: &ToolId) -> Judgement {
        match self.authorize(principal, tool) {
            Ok(judgement) => judgement,
            Err(denial) => denial.judgement,
        }
    }

    /// Returns the judgement on a principal's own right to a tool, where it and everybody whom it acts for have that.
    ///
    /// # Errors
    /// [`AccessDenial`], naming the first of them who does not.
    pub fn authorize(&self, principal: &Principal, tool: &ToolId) -> Result<Judgement, AccessDenial> {
        self.0.snapshot.load().authorize(principal, tool)
    }

    /// What the rules say of an agent and a server, or one of its tools.
    #[must_use]
    pub fn query(&self, agent_id: &str, server_id: &str, tool_name: Option<&str>) -> Judgement {
        self.0.snapshot.load().judge(agent_id, server_id, tool_name, jiff::Timestamp::now)
    }

    /// Returns whether the rules let a principal use a server or one of its tools, whether there is such a tool or not: for one that
    /// acts for others, whether they let each of them.
    #[must_use]
    pub fn allows_some(&self, principal: &Principal, server_id: &str) -> bool {
        let snapshot = self.0.snapshot.load();
        principal.parties().all(|agent| snapshot.allows_some(agent, server_id))
    }

    /// Keeps a rule; it replaces the one for the same agent, server and tool. It holds when this returns.
    ///
    /// # Errors
    /// [`StoreError`] where it cannot be kept.
    pub async fn put(&self, entry: AccessEntry) -> Result<(), StoreError> {
        self.keep(entry).await?;
        self.reload().await
    }

    /// Removes a rule, and returns it where there was one. It no longer holds when this returns.
    ///
    /// # Errors
    /// [`StoreError`] where it cannot be removed.
    pub async fn remove(&self, key: AccessKey) -> Result<Option<AccessEntry>, StoreError> {
        let removed = self.take_out(key).await?;
        self.reload().await?;
        Ok(removed)
    }

    /// Keeps a rule in the store. It holds here when [`reload`](Self::reload) returns.
    pub(super) async fn keep(&self, entry: AccessEntry) -> Result<(), StoreError> {
        self.0.store.put(entry).await
    }

    /// Removes a rule from the store. It holds here until [`reload`](Self::reload) returns.
    pub(super) async fn take_out(&self, key: AccessKey) -> Result<Option<AccessEntry>, StoreError> {
        self.0.store.remove(key).await
    }

    /// Puts what the store holds in force.
    pub(super) async fn reload(&self) -> Result<(), StoreError> {
        self.0.reload().await
    }

    /// Tells each time the rules have changed, whoever changed them, another process included.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<()> {
        self.0.changed.subscribe()
    }

    /// Reads every rule, as it is stored, but those that [cannot be read](Self::unreadable).
    ///
    /// # Errors
    /// [`StoreError`] where the store cannot be read.
    pub async fn entries(&self) -> Result<Vec<AccessEntry>, StoreError> {
        Ok(self.0.store.load().await?.rows)
    }

    /// Returns the rules in force that cannot be read.
    #[must_use]
    pub fn unreadable(&self) -> Vec<UnreadableRule> {
        self.0.snapshot.load().rules.unreadable().to_vec()
    }

    pub(super) fn snapshot(&self) -> Arc<Snapshot> {
        self.0.snapshot.load_full()
    }

    fn change_known(&self, change: impl Fn(&mut Known)) {
        self.0.snapshot.rcu(|old| {
            let mut known = Known::clone(&old.known);
            change(&mut known);
            Snapshot { rules: old.rules.clone(), known: Arc::new(known) }
        });
    }
}
