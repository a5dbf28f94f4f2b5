//! The handle on permissions.

use super::{
    Approver, DecisionError, PermissionRow, PermissionRules, PermissionStore, Recording, Replaces,
    StoreError, StoredRows, UnreadablePermission,
    evaluate::{ApprovedBy, Outcome, Standing, evaluate},
    questions::Questions,
};
use crate::{
    audit::{AuditError, AuditSink, EventDraft},
    follow::{Followed, follow, log_unreadable},
};
use arc_swap::ArcSwap;
use jiff::Timestamp;
use mgp_types::{
    context::RiskLevel,
    permission::{Permission, PermissionPolicy, PermissionState},
};
use std::{collections::HashMap, fmt, sync::Arc, time::Duration};
use tokio::sync::{Mutex, watch};

/// Where every permission of every server stands. Answers from memory; a clone is the same handle.
#[derive(Debug, Clone)]
pub struct Permissions(pub(super) Arc<Shared>);

pub(super) struct Shared {
    pub(super) rules: PermissionRules,
    rows: ArcSwap<Rows>,
    pub(super) store: Arc<dyn PermissionStore>,
    sink: Arc<dyn AuditSink>,
    pub(super) approver: Option<Arc<dyn Approver>>,
    pub(super) wait: Duration,
    pub(super) grant_lifetime: Option<Duration>,
    pub(super) questions: Questions,
    /// Says that the rows in memory are new ones.
    changed: watch::Sender<()>,
    /// Says that the decisions among them are other ones.
    decisions: watch::Sender<()>,
    /// Held while rows are read and put in place, so that an older reading never replaces a newer one.
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

    /// Returns whether a row that cannot be read may be about a permission that no other row is about.
    fn is_unreadable(&self, server_id: &str, permission: &Permission) -> bool {
        self.unreadable.iter().any(|row| row.may_be_about(server_id, permission))
    }
}

/// Settings of [`Permissions`].
#[derive(Debug)]
pub struct PermissionsBuilder {
    rules: PermissionRules,
    store: Arc<dyn PermissionStore>,
    sink: Arc<dyn AuditSink>,
    approver: Option<Arc<dyn Approver>>,
    wait: Duration,
    grant_lifetime: Option<Duration>,
}

impl PermissionsBuilder {
    /// Who is asked. Without an approver, what would be asked is refused.
    #[must_use]
    pub fn approver(mut self, approver: Arc<dyn Approver>) -> Self {
        self.approver = Some(approver);
        self
    }

    /// Sets how long a call waits for answers; [`Permissions::WAIT`] otherwise. The question stays open after that.
    #[must_use]
    pub fn wait(mut self, wait: Duration) -> Self {
        self.wait = wait;
        self
    }

    /// How long an approval holds for which the approver says no end; for good otherwise.
    #[must_use]
    pub fn grant_lifetime(mut self, lifetime: Option<Duration>) -> Self {
        self.grant_lifetime = lifetime;
        self
    }

    /// Reads the decisions, and follows the store until the last clone is dropped.
    ///
    /// # Errors
    /// [`StoreError`] where they cannot be read.
    pub async fn open(mut self) -> Result<Permissions, StoreError> {
        if self.approver.is_none() && self.rules.policy == PermissionPolicy::Interactive {
            self.rules.policy = PermissionPolicy::DenyAll;
        }
        let shared = Arc::new(Shared {
            rules: self.rules,
            rows: ArcSwap::default(),
            store: self.store,
            sink: self.sink,
            approver: self.approver,
            wait: self.wait,
            grant_lifetime: self.grant_lifetime,
            questions: Questions::default(),
            changed: watch::Sender::new(()),
            decisions: watch::Sender::new(()),
            reloading: Mutex::new(()),
        });
        shared.reload().await?;
        tokio::spawn(follow(Arc::downgrade(&shared)));
        Ok(Permissions(shared))
    }
}

impl Permissions {
    /// The time that a call waits for answers where nothing else is said: less than the minute after which hosts give up.
    pub const WAIT: Duration = Duration::from_secs(45);

    /// Starts with what the configuration says, where decisions are kept, and where events go.
    #[must_use]
    pub fn builder(
        rules: PermissionRules,
        store: Arc<dyn PermissionStore>,
        sink: Arc<dyn AuditSink>,
    ) -> PermissionsBuilder {
        PermissionsBuilder { rules, store, sink, approver: None, wait: Self::WAIT, grant_lifetime: None }
    }

    /// Where a permission of a server stands.
    #[must_use]
    pub fn state(&self, server_id: &str, permission: &Permission) -> PermissionState {
        match self.0.standing(server_id, permission) {
            Standing { outcome: Outcome::Approved(_), .. } => PermissionState::Approved,
            Standing { outcome: Outcome::Refused(state), .. } => state,
            Standing { ran_out: Some(_), .. } => PermissionState::Expired,
            Standing { .. } => PermissionState::Deferred,
        }
    }

    /// Whether a server has every one of these permissions, so that its tools that need them can be offered. What the
    /// policy approves when it is needed counts.
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

    /// Whether a permission is undecided and an operator's approval of it would count: nobody has decided, or what was decided has run
    /// out, and the policy takes approvals from operators.
    #[must_use]
    pub fn waits(&self, server_id: &str, permission: &Permission) -> bool {
        let standing = self.0.standing(server_id, permission);
        let undecided = |state| matches!(state, PermissionState::Deferred | PermissionState::Expired);
        match standing.outcome {
            Outcome::Ask => true,
            Outcome::Refused(state) => {
                undecided(state) && self.0.rules.policy != PermissionPolicy::ConfigOnly
            }
            Outcome::Approved(_) | Outcome::Approve => false,
        }
    }

    /// Ends when a permission no longer waits for an answer, whoever gives it.
    pub async fn decided(&self, server_id: &str, permission: &Permission) {
        self.0.answered(server_id, permission).await;
    }

    /// Returns the decisions and questions that cannot be read.
    #[must_use]
    pub fn unreadable(&self) -> Vec<UnreadablePermission> {
        self.0.rows.load().unreadable.clone()
    }

    /// Tells each time decisions have changed, whoever decided, another process included. An open question is no decision.
    #[must_use]
    pub fn decisions(&self) -> watch::Receiver<()> {
        self.0.decisions.subscribe()
    }

    /// Returns the permission whose approval stands for the confirmation of a dangerous call (§4.4), and who approved it.
    ///
    /// It is one that is itself dangerous (§3.2): the server chooses what its tools name, so an approval of anything less says
    /// nothing of danger. None where one of several dangerous permissions is not approved.
    pub(super) fn stands_for_confirmation<'a>(
        &self,
        server_id: &str,
        permissions: &'a [Permission],
    ) -> Option<(&'a Permission, ApprovedBy)> {
        let mut first = None;
        for permission in permissions.iter().filter(|one| one.risk() == Some(RiskLevel::Dangerous)) {
            match self.0.standing(server_id, permission).outcome {
                Outcome::Approved(by) => first = first.or(Some((permission, by))),
                _ => return None,
            }
        }
        first
    }
}

impl Shared {
    pub(super) fn standing(&self, server_id: &str, permission: &Permission) -> Standing {
        let rows = self.rows.load();
        let evaluate = |row| evaluate(&self.rules, server_id, permission, row, Timestamp::now());
        match rows.get(server_id, permission) {
            None if rows.is_unreadable(server_id, permission) => {
                evaluate(Some(&PermissionRow::unreadable(server_id, permission)))
            }
            row => evaluate(row.map(|row| &**row)),
        }
    }

    pub(super) fn row(&self, server_id: &str, permission: &Permission) -> Option<Arc<PermissionRow>> {
        self.rows.load().get(server_id, permission).cloned()
    }

    /// Ends when a permission no longer waits for an answer.
    pub(super) async fn answered(&self, server_id: &str, permission: &Permission) {
        let mut changed = self.changed.subscribe();
        while self.standing(server_id, permission).outcome == Outcome::Ask {
            if changed.changed().await.is_err() {
                return;
            }
        }
    }

    /// Keeps a decision where it wins, with an event of its intent before it holds and one of its outcome after. Returns whether it did.
    pub(super) async fn decide(
        &self,
        row: PermissionRow,
        replaces: Replaces,
        event: EventDraft,
    ) -> Result<bool, DecisionError> {
        let (intent, outcome) = event.with_intent();
        let decided = self.store.decide(row, replaces, self.recording(intent)).await;
        let recorded = match &decided {
            Ok(true) => self.record(outcome.happening_now()).await,
            Ok(false) | Err(DecisionError::Audit(_)) => Ok(()),
            Err(DecisionError::Store(error)) => self.record(outcome.happening_now().failed(error)).await,
        };
        if let Err(error) = &recorded {
            tracing::error!(%error, "the outcome of a decision is not in the trail, which has its intent");
        }
        let won = decided?;
        self.reload().await?;
        recorded?;
        Ok(won)
    }

    /// Returns what records an event when a store runs it.
    pub(super) fn recording(&self, draft: EventDraft) -> Recording {
        let sink = self.sink.clone();
        Box::pin(async move { sink.record(draft.finish()).await })
    }

    pub(super) async fn record(&self, draft: EventDraft) -> Result<(), AuditError> {
        self.sink.record(draft.finish()).await
    }
}

impl Followed for Shared {
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

/// The rows that are more than an open question.
fn decisions(rows: &Rows) -> impl Iterator<Item = &Arc<PermissionRow>> {
    rows.rows.values().flat_map(HashMap::values).filter(|row| !row.is_undecided())
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared")
            .field("rules", &self.rules)
            .field("store", &self.store)
            .finish_non_exhaustive()
    }
}
