//! The state that clones of the handle to permissions share.

use super::{
    Approver, DecisionError, PermissionRow, PermissionRules, PermissionStore, ReplacedRows, StoreError,
    StoredRows, UnreadablePermission,
    evaluate::{Outcome, Standing, evaluate},
    questions::Questions,
    record::record_decision,
};
use crate::{
    audit::{AuditError, AuditSink, EventDraft},
    stored_rows::log_unreadable,
};
use arc_swap::ArcSwap;
use jiff::Timestamp;
use mgp_store::follow::SnapshotOwner;
use mgp_types::permission::{Permission, PermissionPolicy, PermissionState};
use std::{collections::HashMap, fmt, sync::Arc, time::Duration};
use tokio::sync::{Mutex, watch};

/// The state that clones of the handle to permissions share.
pub(super) struct PermissionCore {
    pub(super) rules: ArcSwap<PermissionRules>,
    pub(super) rows: ArcSwap<Rows>,
    pub(super) store: Arc<dyn PermissionStore>,
    pub(super) sink: Arc<dyn AuditSink>,
    pub(super) approver: Option<Arc<dyn Approver>>,
    pub(super) wait: Duration,
    pub(super) grant_lifetime: Option<Duration>,
    /// The clock by which approvals end.
    pub(super) clock: fn() -> Timestamp,
    pub(super) questions: Questions,
    /// Notified when the rows in memory were reloaded.
    pub(super) changed: watch::Sender<()>,
    /// Notified when the decisions among the rows have changed.
    pub(super) decisions: watch::Sender<()>,
    /// Held while rows are read and put in place, so that an older version never replaces a newer one.
    pub(super) reloading: Mutex<()>,
}

/// The rows in memory, by server and permission.
#[derive(Debug, Default)]
pub(super) struct Rows {
    rows: HashMap<Box<str>, HashMap<Permission, Arc<PermissionRow>>>,
    pub(super) unreadable: Vec<UnreadablePermission>,
}

impl Rows {
    fn of(stored: StoredRows<PermissionRow, UnreadablePermission>) -> Self {
        let mut rows = Self { rows: HashMap::new(), unreadable: stored.unreadable };
        for row in stored.rows {
            let server = rows.rows.entry(row.server_id.as_str().into()).or_default();
            server.insert(row.permission.clone(), Arc::new(row));
        }
        rows
    }

    fn get(&self, server_id: &str, permission: &Permission) -> Option<&Arc<PermissionRow>> {
        self.rows.get(server_id)?.get(permission)
    }

    /// Returns whether an unreadable row may be about a permission. It counts only if no other row is about that permission.
    fn is_unreadable(&self, server_id: &str, permission: &Permission) -> bool {
        self.unreadable.iter().any(|row| row.may_be_about(server_id, permission))
    }
}

impl PermissionCore {
    /// Returns the policy for undecided permissions.
    pub(super) fn policy(&self) -> PermissionPolicy {
        self.rules.load().policy
    }

    pub(super) fn standing(&self, server_id: &str, permission: &Permission) -> Standing {
        let (rows, rules) = (self.rows.load(), self.rules.load());
        let unreadable;
        let row = match rows.get(server_id, permission) {
            None if rows.is_unreadable(server_id, permission) => {
                unreadable = PermissionRow::unreadable(server_id, permission);
                Some(&unreadable)
            }
            row => row.map(|row| &**row),
        };
        let standing = evaluate(&rules, server_id, permission, row, (self.clock)());
        if standing.outcome != Outcome::Ask || self.approver.is_some() {
            return standing;
        }
        // Nobody can be asked here: the permission waits for an operator's decision.
        let has_expired =
            standing.ran_out.is_some() || row.is_some_and(|row| row.state == PermissionState::Expired);
        let state = if has_expired { PermissionState::Expired } else { PermissionState::Deferred };
        Standing { outcome: Outcome::Refused(state), ..standing }
    }

    pub(super) fn row(&self, server_id: &str, permission: &Permission) -> Option<Arc<PermissionRow>> {
        self.rows.load().get(server_id, permission).cloned()
    }

    /// Returns the number of open questions about a server.
    pub(super) fn open_questions(&self, server_id: &str) -> usize {
        let rows = self.rows.load();
        let of_server = rows.rows.get(server_id).into_iter().flat_map(HashMap::values);
        of_server.filter(|row| row.state == PermissionState::Deferred).count()
    }

    /// Returns a receiver that is notified when the rows in memory were reloaded.
    pub(super) fn changes(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }

    /// Returns the approvals with an end, each with that end.
    pub(super) fn ends(&self) -> Vec<(Arc<PermissionRow>, Timestamp)> {
        let rows = self.rows.load();
        let approved = rows.rows.values().flat_map(HashMap::values);
        let approved = approved.filter(|row| row.state == PermissionState::Approved);
        approved.filter_map(|row| Some((row.clone(), row.expires_at?))).collect()
    }

    /// Waits until a permission no longer needs an answer.
    pub(super) async fn answered(&self, server_id: &str, permission: &Permission) {
        let mut changed = self.changed.subscribe();
        while self.standing(server_id, permission).outcome == Outcome::Ask {
            if changed.changed().await.is_err() {
                return;
            }
        }
    }

    /// Stores a decision if `replaces` covers the existing row, with an event of the intent before the decision takes effect and one
    /// of the outcome after. Returns whether the decision was stored.
    pub(super) async fn decide(
        &self,
        row: PermissionRow,
        replaces: ReplacedRows,
        event: EventDraft,
    ) -> Result<bool, DecisionError> {
        let store = |event| self.store.decide(row, replaces, event);
        let decided = record_decision(&self.sink, event, store).await;
        let reloaded = self.reload().await;
        let won = decided?;
        reloaded?;
        Ok(won)
    }

    pub(super) async fn record(&self, draft: EventDraft) -> Result<(), AuditError> {
        self.sink.record(draft.finish()).await
    }
}

impl SnapshotOwner for PermissionCore {
    async fn version(&self) -> Result<i64, StoreError> {
        self.store.version().await
    }

    async fn reload(&self) -> Result<(), StoreError> {
        let _order = self.reloading.lock().await;
        let rows = Arc::new(Rows::of(self.store.load().await?));
        let before = self.rows.swap(rows.clone());
        log_unreadable(&before.unreadable, &rows.unreadable);
        self.changed.send_replace(());
        if decisions(&before).count() != decisions(&rows).count()
            || decisions(&rows).any(|row| before.get(&row.server_id, &row.permission) != Some(row))
            || before.unreadable != rows.unreadable
        {
            self.decisions.send_replace(());
        }
        Ok(())
    }
}

/// Returns the rows other than open questions.
fn decisions(rows: &Rows) -> impl Iterator<Item = &Arc<PermissionRow>> {
    rows.rows.values().flat_map(HashMap::values).filter(|row| !row.is_undecided())
}

impl fmt::Debug for PermissionCore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared")
            .field("rules", &self.rules)
            .field("store", &self.store)
            .finish_non_exhaustive()
    }
}
