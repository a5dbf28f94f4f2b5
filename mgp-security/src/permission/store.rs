//! Where decisions are kept.

use super::{PermissionRow, StoreError, StoredRows, UnreadablePermission};
use crate::audit::AuditError;
use async_trait::async_trait;
use jiff::Timestamp;
use mgp_types::permission::Permission;
use std::{fmt, pin::Pin};

/// The decisions that a new one replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replaces {
    /// Open questions, and approvals that have run out.
    Questions,
    /// These, and the approvals of a policy: whatever no human decided.
    Undecided,
    /// Every decision.
    All,
}

/// Records the event of a decision. It does nothing before it is polled.
pub type Recording = Pin<Box<dyn Future<Output = Result<(), AuditError>> + Send>>;

/// The reason for which a decision was not kept.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum DecisionError {
    /// The store could not keep it.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Its event could not be recorded.
    #[error(transparent)]
    Audit(#[from] AuditError),
}

/// Where decisions are kept: one row for each server and permission.
#[async_trait]
pub trait PermissionStore: fmt::Debug + Send + Sync + 'static {
    /// Reads every row.
    async fn load(&self) -> Result<StoredRows<PermissionRow, UnreadablePermission>, StoreError>;

    /// Keeps a row; it replaces the one for the same server and permission.
    async fn put(&self, row: PermissionRow) -> Result<(), StoreError>;

    /// Keeps a row where no human has decided yet. A question does not replace an open question: its id may have been shown
    /// to somebody by now. Says whether it did.
    async fn put_undecided(&self, row: PermissionRow) -> Result<bool, StoreError>;

    /// Keeps a decision where the row that is there gives way to it, and tells of it in between: `event` is run once the decision has
    /// won and before it holds. So of several processes the one whose decision holds records it, in the order in which decisions
    /// replace each other, and a decision that cannot be recorded is not kept. Returns whether it won.
    async fn decide(
        &self,
        row: PermissionRow,
        replaces: Replaces,
        event: Recording,
    ) -> Result<bool, DecisionError>;

    /// Marks an approval that ran out at a time as expired, and records `event` in between, as [`decide`](Self::decide) does. Returns
    /// whether it was this caller who did: of several, one.
    async fn expire(
        &self,
        server_id: &str,
        permission: &Permission,
        at: Timestamp,
        event: Recording,
    ) -> Result<bool, DecisionError>;

    /// Removes a row and returns it, where there was one.
    async fn remove(
        &self,
        server_id: &str,
        permission: &Permission,
    ) -> Result<Option<PermissionRow>, StoreError>;

    /// A number that is another one when somebody else has changed a row.
    async fn version(&self) -> Result<i64, StoreError>;
}
