//! A store of decisions on permissions in SQLite.

use super::{
    DecisionError, PermissionRow, PermissionStore, RecordFuture, ReplacedRows, StoreError, StoredRows,
    UnreadablePermission,
    confirmation::{CONFIRMATIONS, ESTIMATES, INTENTS, SESSIONS_AND_PATTERNS},
};
use async_trait::async_trait;
use jiff::Timestamp;
use mgp_store::sqlite::{Database, Synchronous, named, needed, open, text};
use mgp_types::permission::{GrantScope, Permission, PermissionState};
use rusqlite::{Connection, OptionalExtension, Row, named_params, params};
use rusqlite_migration::{M, Migrations};
use std::path::Path;

/// The table of permissions: one row for each server and permission. Times are in microseconds since 1970.
pub(super) const PERMISSIONS: &str = "
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

/// The limits of an approval, as JSON; null if it has none.
const SCOPE: &str = "ALTER TABLE permissions ADD COLUMN scope TEXT;";

const COLUMNS: &str = "server_id, permission, state, request_id, tool_name, asked_at, decided_by, decided_at, expires_at, scope, by_policy";

/// A store of decisions on permissions and on calls in an SQLite file, which several processes may share: any of them can answer a
/// question.
#[derive(Debug, Clone)]
pub struct SqlitePermissionStore(pub(super) Database);

impl SqlitePermissionStore {
    /// Opens the file, and creates it if it is missing. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`], naming the file.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        // FULL: an operator's decision must survive a loss of power, and decisions are few.
        let migrations = Migrations::new(vec![
            M::up(PERMISSIONS),
            M::up(CONFIRMATIONS),
            M::up(SESSIONS_AND_PATTERNS),
            M::up(INTENTS),
            M::up(SCOPE),
            M::up(ESTIMATES),
        ]);
        Ok(Self(Database::new(open(path.as_ref(), Synchronous::Full, &migrations)?)))
    }
}

/// Writes a row. An existing row is replaced only if it meets the condition `guard`. Returns whether the row was written.
fn write(connection: &Connection, row: &PermissionRow, guard: &str) -> rusqlite::Result<bool> {
    let scope = row.scope.as_ref().map(serde_json::to_string).transpose();
    let scope = scope.map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
    let written = connection
        .prepare_cached(&format!(
            "INSERT INTO permissions ({COLUMNS}) VALUES (:server_id, :permission, :state, :request_id, :tool_name, \
             :asked_at, :decided_by, :decided_at, :expires_at, :scope, :by_policy) \
             ON CONFLICT (server_id, permission) DO UPDATE SET state = excluded.state, \
             request_id = excluded.request_id, tool_name = excluded.tool_name, asked_at = excluded.asked_at, \
             decided_by = excluded.decided_by, decided_at = excluded.decided_at, \
             expires_at = excluded.expires_at, scope = excluded.scope, by_policy = excluded.by_policy WHERE {guard}"
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
            ":scope": scope,
            ":by_policy": row.by_policy,
        })?;
    Ok(written > 0)
}

#[async_trait]
impl PermissionStore for SqlitePermissionStore {
    async fn load(&self) -> Result<StoredRows<PermissionRow, UnreadablePermission>, StoreError> {
        let load = |connection: &mut Connection| {
            let mut select = connection.prepare_cached(&format!("SELECT {COLUMNS} FROM permissions"))?;
            let rows: Vec<_> = select.query_map([], |row| Ok(read(row)))?.collect::<rusqlite::Result<_>>()?;
            Ok(StoredRows::of(rows))
        };
        self.0.run(load).await
    }

    async fn put(&self, row: PermissionRow) -> Result<(), StoreError> {
        self.0.run(move |connection| write(connection, &row, "true")).await.map(drop)
    }

    async fn put_undecided(&self, row: PermissionRow) -> Result<bool, StoreError> {
        // The same condition as in `PermissionRow::gives_way_to`.
        let gives_way = match row.state {
            PermissionState::Deferred => "permissions.by_policy OR permissions.state = 'expired'",
            _ => "permissions.by_policy OR permissions.state IN ('deferred', 'expired')",
        };
        self.0.run(move |connection| write(connection, &row, gives_way)).await
    }

    async fn decide(
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

    async fn expire(
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

    async fn remove(
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

    async fn version(&self) -> Result<i64, StoreError> {
        self.0.data_version().await
    }
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
            scope: scope(row, &permission.clone()?)?,
            by_policy: row.get("by_policy").map_err(|error| format!("invalid by_policy: {error}"))?,
        })
    };
    read().map_err(unreadable)
}

fn time(row: &Row<'_>, column: &str) -> Result<Option<Timestamp>, String> {
    let invalid = |error: &dyn std::fmt::Display| format!("invalid {column}: {error}");
    let micros: Option<i64> = row.get(column).map_err(|error| invalid(&error))?;
    micros.map(Timestamp::from_microsecond).transpose().map_err(|error| invalid(&error))
}

/// Reads the limits of an approval. An approval with unreadable limits does not count.
fn scope(row: &Row<'_>, permission: &Permission) -> Result<Option<GrantScope>, String> {
    let read = |text: String| {
        let scope: GrantScope =
            serde_json::from_str(&text).map_err(|error| format!("invalid scope: {error}"))?;
        scope.check(permission).map_err(|error| error.to_string())?;
        Ok(scope)
    };
    text(row, "scope")?.map(read).transpose()
}
