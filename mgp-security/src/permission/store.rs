//! Where decisions are kept.

use super::{PermissionRow, StoreError};
use async_trait::async_trait;
use jiff::Timestamp;
use mgp_types::permission::Permission;
use std::fmt;

/// Where decisions are kept: one row for each server and permission.
#[async_trait]
pub trait PermissionStore: fmt::Debug + Send + Sync + 'static {
    /// Every row.
    async fn load(&self) -> Result<Vec<PermissionRow>, StoreError>;

    /// Keeps a row; it replaces the one for the same server and permission.
    async fn put(&self, row: PermissionRow) -> Result<(), StoreError>;

    /// Keeps a row where no human has decided yet. A question does not replace an open question: its id may have been shown
    /// to somebody by now. Says whether it did.
    async fn put_undecided(&self, row: PermissionRow) -> Result<bool, StoreError>;

    /// Marks an approval that ran out at a time as expired. Says whether it was this caller who did: of several, one.
    async fn expire(
        &self,
        server_id: &str,
        permission: &Permission,
        at: Timestamp,
    ) -> Result<bool, StoreError>;

    /// Removes a row and returns it, where there was one.
    async fn remove(
        &self,
        server_id: &str,
        permission: &Permission,
    ) -> Result<Option<PermissionRow>, StoreError>;

    /// A number that is another one when somebody else has changed a row.
    async fn version(&self) -> Result<i64, StoreError>;
}
