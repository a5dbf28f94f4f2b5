//! Decisions in SQLite.

use super::{DecisionError, PermissionRow, PermissionStore, Recording, Replaces, StoreError};
use crate::sqlite::{Database, Synchronous, open};
use async_trait::async_trait;
use jiff::Timestamp;
use mgp_types::permission::{Permission, PermissionState};
use rusqlite::{Connection, OptionalExtension, Row, named_params, params, types::Type};
use rusqlite_migration::{M, Migrations};
use std::{path::Path, str::FromStr};

/// One row for each server and permission. Times are in microseconds since 1970.
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

/// Decisions in an SQLite file, which several processes may share: any of them can answer a question.
#[derive(Debug, Clone)]
pub struct SqlitePermissionStore(Database);

impl SqlitePermissionStore {
    /// Opens the file, and makes it where it is missing. Blocks for as long as the disk takes.
    ///
    /// # Errors
    /// [`StoreError`], naming the file.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        // FULL: an operator's decision must not be gone after a loss of power; there are few of them.
        open(path.as_ref(), Synchronous::Full, &Migrations::new(vec![M::up(PERMISSIONS)]))
            .map(|connection| Self(Database::new(connection)))
            .map_err(|error| StoreError::new(error.to_string()))
    }
}

/// Writes a row; `guard` is what must be true of the row that is there.
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

#[async_trait]
impl PermissionStore for SqlitePermissionStore {
    async fn load(&self) -> Result<Vec<PermissionRow>, StoreError> {
        let load = |connection: &mut Connection| {
            connection
                .prepare_cached(&format!("SELECT {COLUMNS} FROM permissions"))?
                .query_map([], read)?
                .collect()
        };
        self.0.run(load).await.map_err(StoreError::new)
    }

    async fn put(&self, row: PermissionRow) -> Result<(), StoreError> {
        self.0.run(move |connection| write(connection, &row, "true")).await.map(drop).map_err(StoreError::new)
    }

    async fn put_undecided(&self, row: PermissionRow) -> Result<bool, StoreError> {
        // As `PermissionRow::gives_way_to` has it.
        let gives_way = match row.state {
            PermissionState::Deferred => "permissions.by_policy OR permissions.state = 'expired'",
            _ => "permissions.by_policy OR permissions.state IN ('deferred', 'expired')",
        };
        self.0.run(move |connection| write(connection, &row, gives_way)).await.map_err(StoreError::new)
    }

    async fn decide(
        &self,
        row: PermissionRow,
        replaces: Replaces,
        event: Recording,
    ) -> Result<bool, DecisionError> {
        let gives_way = match replaces {
            Replaces::Questions => "permissions.state IN ('deferred', 'expired')",
            Replaces::Undecided => "permissions.by_policy OR permissions.state IN ('deferred', 'expired')",
            Replaces::All => "true",
        };
        self.0.decide(event, move |transaction| write(transaction, &row, gives_way)).await
    }

    async fn expire(
        &self,
        server_id: &str,
        permission: &Permission,
        at: Timestamp,
    ) -> Result<bool, StoreError> {
        let (server_id, permission) = (server_id.to_owned(), permission.as_str().to_owned());
        let expire = move |connection: &mut Connection| {
            connection
                .prepare_cached(
                    "UPDATE permissions SET state = 'expired' \
                     WHERE server_id = ? AND permission = ? AND state = 'approved' AND expires_at = ?",
                )?
                .execute(params![server_id, permission, at.as_microsecond()])
        };
        self.0.run(expire).await.map(|changed| changed > 0).map_err(StoreError::new)
    }

    async fn remove(
        &self,
        server_id: &str,
        permission: &Permission,
    ) -> Result<Option<PermissionRow>, StoreError> {
        let (server_id, permission) = (server_id.to_owned(), permission.as_str().to_owned());
        let remove = move |connection: &mut Connection| {
            connection
                .prepare_cached(&format!(
                    "DELETE FROM permissions WHERE server_id = ? AND permission = ? RETURNING {COLUMNS}"
                ))?
                .query_row(params![server_id, permission], read)
                .optional()
        };
        self.0.run(remove).await.map_err(StoreError::new)
    }

    async fn version(&self) -> Result<i64, StoreError> {
        self.0.data_version().await.map_err(StoreError::new)
    }
}

fn read(row: &Row<'_>) -> rusqlite::Result<PermissionRow> {
    Ok(PermissionRow {
        server_id: row.get(0)?,
        permission: named(row, 1)?,
        state: named(row, 2)?,
        request_id: row.get(3)?,
        tool_name: row.get(4)?,
        asked_at: time(row, 5)?.unwrap_or(Timestamp::UNIX_EPOCH),
        decided_by: row.get(6)?,
        decided_at: time(row, 7)?,
        expires_at: time(row, 8)?,
        by_policy: row.get(9)?,
    })
}

fn named<T: FromStr<Err: std::error::Error + Send + Sync + 'static>>(
    row: &Row<'_>,
    column: usize,
) -> rusqlite::Result<T> {
    let text = row.get_ref(column)?.as_str()?;
    text.parse()
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error)))
}

fn time(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Timestamp>> {
    let Some(micros) = row.get::<_, Option<i64>>(column)? else { return Ok(None) };
    Timestamp::from_microsecond(micros)
        .map(Some)
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(column, Type::Integer, Box::new(error)))
}
