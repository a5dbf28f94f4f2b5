//! The handle to permissions.

use super::{
    Approver, DecisionError, PermissionRow, PermissionRules, PermissionStore, ReplacedRows, StoreError,
    StoredRows, UnreadablePermission,
    end::end_approvals,
    evaluate::{ApprovedBy, Outcome, Standing, evaluate},
    questions::Questions,
    record::record_decision,
};
use crate::{
    audit::{AuditError, AuditSink, EventDraft},
    stored_rows::log_unreadable,
};
use arc_swap::ArcSwap;
use jiff::Timestamp;
use mgp_store::follow::{SnapshotOwner, follow};
use mgp_types::permission::{GrantScope, Permission, PermissionPolicy, PermissionState};
use std::{collections::HashMap, fmt, sync::Arc, time::Duration};
use tokio::sync::{Mutex, watch};

/// A handle to the permissions of all servers. Their status is looked up in memory; clones share the same decisions.
#[derive(Debug, Clone)]
pub struct Permissions(pub(super) Arc<PermissionCore>);

pub(super) struct PermissionCore {
    rules: ArcSwap<PermissionRules>,
    rows: ArcSwap<Rows>,
    pub(super) store: Arc<dyn PermissionStore>,
    pub(super) sink: Arc<dyn AuditSink>,
    pub(super) approver: Option<Arc<dyn Approver>>,
    pub(super) wait: Duration,
    pub(super) grant_lifetime: Option<Duration>,
    /// The clock by which approvals end.
    pub(super) clock: fn() -> Timestamp,
    pub(super) questions: Questions,
    /// Notified when the rows in memory were reloaded.
    changed: watch::Sender<()>,
    /// Notified when the decisions among the rows have changed.
    decisions: watch::Sender<()>,
    /// Held while rows are read and put in place, so that an older version never replaces a newer one.
    reloading: Mutex<()>,
}

/// The rows in memory, by server and permission.
#[derive(Debug, Default)]
struct Rows {
    rows: HashMap<Box<str>, HashMap<Permission, Arc<PermissionRow>>>,
    unreadable: Vec<UnreadablePermission>,
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

/// A builder of [`Permissions`].
#[derive(Debug)]
pub struct PermissionsBuilder(PermissionCore);

impl PermissionsBuilder {
    /// Sets the approver that is asked. Without an approver, a call that would ask for its permission is refused at once, and the
    /// permission waits for an operator's decision.
    #[must_use]
    pub fn approver(mut self, approver: Arc<dyn Approver>) -> Self {
        self.0.approver = Some(approver);
        self
    }

    /// Sets the time that a call waits for answers. The default is [`Permissions::WAIT`]. The question stays open after that time.
    #[must_use]
    pub fn wait(mut self, wait: Duration) -> Self {
        self.0.wait = wait;
        self
    }

    /// Sets the lifetime of an approval that states no end. By default, such an approval does not expire.
    #[must_use]
    pub fn grant_lifetime(mut self, lifetime: Option<Duration>) -> Self {
        self.0.grant_lifetime = lifetime;
        self
    }

    /// Sets the clock.
    #[cfg(all(test, feature = "full"))]
    pub(super) fn clock(mut self, clock: fn() -> Timestamp) -> Self {
        self.0.clock = clock;
        self
    }

    /// Reads the decisions, and follows the store until the last clone is dropped.
    ///
    /// # Errors
    /// [`StoreError`] if the decisions cannot be read.
    pub async fn open(self) -> Result<Permissions, StoreError> {
        let shared = Arc::new(self.0);
        shared.reload().await?;
        tokio::spawn(follow(Arc::downgrade(&shared)));
        tokio::spawn(end_approvals(Arc::downgrade(&shared)));
        Ok(Permissions(shared))
    }
}

impl Permissions {
    /// The time that a call waits for answers by default: less than the minute after which hosts time out.
    pub const WAIT: Duration = Duration::from_secs(45);

    /// Returns a builder with the rules of the configuration, the store of decisions, and the sink of their events.
    #[must_use]
    pub fn builder(
        rules: PermissionRules,
        store: Arc<dyn PermissionStore>,
        sink: Arc<dyn AuditSink>,
    ) -> PermissionsBuilder {
        PermissionsBuilder(PermissionCore {
            rules: ArcSwap::from_pointee(rules),
            rows: ArcSwap::default(),
            store,
            sink,
            approver: None,
            wait: Self::WAIT,
            grant_lifetime: None,
            clock: Timestamp::now,
            questions: Questions::default(),
            changed: watch::Sender::default(),
            decisions: watch::Sender::default(),
            reloading: Mutex::default(),
        })
    }

    /// Returns the state of a permission of a server.
    #[must_use]
    pub fn state(&self, server_id: &str, permission: &Permission) -> PermissionState {
        match self.0.standing(server_id, permission) {
            Standing { outcome: Outcome::Approved(_), .. } => PermissionState::Approved,
            Standing { outcome: Outcome::Refused(state), .. } => state,
            Standing { outcome: Outcome::Deny, .. } => PermissionState::Denied,
            Standing { ran_out: Some(_), .. } => PermissionState::Expired,
            Standing { .. } => PermissionState::Deferred,
        }
    }

    /// Returns whether a server has every one of these permissions, so that its tools that need them can be offered. A permission that
    /// the policy approves when it is needed counts.
    #[must_use]
    pub fn has_all<'a>(
        &self,
        server_id: &str,
        permissions: impl IntoIterator<Item = &'a Permission>,
    ) -> bool {
        permissions.into_iter().all(|permission| {
            matches!(self.0.standing(server_id, permission).outcome, Outcome::Approved(_) | Outcome::Approve)
        })
    }

    /// Returns the policy for undecided permissions.
    #[must_use]
    pub fn policy(&self) -> PermissionPolicy {
        self.0.policy()
    }

    /// Replaces the rules of the configuration. They hold when this method returns.
    pub fn set_rules(&self, rules: PermissionRules) {
        self.0.rules.store(Arc::new(rules));
        self.0.changed.send_replace(());
        self.0.decisions.send_replace(());
    }

    /// Returns whether a permission waits for an operator: it is undecided or its approval has expired, and the policy accepts approvals
    /// by operators.
    #[must_use]
    pub fn waits(&self, server_id: &str, permission: &Permission) -> bool {
        match self.0.standing(server_id, permission).outcome {
            Outcome::Ask => true,
            Outcome::Refused(state) => matches!(state, PermissionState::Deferred | PermissionState::Expired),
            Outcome::Approved(_) | Outcome::Approve | Outcome::Deny => false,
        }
    }

    /// Returns whether the approver is asked when a call needs a permission.
    #[must_use]
    pub fn asks(&self, server_id: &str, permission: &Permission) -> bool {
        self.0.standing(server_id, permission).outcome == Outcome::Ask
    }

    /// Returns the approver of a permission that a server has, and the time at which the approval ends, if any.
    #[must_use]
    pub fn approval(&self, server_id: &str, permission: &Permission) -> Option<(String, Option<Timestamp>)> {
        let Outcome::Approved(by) = self.0.standing(server_id, permission).outcome else { return None };
        let row = self.0.row(server_id, permission).filter(|_| by != ApprovedBy::Configuration);
        let decider =
            row.as_ref().filter(|_| by == ApprovedBy::Operator).and_then(|row| row.decided_by.clone());
        Some((decider.unwrap_or_else(|| by.as_str().to_owned()), row.and_then(|row| row.expires_at)))
    }

    /// Returns the limits of the approval of a permission that a server has; `None` if it has none.
    #[must_use]
    pub fn scope(&self, server_id: &str, permission: &Permission) -> Option<GrantScope> {
        match self.0.standing(server_id, permission).outcome {
            Outcome::Approved(ApprovedBy::Operator) => self.0.row(server_id, permission)?.scope.clone(),
            _ => None,
        }
    }

    /// Returns the decisions and questions that cannot be read.
    #[must_use]
    pub fn unreadable(&self) -> Vec<UnreadablePermission> {
        self.0.rows.load().unreadable.clone()
    }

    /// Returns a receiver that is notified whenever decisions have changed, including changes by another process. An open question is
    /// not a decision.
    #[must_use]
    pub fn decisions(&self) -> watch::Receiver<()> {
        self.0.decisions.subscribe()
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
