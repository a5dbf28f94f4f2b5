//! A store of access rules in SQLite.

use super::{AccessKey, AccessStore, StoreError, StoredRows, UnreadableRule};
use async_trait::async_trait;
use mgp_store::sqlite::{Database, Synchronous, named, needed, open, text};
use mgp_types::{
    access::{AccessDecision, AccessEntry, EntryType},
    json::Nullable,
};
use rusqlite::{Connection, Row, named_params};
use rusqlite_migration::{M, Migrations};
use std::path::Path;

/// The table of rules: one row for each entry type, agent, server and tool. The tool of a server grant is the empty string.
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

/// Selects the rows for an agent and a server, or for one of its tools, whose entry type does not match their tool name.
const UNREADABLE: &str = "agent_id = :agent_id AND server_id = :server_id AND tool_name = :tool_name \
                          AND entry_type IS NOT iif(tool_name = '', 'server_grant', 'tool_grant')";

/// A store of rules in an SQLite file, which several processes may share.
#[derive(Debug, Clone)]
pub struct SqliteAccessStore(Database);

impl SqliteAccessStore {
    /// Opens the file, and creates it if it is missing. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`], naming the file.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        // FULL: an operator's rule must survive a loss of power, and rules are few.
        let migrations = Migrations::new(vec![M::up(RULES)]);
        Ok(Self(Database::new(open(path.as_ref(), Synchronous::Full, &migrations)?)))
    }
}

#[async_trait]
impl AccessStore for SqliteAccessStore {
    async fn load(&self) -> Result<StoredRows<AccessEntry, UnreadableRule>, StoreError> {
        let load = |connection: &mut Connection| {
            let mut select = connection.prepare_cached(&format!("SELECT {COLUMNS} FROM rules"))?;
            let rows: Vec<_> = select.query_map([], |row| Ok(read(row)))?.collect::<rusqlite::Result<_>>()?;
            Ok(StoredRows::of(rows))
        };
        self.0.run(load).await
    }

    async fn put(&self, entry: AccessEntry) -> Result<(), StoreError> {
        let Some(permission) = entry.permission else {
            return Err(StoreError::new("a rule needs a permission"));
        };
        let put = move |connection: &mut Connection| {
            let transaction = connection.transaction()?;
            transaction.prepare_cached(&format!("DELETE FROM rules WHERE {UNREADABLE}"))?.execute(
                named_params! {
                    ":agent_id": entry.agent_id,
                    ":server_id": entry.server_id,
                    ":tool_name": entry.tool_name.get().map_or("", String::as_str),
                },
            )?;
            transaction
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
                })?;
            transaction.commit()
        };
        self.0.run(put).await
    }

    async fn remove(&self, key: AccessKey) -> Result<Option<AccessEntry>, StoreError> {
        let remove = move |connection: &mut Connection| {
            let mut delete = connection.prepare_cached(&format!(
                "DELETE FROM rules WHERE entry_type = :entry_type AND agent_id = :agent_id \
                 AND server_id = :server_id AND tool_name = :tool_name OR {UNREADABLE} RETURNING {COLUMNS}"
            ))?;
            let params = named_params! {
                ":entry_type": key.entry_type.as_str(),
                ":agent_id": key.agent_id,
                ":server_id": key.server_id,
                ":tool_name": key.tool_name.as_deref().unwrap_or_default(),
            };
            let removed: Vec<_> =
                delete.query_map(params, |row| Ok(read(row)))?.collect::<rusqlite::Result<_>>()?;
            let StoredRows { mut rows, unreadable } = StoredRows::of(removed);
            Ok(rows.pop().or_else(|| (!unreadable.is_empty()).then(|| key.unreadable())))
        };
        self.0.run(remove).await
    }

    async fn version(&self) -> Result<i64, StoreError> {
        self.0.data_version().await
    }
}

/// Reads a row. The columns that decisions depend on must be readable. `granted_by`, `granted_at` and `justification` are left out if
/// they are not.
fn read(row: &Row<'_>) -> Result<AccessEntry, UnreadableRule> {
    let mut problems = Vec::new();
    let entry_type = keep(named::<EntryType>(row, "entry_type"), &mut problems);
    let agent_id = keep(needed(row, "agent_id"), &mut problems);
    let server_id = keep(needed(row, "server_id"), &mut problems);
    let tool_name = keep(needed(row, "tool_name"), &mut problems);
    let permission = keep(named::<AccessDecision>(row, "permission"), &mut problems);
    let expires_at = keep(text(row, "expires_at"), &mut problems);
    if let (Some(entry_type), Some(tool)) = (entry_type, &tool_name)
        && (entry_type == EntryType::ServerGrant) != tool.is_empty()
    {
        problems.push(format!("invalid tool_name: a {entry_type} has {tool:?}"));
    }
    let told = |column| Nullable::from(text(row, column).unwrap_or_default());
    match (entry_type, agent_id, server_id, tool_name, permission, expires_at) {
        (
            Some(entry_type),
            Some(agent_id),
            Some(server_id),
            Some(tool),
            Some(permission),
            Some(expires_at),
        ) if problems.is_empty() => Ok(AccessEntry {
            entry_type,
            agent_id,
            server_id,
            tool_name: Nullable::from((!tool.is_empty()).then_some(tool)),
            permission: Some(permission),
            granted_by: told("granted_by"),
            granted_at: told("granted_at"),
            expires_at: Nullable::from(expires_at),
            justification: told("justification"),
        }),
        (entry_type, agent_id, server_id, tool_name, permission, _) => Err(UnreadableRule {
            entry_type,
            agent_id,
            server_id,
            tool_name,
            permission,
            problem: problems.join("; "),
        }),
    }
}

fn keep<T>(read: Result<T, String>, problems: &mut Vec<String>) -> Option<T> {
    read.map_err(|problem| problems.push(problem)).ok()
}
