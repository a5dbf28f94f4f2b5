//! A store of pins in the table of a database.

use super::{
    ChangedDefinition, DecisionError, DefinitionStore, DefinitionText, MAX_PINS, PinnedDefinition,
    RecordFuture, StoreError, StoredRows, UnreadablePin,
};
use crate::stored_rows::needed_time;
use async_trait::async_trait;
use mgp_store::{
    sql::{Connection, Database, Row, Schema, SqlStore, Value, params},
    sqlite::Synchronous,
};
use mgp_types::{context::ToolId, json::RawJson, tool_security::DefinitionHash};
use std::collections::{HashMap, hash_map::Entry};

const COLUMNS: &str = "server_id, tool_name, accepted_sha256, accepted, accepted_at, accepted_by, listed_sha256, listed, listed_at, held";

/// A store of pins in a database, which several processes may share.
#[derive(Debug, Clone)]
pub struct SqlDefinitionStore(Database);

impl SqlStore for SqlDefinitionStore {
    /// The table of pins: one row for each tool. Times are in microseconds since 1970. A text that is too long is NULL. A pin must survive a
    /// loss of power, because nobody would notice its loss.
    const SCHEMA: &'static Schema = &Schema {
        section: "definition",
        synchronous: Synchronous::Full,
        sqlite: &[
            "
CREATE TABLE IF NOT EXISTS definitions (
    server_id TEXT NOT NULL,
    tool_name TEXT NOT NULL,
    accepted_sha256 TEXT NOT NULL,
    accepted TEXT,
    accepted_at INTEGER NOT NULL,
    accepted_by TEXT,
    listed_sha256 TEXT,
    listed TEXT,
    listed_at INTEGER,
    held INTEGER NOT NULL,
    PRIMARY KEY (server_id, tool_name)
) STRICT, WITHOUT ROWID;
",
            "
CREATE INDEX definitions_changed ON definitions (server_id, tool_name) WHERE listed_sha256 IS NOT NULL;
",
        ],
        postgres: None,
    };

    fn new(database: Database) -> Self {
        Self(database)
    }
}

#[async_trait]
impl DefinitionStore for SqlDefinitionStore {
    async fn load(&self) -> Result<StoredRows<PinnedDefinition, UnreadablePin>, StoreError> {
        let load =
            |connection: &Connection<'_>| connection.rows(&format!("SELECT {COLUMNS} FROM definitions"), &[]);
        Ok(StoredRows::of(self.0.read(load).await?.iter().map(read)))
    }

    async fn load_changed(&self) -> Result<StoredRows<PinnedDefinition, UnreadablePin>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM definitions WHERE listed_sha256 IS NOT NULL");
        let load = move |connection: &Connection<'_>| connection.rows(&sql, &[]);
        Ok(StoredRows::of(self.0.read(load).await?.iter().map(read)))
    }

    async fn pin(&self, pins: Vec<PinnedDefinition>) -> Result<Vec<ToolId>, StoreError> {
        let insert = move |connection: &Connection<'_>| {
            let mut counts = HashMap::new();
            let mut pinned = Vec::new();
            for pin in pins {
                let of_server = match counts.entry(pin.tool.server_id.clone()) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(new) => new.insert(count(connection, &pin.tool.server_id)?),
                };
                if *of_server < MAX_PINS && insert(connection, &pin)? {
                    *of_server += 1;
                    pinned.push(pin.tool);
                }
            }
            Ok(pinned)
        };
        self.0.write(insert).await
    }

    async fn replace(
        &self,
        before: &PinnedDefinition,
        after: PinnedDefinition,
        event: Option<RecordFuture>,
    ) -> Result<bool, DecisionError> {
        let there = (
            before.accepted.hash.to_string(),
            before.change.as_ref().map(|change| change.listed.hash.to_string()),
        );
        let write = move |connection: &Connection<'_>| update(connection, &there, &after);
        let event = event.unwrap_or_else(|| Box::pin(async { Ok(()) }));
        Ok(self.0.write_with_event(event, write).await??)
    }

    async fn remove(&self, server_id: &str, tool_name: Option<&str>) -> Result<usize, StoreError> {
        let (server_id, tool_name) = (server_id.to_owned(), tool_name.map(str::to_owned));
        let remove = move |connection: &Connection<'_>| {
            connection.execute(
                "DELETE FROM definitions WHERE server_id = $1 AND tool_name = coalesce($2, tool_name)",
                &params![server_id, tool_name],
            )
        };
        self.0.write(remove).await
    }

    async fn version(&self) -> Result<i64, StoreError> {
        self.0.version().await
    }
}

/// Returns the number of pins of a server.
fn count(connection: &Connection<'_>, server_id: &str) -> Result<usize, StoreError> {
    let sql = "SELECT count(*) AS pins FROM definitions WHERE server_id = $1";
    let count = connection.row(sql, &params![server_id])?.map_or(Ok(0), |row| row.needed_integer("pins"));
    Ok(usize::try_from(count.map_err(StoreError::new)?).unwrap_or(usize::MAX))
}

/// Inserts a pin, unless its tool has one. Returns whether the pin was inserted.
fn insert(connection: &Connection<'_>, pin: &PinnedDefinition) -> Result<bool, StoreError> {
    let sql = format!(
        "INSERT INTO definitions ({COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, NULL, NULL, NULL, 0) \
         ON CONFLICT (server_id, tool_name) DO NOTHING"
    );
    let inserted = connection.execute(
        &sql,
        &params![
            &*pin.tool.server_id,
            &*pin.tool.tool_name,
            pin.accepted.hash.to_string(),
            pin.accepted.text.as_ref().map(RawJson::as_str),
            pin.accepted_at.as_microsecond(),
            pin.accepted_by.as_deref(),
        ],
    )?;
    Ok(inserted > 0)
}

/// Replaces the row whose definitions have the hashes `there`. Returns whether the row existed.
fn update(
    connection: &Connection<'_>,
    (accepted, listed): &(String, Option<String>),
    after: &PinnedDefinition,
) -> Result<bool, StoreError> {
    let change = after.change.as_ref();
    let changed = connection.execute(
        "UPDATE definitions SET accepted_sha256 = $5, accepted = $6, accepted_at = $7, accepted_by = $8, listed_sha256 = $9, \
         listed = $10, listed_at = $11, held = $12 \
         WHERE server_id = $1 AND tool_name = $2 AND accepted_sha256 = $3 AND listed_sha256 IS NOT DISTINCT FROM $4",
        &params![
            &*after.tool.server_id,
            &*after.tool.tool_name,
            accepted,
            listed.as_deref(),
            after.accepted.hash.to_string(),
            after.accepted.text.as_ref().map(RawJson::as_str),
            after.accepted_at.as_microsecond(),
            after.accepted_by.as_deref(),
            change.map(|change| change.listed.hash.to_string()),
            change.and_then(|change| change.listed.text.as_ref()).map(RawJson::as_str),
            change.map(|change| change.listed_at.as_microsecond()),
            change.is_some_and(|change| change.held),
        ],
    )?;
    Ok(changed > 0)
}

fn read(row: &Row) -> Result<PinnedDefinition, UnreadablePin> {
    let name = |column| match row.value(column) {
        Ok(Value::Text(text)) => text.clone().into_owned(),
        Ok(Value::Bytes(bytes)) => String::from_utf8_lossy(bytes).into_owned(),
        _ => String::new(),
    };
    let tool = ToolId::new(name("server_id"), name("tool_name"));
    read_pin(row, tool.clone()).map_err(|problem| UnreadablePin { tool, problem })
}

fn read_pin(row: &Row, tool: ToolId) -> Result<PinnedDefinition, String> {
    let change = match row.text("listed_sha256")? {
        None => None,
        Some(_) => Some(ChangedDefinition {
            listed: definition(row, "listed_sha256", "listed")?,
            listed_at: needed_time(row, "listed_at")?,
            held: row.flag("held")?,
        }),
    };
    Ok(PinnedDefinition {
        tool,
        accepted: definition(row, "accepted_sha256", "accepted")?,
        accepted_at: needed_time(row, "accepted_at")?,
        accepted_by: row.text("accepted_by")?.map(str::to_owned),
        change,
    })
}

/// Reads a definition, whose text must have its hash.
fn definition(row: &Row, hash: &str, column: &str) -> Result<DefinitionText, String> {
    let hash: DefinitionHash = row.named(hash)?;
    let Some(written) = row.text(column)? else { return Ok(DefinitionText { hash, text: None }) };
    let parsed = RawJson::parse(written.to_owned()).map_err(|error| format!("invalid {column}: {error}"))?;
    let found = DefinitionText::of(&parsed);
    if found.hash != hash {
        return Err(format!("invalid {column}: its hash is {}, expected {hash}", found.hash));
    }
    Ok(found)
}
