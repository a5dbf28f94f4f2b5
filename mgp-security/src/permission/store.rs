//! The store of decisions on permissions and on calls, in SQLite.

use super::{PermissionRow, StoreError, StoredRows, UnreadablePermission, confirmation::CONFIRMATIONS};
use crate::audit::AuditError;
use jiff::Timestamp;
use mgp_store::sqlite::{Database, Synchronous, named, needed, open, open_in_memory, text};
use mgp_types::permission::{Permission, PermissionState};
use rusqlite::{Connection, OptionalExtension, Row, named_params, params};
use rusqlite_migration::{M, Migrations};
use std::{path::Path, pin::Pin};

/// The rows that a new decision replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReplacedRows {
    /// Open questions, and expired approvals.
    Questions,
    /// Open questions, expired approvals, and approvals by a policy: every row on which no human has decided.
    Undecided,
    /// Every row.
    All,
}

/// A future that records the event of a decision. It does nothing before it is polled.
pub(super) type RecordFuture = Pin<Box<dyn Future<Output = Result<(), AuditError>> + Send>>;

/// The error returned when a decision cannot be stored.
#[derive(Debug, Clone, thiserror::Error)]
pub(super) enum DecisionError {
    /// The store could not keep the decision.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The event of the decision could not be recorded.
    #[error(transparent)]
    Audit(#[from] AuditError),
}

/// The table of permissions: one row for each server and permission. Times are in microseconds since 1970.
const PERMISSIONS: &str = "
CREATE TABLE IF NOT EXISTS permissions (
    server_id TEXT NOT NULL,
    permission TEXT NOT NULL,
    state TEXT NOT NULL,
    request_id TEXT NOT NULL,
    tool_name TEXT,
    asked_at INTEGER NOT NULL,
    decided_by TEXT,
    decided_at INTEGER,
    expires_at INTEGER,
    by_policy INTEGER NOT NULL,
    PRIMARY KEY (server_id, permission)
) STRICT, WITHOUT ROWID;
";

const COLUMNS: &str = "server_id, permission, state, request_id, tool_name, asked_at, decided_by, decided_at, expires_at, by_policy";

/// A store of decisions on permissions and on calls, in an SQLite file, which several processes may share: any of them can answer a
/// question. There is one row for each server and permission, and one for each call. Clones share the rows.
#[derive(Debug, Clone)]
pub struct PermissionStore(pub(super) Database);

impl PermissionStore {
    /// Opens the file, and creates it if it is missing. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`], naming the file.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        // FULL: an operator's decision must survive a loss of power, and decisions are few.
        Ok(Self(Database::new(open(path.as_ref(), Synchronous::Full, &migrations())?)))
    }

    /// Creates a store of decisions that live as long as its clones: for tests, and for kernels without a state folder.
    ///
    /// # Errors
    /// [`StoreError`] with SQLite's error.
    pub fn in_memory() -> Result<Self, StoreError> {
        Ok(Self(Database::new(open_in_memory(&migrations())?)))
    }

    /// Reads every row.
    pub(super) async fn load(&self) -> Result<StoredRows<PermissionRow, UnreadablePermission>, StoreError> {
        let load = |connection: &mut Connection| {
            let mut select = connection.prepare_cached(&format!("SELECT {COLUMNS} FROM permissions"))?;
            let rows: Vec<_> = select.query_map([], |row| Ok(read(row)))?.collect::<rusqlite::Result<_>>()?;
            Ok(StoredRows::of(rows))
        };
        self.0.run(load).await
    }

    /// Stores a row, which replaces the row for the same server and permission.
    #[cfg(test)]
    pub(super) async fn put(&self, row: PermissionRow) -> Result<(), StoreError> {
        self.0.run(move |connection| write(connection, &row, "true")).await.map(drop)
    }

    /// Stores a row if no human has decided yet. A question does not replace an open question, whose id may have been shown
    /// to somebody by now. Returns whether the row was stored.
    pub(super) async fn put_undecided(&self, row: PermissionRow) -> Result<bool, StoreError> {
        let gives_way = match row.state {
            PermissionState::Deferred => "permissions.by_policy OR permissions.state = 'expired'",
            _ => "permissions.by_policy OR permissions.state IN ('deferred', 'expired')",
        };
        self.0.run(move |connection| write(connection, &row, gives_way)).await
    }

    /// Stores a decision if `replaces` covers the row that is there. Returns whether the decision was stored.
    ///
    /// `event` is run once the decision has won, and before it takes effect. So only the process whose decision takes effect records it,
    /// in the order in which decisions replace each other, and a decision that cannot be recorded is not stored.
    pub(super) async fn decide(
        &self,
        row: PermissionRow,
        replaces: ReplacedRows,
        event: RecordFuture,
    ) -> Result<bool, DecisionError> {
        let gives_way = match replaces {
            ReplacedRows::Questions => "permissions.state IN ('deferred', 'expired')",
            ReplacedRows::Undecided => {
                "permissions.by_policy OR permissions.state IN ('deferred', 'expired')"
            }
            ReplacedRows::All => "true",
        };
        Ok(self.0.write_with_event(event, move |transaction| write(transaction, &row, gives_way)).await??)
    }

    /// Marks an approval that ended at `at` as expired, and records `event` in between, as [`decide`](Self::decide) does. Returns whether
    /// this caller has marked it: of several callers, only one does.
    pub(super) async fn expire(
        &self,
        server_id: &str,
        permission: &Permission,
        at: Timestamp,
        event: RecordFuture,
    ) -> Result<bool, DecisionError> {
        let (server_id, permission) = (server_id.to_owned(), permission.as_str().to_owned());
        let expire = move |transaction: &Connection| {
            let changed = transaction
                .prepare_cached(
                    "UPDATE permissions SET state = 'expired' \
                     WHERE server_id = ? AND permission = ? AND state = 'approved' AND expires_at = ?",
                )?
                .execute(params![server_id, permission, at.as_microsecond()])?;
            Ok(changed > 0)
        };
        Ok(self.0.write_with_event(event, expire).await??)
    }

    /// Removes a row, and returns it if there was one.
    pub(super) async fn remove(
        &self,
        server_id: &str,
        permission: &Permission,
    ) -> Result<Option<PermissionRow>, StoreError> {
        let denied = PermissionRow::unreadable(server_id, permission);
        let remove = move |connection: &mut Connection| {
            connection
                .prepare_cached(&format!(
                    "DELETE FROM permissions WHERE server_id = ? AND permission = ? RETURNING {COLUMNS}"
                ))?
                .query_row(params![denied.server_id, denied.permission.as_str()], |row| {
                    Ok(read(row).unwrap_or_else(|_| denied.clone()))
                })
                .optional()
        };
        self.0.run(remove).await
    }

    /// Returns a number that changes when somebody else has changed a row.
    pub(super) async fn version(&self) -> Result<i64, StoreError> {
        let version = |connection: &mut Connection| {
            let others: i64 = connection.pragma_query_value(None, "data_version", |row| row.get(0))?;
            // The other clones of a store share its connection.
            Ok(others.saturating_add_unsigned(connection.total_changes()))
        };
        self.0.run(version).await
    }
}

fn migrations() -> Migrations<'static> {
    Migrations::new(vec![M::up(PERMISSIONS), M::up(CONFIRMATIONS)])
}

/// Writes a row. A row that is already there is replaced only if it meets the condition `guard`. Returns whether the row was written.
fn write(connection: &Connection, row: &PermissionRow, guard: &str) -> rusqlite::Result<bool> {
    let written = connection
        .prepare_cached(&format!(
            "INSERT INTO permissions ({COLUMNS}) VALUES (:server_id, :permission, :state, :request_id, :tool_name, \
             :asked_at, :decided_by, :decided_at, :expires_at, :by_policy) \
             ON CONFLICT (server_id, permission) DO UPDATE SET state = excluded.state, \
             request_id = excluded.request_id, tool_name = excluded.tool_name, asked_at = excluded.asked_at, \
             decided_by = excluded.decided_by, decided_at = excluded.decided_at, \
             expires_at = excluded.expires_at, by_policy = excluded.by_policy WHERE {guard}"
        ))?
        .execute(named_params! {
            ":server_id": row.server_id,
            ":permission": row.permission.as_str(),
            ":state": row.state.as_str(),
            ":request_id": row.request_id,
            ":tool_name": row.tool_name,
            ":asked_at": row.asked_at.as_microsecond(),
            ":decided_by": row.decided_by,
            ":decided_at": row.decided_at.map(Timestamp::as_microsecond),
            ":expires_at": row.expires_at.map(Timestamp::as_microsecond),
            ":by_policy": row.by_policy,
        })?;
    Ok(written > 0)
}

fn read(row: &Row<'_>) -> Result<PermissionRow, UnreadablePermission> {
    let (server_id, permission) = (needed(row, "server_id"), named::<Permission>(row, "permission"));
    let unreadable = |problem| UnreadablePermission {
        server_id: server_id.clone().ok(),
        permission: permission.clone().ok(),
        problem,
    };
    let read = || {
        Ok(PermissionRow {
            server_id: server_id.clone()?,
            permission: permission.clone()?,
            state: named(row, "state")?,
            request_id: needed(row, "request_id")?,
            tool_name: text(row, "tool_name")?,
            asked_at: time(row, "asked_at")?.unwrap_or(Timestamp::UNIX_EPOCH),
            decided_by: text(row, "decided_by")?,
            decided_at: time(row, "decided_at")?,
            expires_at: time(row, "expires_at")?,
            by_policy: row.get("by_policy").map_err(|error| format!("invalid by_policy: {error}"))?,
        })
    };
    read().map_err(unreadable)
}

pub(super) fn time(row: &Row<'_>, column: &str) -> Result<Option<Timestamp>, String> {
    let invalid = |error: &dyn std::fmt::Display| format!("invalid {column}: {error}");
    let micros: Option<i64> = row.get(column).map_err(|error| invalid(&error))?;
    micros.map(Timestamp::from_microsecond).transpose().map_err(|error| invalid(&error))
}
