//! A store of access rules in the tables of a database.

use super::{AccessKey, AccessStore, StoreError, StoredRows, UnreadableRule};
use async_trait::async_trait;
use mgp_store::{
    sql::{Connection, Database, Row, Schema, SqlStore, params},
    sqlite::Synchronous,
};
use mgp_types::{
    access::{AccessDecision, AccessEntry, EntryType},
    json::Nullable,
};

const COLUMNS: &str = "entry_type, agent_id, server_id, tool_name, permission, granted_by, granted_at, expires_at, justification";

/// Selects the rows for an agent ($1) and a server ($2), or for one of its tools ($3), whose entry type does not match their tool name.
const UNREADABLE: &str = "agent_id = $1 AND server_id = $2 AND tool_name = $3 \
                          AND entry_type IS DISTINCT FROM CASE WHEN tool_name = '' THEN 'server_grant' ELSE 'tool_grant' END";

/// A store of rules in a database, which several processes may share.
#[derive(Debug, Clone)]
pub struct SqlAccessStore(Database);

impl SqlStore for SqlAccessStore {
    /// The table of rules: one row for each entry type, agent, server and tool. The tool of a server grant is the empty string. An operator's
    /// rule must survive a loss of power, and rules are few.
    const SCHEMA: &'static Schema = &Schema {
        section: "access",
        synchronous: Synchronous::Full,
        sqlite: &["
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
"],
        postgres: None,
    };

    fn new(database: Database) -> Self {
        Self(database)
    }
}

#[async_trait]
impl AccessStore for SqlAccessStore {
    async fn load(&self) -> Result<StoredRows<AccessEntry, UnreadableRule>, StoreError> {
        let load =
            |connection: &Connection<'_>| connection.rows(&format!("SELECT {COLUMNS} FROM rules"), &[]);
        Ok(StoredRows::of(self.0.read(load).await?.iter().map(read)))
    }

    async fn put(&self, entry: AccessEntry) -> Result<(), StoreError> {
        let Some(permission) = entry.permission else {
            return Err(StoreError::new("a rule needs a permission"));
        };
        let put = move |connection: &Connection<'_>| {
            let tool_name = entry.tool_name.get().map_or("", String::as_str);
            connection.execute(
                &format!("DELETE FROM rules WHERE {UNREADABLE}"),
                &params![&entry.agent_id, &entry.server_id, tool_name],
            )?;
            connection.execute(
                &format!(
                    "INSERT INTO rules ({COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) \
                     ON CONFLICT (entry_type, agent_id, server_id, tool_name) DO UPDATE SET permission = excluded.permission, \
                     granted_by = excluded.granted_by, granted_at = excluded.granted_at, expires_at = excluded.expires_at, \
                     justification = excluded.justification"
                ),
                &params![
                    entry.entry_type.as_str(),
                    &entry.agent_id,
                    &entry.server_id,
                    tool_name,
                    permission.as_str(),
                    entry.granted_by.get(),
                    entry.granted_at.get(),
                    entry.expires_at.get(),
                    entry.justification.get(),
                ],
            )
        };
        self.0.write(put).await.map(drop)
    }

    async fn remove(&self, key: AccessKey) -> Result<Option<AccessEntry>, StoreError> {
        let remove = move |connection: &Connection<'_>| {
            let removed = connection.rows(
                &format!(
                    "DELETE FROM rules WHERE entry_type = $4 AND agent_id = $1 AND server_id = $2 AND tool_name = $3 \
                     OR {UNREADABLE} RETURNING {COLUMNS}"
                ),
                &params![
                    &key.agent_id,
                    &key.server_id,
                    key.tool_name.as_deref().unwrap_or_default(),
                    key.entry_type.as_str(),
                ],
            )?;
            let StoredRows { mut rows, unreadable } = StoredRows::of(removed.iter().map(read));
            Ok(rows.pop().or_else(|| (!unreadable.is_empty()).then(|| key.unreadable())))
        };
        self.0.write(remove).await
    }

    async fn version(&self) -> Result<i64, StoreError> {
        // A right that was revoked before this call must be found.
        self.0.current_version().await
    }
}

/// Reads a row. The columns that decisions depend on must be readable. `granted_by`, `granted_at` and `justification` are left out if
/// they are not.
fn read(row: &Row) -> Result<AccessEntry, UnreadableRule> {
    let mut problems = Vec::new();
    let entry_type = keep(row.named::<EntryType>("entry_type"), &mut problems);
    let agent_id = keep(row.needed("agent_id").map(str::to_owned), &mut problems);
    let server_id = keep(row.needed("server_id").map(str::to_owned), &mut problems);
    let tool_name = keep(row.needed("tool_name").map(str::to_owned), &mut problems);
    let permission = keep(row.named::<AccessDecision>("permission"), &mut problems);
    let expires_at = keep(row.text("expires_at").map(|at| at.map(str::to_owned)), &mut problems);
    if let (Some(entry_type), Some(tool)) = (entry_type, &tool_name)
        && (entry_type == EntryType::ServerGrant) != tool.is_empty()
    {
        problems.push(format!("invalid tool_name: a {entry_type} has {tool:?}"));
    }
    let told = |column| Nullable::from(row.text(column).unwrap_or_default().map(str::to_owned));
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
