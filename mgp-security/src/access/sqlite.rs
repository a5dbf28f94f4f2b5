//! Rules in SQLite.

use super::{AccessKey, AccessStore, StoreError};
use crate::sqlite::{Database, Synchronous, open};
use async_trait::async_trait;
use mgp_types::{access::AccessEntry, json::Nullable};
use rusqlite::{Connection, OptionalExtension, Row, named_params, types::Type};
use rusqlite_migration::{M, Migrations};
use std::{path::Path, str::FromStr};

/// One row for each entry type, agent, server and tool; a server grant's tool is the empty string.
const RULES: &str = "
CREATE TABLE IF NOT EXISTS rules (
    entry_type TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    server_id TEXT NOT NULL,
    tool_name TEXT NOT NULL,
    permission TEXT NOT NULL,
    granted_by TEXT,
    granted_at TEXT,
    expires_at TEXT,
    justification TEXT,
    PRIMARY KEY (entry_type, agent_id, server_id, tool_name)
) STRICT, WITHOUT ROWID;
";

const COLUMNS: &str = "entry_type, agent_id, server_id, tool_name, permission, granted_by, granted_at, expires_at, justification";

/// Rules in an SQLite file, which several processes may share.
#[derive(Debug, Clone)]
pub struct SqliteAccessStore(Database);

impl SqliteAccessStore {
    /// Opens the file, and makes it where it is missing. Blocks for as long as the disk takes.
    ///
    /// # Errors
    /// [`StoreError`], naming the file.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        // FULL: a rule that an operator has made must not be gone after a loss of power; there are few of them.
        open(path.as_ref(), Synchronous::Full, &Migrations::new(vec![M::up(RULES)]))
            .map(|connection| Self(Database::new(connection)))
            .map_err(|error| StoreError::new(error.to_string()))
    }
}

#[async_trait]
impl AccessStore for SqliteAccessStore {
    async fn load(&self) -> Result<Vec<AccessEntry>, StoreError> {
        let load = |connection: &mut Connection| {
            connection.prepare_cached(&format!("SELECT {COLUMNS} FROM rules"))?.query_map([], read)?.collect()
        };
        self.0.run(load).await.map_err(StoreError::new)
    }

    async fn put(&self, entry: AccessEntry) -> Result<(), StoreError> {
        let Some(permission) = entry.permission else {
            return Err(StoreError::new("a rule needs a permission"));
        };
        let put = move |connection: &mut Connection| {
            connection
                .prepare_cached(&format!(
                    "INSERT OR REPLACE INTO rules ({COLUMNS}) VALUES (:entry_type, :agent_id, :server_id, :tool_name, \
                     :permission, :granted_by, :granted_at, :expires_at, :justification)"
                ))?
                .execute(named_params! {
                    ":entry_type": entry.entry_type.as_str(),
                    ":agent_id": entry.agent_id,
                    ":server_id": entry.server_id,
                    ":tool_name": entry.tool_name.get().map_or("", String::as_str),
                    ":permission": permission.as_str(),
                    ":granted_by": entry.granted_by.get(),
                    ":granted_at": entry.granted_at.get(),
                    ":expires_at": entry.expires_at.get(),
                    ":justification": entry.justification.get(),
                })
                .map(drop)
        };
        self.0.run(put).await.map_err(StoreError::new)
    }

    async fn remove(&self, key: AccessKey) -> Result<Option<AccessEntry>, StoreError> {
        let remove = move |connection: &mut Connection| {
            connection
                .prepare_cached(&format!(
                    "DELETE FROM rules WHERE entry_type = :entry_type AND agent_id = :agent_id \
                     AND server_id = :server_id AND tool_name = :tool_name RETURNING {COLUMNS}"
                ))?
                .query_row(
                    named_params! {
                        ":entry_type": key.entry_type.as_str(),
                        ":agent_id": key.agent_id,
                        ":server_id": key.server_id,
                        ":tool_name": key.tool_name.as_deref().unwrap_or_default(),
                    },
                    read,
                )
                .optional()
        };
        self.0.run(remove).await.map_err(StoreError::new)
    }

    async fn version(&self) -> Result<i64, StoreError> {
        self.0.data_version().await.map_err(StoreError::new)
    }
}

fn read(row: &Row<'_>) -> rusqlite::Result<AccessEntry> {
    let text = |column| row.get::<_, Option<String>>(column).map(Nullable::from);
    let tool: String = row.get(3)?;
    Ok(AccessEntry {
        entry_type: spelled(row, 0)?,
        agent_id: row.get(1)?,
        server_id: row.get(2)?,
        tool_name: Nullable::from((!tool.is_empty()).then_some(tool)),
        permission: Some(spelled(row, 4)?),
        granted_by: text(5)?,
        granted_at: text(6)?,
        expires_at: text(7)?,
        justification: text(8)?,
    })
}

fn spelled<T: FromStr<Err = mgp_types::UnknownName>>(row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
    let text = row.get_ref(column)?.as_str()?;
    text.parse()
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error)))
}
