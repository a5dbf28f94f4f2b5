//! The store of decisions on permissions.

use super::{PermissionRow, StoreError, StoredRows, UnreadablePermission};
use crate::audit::AuditError;
use async_trait::async_trait;
use jiff::Timestamp;
use mgp_types::permission::Permission;
use std::{fmt, pin::Pin};

/// The rows that a new decision replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplacedRows {
    /// Open questions, and expired approvals.
    Questions,
    /// Open questions, expired approvals, and decisions by a policy: every row on which no human has decided.
    Undecided,
    /// Every row.
    All,
}

/// A future that records the event of a decision. It does nothing before it is polled.
pub type RecordFuture = Pin<Box<dyn Future<Output = Result<(), AuditError>> + Send>>;

/// The error returned when a decision cannot be stored.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum DecisionError {
    /// The store could not keep the decision.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The event of the decision could not be recorded.
    #[error(transparent)]
    Audit(#[from] AuditError),
}

/// A store of decisions: one row for each server and permission.
#[async_trait]
pub trait PermissionStore: fmt::Debug + Send + Sync + 'static {
    /// Reads every row.
    async fn load(&self) -> Result<StoredRows<PermissionRow, UnreadablePermission>, StoreError>;

    /// Stores a row, which replaces the row for the same server and permission.
    async fn put(&self, row: PermissionRow) -> Result<(), StoreError>;

    /// Stores a row if no human has decided yet. A question does not replace an open question, whose id may have been shown to a person
    /// by now. Returns whether the row was stored.
    async fn put_undecided(&self, row: PermissionRow) -> Result<bool, StoreError>;

    /// Stores a decision if `replaces` covers the existing row. Returns whether the decision was stored.
    ///
    /// `event` is run once the decision has won, and before it takes effect. So only the process whose decision takes effect records it,
    /// in the order in which decisions replace each other, and a decision that cannot be recorded is not stored.
    async fn decide(
        &self,
        row: PermissionRow,
        replaces: ReplacedRows,
        event: RecordFuture,
    ) -> Result<bool, DecisionError>;

    /// Marks an approval that ended at `at` as expired, and records `event` in between, as [`decide`](Self::decide) does. Returns whether
    /// this caller has marked it: only one of several callers does.
    async fn expire(
        &self,
        server_id: &str,
        permission: &Permission,
        at: Timestamp,
        event: RecordFuture,
    ) -> Result<bool, DecisionError>;

    /// Removes a row, and returns it if there was one.
    async fn remove(
        &self,
        server_id: &str,
        permission: &Permission,
    ) -> Result<Option<PermissionRow>, StoreError>;

    /// Returns a number that changes when another process has changed a row.
    async fn version(&self) -> Result<i64, StoreError>;
}
