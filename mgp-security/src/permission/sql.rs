//! A store of decisions on permissions in the table of a database.

use super::{
    DecisionError, PermissionRow, PermissionStore, RecordFuture, ReplacedRows, StoreError, StoredRows,
    UnreadablePermission,
    confirmation::{CONFIRMATIONS, ESTIMATES, INTENTS, SESSIONS_AND_PATTERNS},
};
use crate::stored_rows::time;
use async_trait::async_trait;
use jiff::Timestamp;
use mgp_store::{
    sql::{Connection, Database, Row, Schema, SqlStore, params},
    sqlite::Synchronous,
};
use mgp_types::permission::{GrantScope, Permission, PermissionState};

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

/// A store of decisions on permissions and on calls in a database, which several processes may share: any of them can answer a question.
#[derive(Debug, Clone)]
pub struct SqlPermissionStore(pub(super) Database);

impl SqlStore for SqlPermissionStore {
    /// The tables of permissions and of questions about calls. An operator's decision must survive a loss of power, and decisions are few.
    const SCHEMA: &'static Schema = &Schema {
        section: "permission",
        synchronous: Synchronous::Full,
        sqlite: &[PERMISSIONS, CONFIRMATIONS, SESSIONS_AND_PATTERNS, INTENTS, SCOPE, ESTIMATES],
        postgres: None,
    };

    fn new(database: Database) -> Self {
        Self(database)
    }
}

/// Writes a row. An existing row is replaced only if it meets the condition `guard`. Returns whether the row was written.
fn write(connection: &Connection<'_>, row: &PermissionRow, guard: &str) -> Result<bool, StoreError> {
    let scope = row.scope.as_ref().map(serde_json::to_string).transpose();
    let scope = scope.map_err(|error| StoreError::new(error.to_string()))?;
    let written = connection.execute(
        &format!(
            "INSERT INTO permissions ({COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) \
             ON CONFLICT (server_id, permission) DO UPDATE SET state = excluded.state, \
             request_id = excluded.request_id, tool_name = excluded.tool_name, asked_at = excluded.asked_at, \
             decided_by = excluded.decided_by, decided_at = excluded.decided_at, \
             expires_at = excluded.expires_at, scope = excluded.scope, by_policy = excluded.by_policy WHERE {guard}"
        ),
        &params![
            &row.server_id,
            row.permission.as_str(),
            row.state.as_str(),
            &row.request_id,
            row.tool_name.as_deref(),
            row.asked_at.as_microsecond(),
            row.decided_by.as_deref(),
            row.decided_at.map(Timestamp::as_microsecond),
            row.expires_at.map(Timestamp::as_microsecond),
            scope,
            row.by_policy,
        ],
    )?;
    Ok(written > 0)
}

#[async_trait]
impl PermissionStore for SqlPermissionStore {
    async fn load(&self) -> Result<StoredRows<PermissionRow, UnreadablePermission>, StoreError> {
        let load =
            |connection: &Connection<'_>| connection.rows(&format!("SELECT {COLUMNS} FROM permissions"), &[]);
        Ok(StoredRows::of(self.0.read(load).await?.iter().map(read)))
    }

    async fn put(&self, row: PermissionRow) -> Result<(), StoreError> {
        self.0.write(move |connection| write(connection, &row, "true")).await.map(drop)
    }

    async fn put_undecided(&self, row: PermissionRow) -> Result<bool, StoreError> {
        // No human has decided, and the two are not both questions.
        let gives_way = match row.state {
            PermissionState::Deferred => "permissions.by_policy <> 0 OR permissions.state = 'expired'",
            _ => "permissions.by_policy <> 0 OR permissions.state IN ('deferred', 'expired')",
        };
        self.0.write(move |connection| write(connection, &row, gives_way)).await
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
                "permissions.by_policy <> 0 OR permissions.state IN ('deferred', 'expired')"
            }
            ReplacedRows::All => "true",
        };
        Ok(self.0.write_with_event(event, move |connection| write(connection, &row, gives_way)).await??)
    }

    async fn expire(
        &self,
        server_id: &str,
        permission: &Permission,
        at: Timestamp,
        event: RecordFuture,
    ) -> Result<bool, DecisionError> {
        let (server_id, permission) = (server_id.to_owned(), permission.as_str().to_owned());
        let expire = move |connection: &Connection<'_>| {
            let changed = connection.execute(
                "UPDATE permissions SET state = 'expired' \
                 WHERE server_id = $1 AND permission = $2 AND state = 'approved' AND expires_at = $3",
                &params![server_id, permission, at.as_microsecond()],
            )?;
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
        let remove = move |connection: &Connection<'_>| {
            let sql = format!(
                "DELETE FROM permissions WHERE server_id = $1 AND permission = $2 RETURNING {COLUMNS}"
            );
            let removed = connection.row(&sql, &params![&denied.server_id, denied.permission.as_str()])?;
            Ok(removed.map(|row| read(&row).unwrap_or_else(|_| denied.clone())))
        };
        self.0.write(remove).await
    }

    async fn version(&self) -> Result<i64, StoreError> {
        self.0.version().await
    }
}

fn read(row: &Row) -> Result<PermissionRow, UnreadablePermission> {
    let server_id = row.needed("server_id").map(str::to_owned);
    let permission = row.named::<Permission>("permission");
    let unreadable = |problem| UnreadablePermission {
        server_id: server_id.clone().ok(),
        permission: permission.clone().ok(),
        problem,
    };
    let read = || {
        Ok(PermissionRow {
            server_id: server_id.clone()?,
            permission: permission.clone()?,
            state: row.named("state")?,
            request_id: row.needed("request_id")?.to_owned(),
            tool_name: row.text("tool_name")?.map(str::to_owned),
            asked_at: time(row, "asked_at")?.unwrap_or(Timestamp::UNIX_EPOCH),
            decided_by: row.text("decided_by")?.map(str::to_owned),
            decided_at: time(row, "decided_at")?,
            expires_at: time(row, "expires_at")?,
            scope: scope(row, &permission.clone()?)?,
            by_policy: row.flag("by_policy")?,
        })
    };
    read().map_err(unreadable)
}

/// Reads the limits of an approval. An approval with unreadable limits does not count.
fn scope(row: &Row, permission: &Permission) -> Result<Option<GrantScope>, String> {
    let read = |text: &str| {
        let scope: GrantScope =
            serde_json::from_str(text).map_err(|error| format!("invalid scope: {error}"))?;
        scope.check(permission).map_err(|error| error.to_string())?;
        Ok(scope)
    };
    row.text("scope")?.map(read).transpose()
}
