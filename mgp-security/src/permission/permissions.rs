//! The handle to permissions.

use super::{
    Approver, PermissionRules, PermissionStore, StoreError, UnreadablePermission,
    end::end_approvals,
    evaluate::{ApprovedBy, Outcome, Standing},
    questions::Questions,
    shared::PermissionCore,
};
use crate::audit::AuditSink;
use arc_swap::ArcSwap;
use jiff::Timestamp;
use mgp_store::follow::{SnapshotOwner as _, follow};
use mgp_types::permission::{GrantScope, Permission, PermissionPolicy, PermissionState};
use std::{sync::Arc, time::Duration};
use tokio::sync::{Mutex, watch};

/// A handle to the permissions of all servers. Their status is looked up in memory; clones share the same decisions.
#[derive(Debug, Clone)]
pub struct Permissions(pub(super) Arc<PermissionCore>);

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
