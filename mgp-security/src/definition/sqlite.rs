//! A store of pins in SQLite.

use super::{
    ChangedDefinition, DecisionError, DefinitionStore, DefinitionText, MAX_PINS, PinnedDefinition,
    RecordFuture, StoreError, StoredRows, UnreadablePin,
};
use async_trait::async_trait;
use jiff::Timestamp;
use mgp_store::sqlite::{Database, Synchronous, named, open, text};
use mgp_types::{context::ToolId, json::RawJson, tool_security::DefinitionHash};
use rusqlite::{Connection, Row, TransactionBehavior, named_params, params};
use rusqlite_migration::{M, Migrations};
use std::{
    collections::{HashMap, hash_map::Entry},
    path::Path,
};

/// The table of pins: one row for each tool. Times are in microseconds since 1970. A text that is too long is NULL.
const DEFINITIONS: &str = "
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
";

const COLUMNS: &str = "server_id, tool_name, accepted_sha256, accepted, accepted_at, accepted_by, listed_sha256, listed, listed_at, held";

/// A store of pins in an SQLite file, which several processes may share.
#[derive(Debug, Clone)]
pub struct SqliteDefinitionStore(Database);

impl SqliteDefinitionStore {
    /// Opens the file, and creates it if it is missing. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`], naming the file.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        // FULL: a pin must survive a loss of power, because nobody would notice its loss.
        let migrations = Migrations::new(vec![M::up(DEFINITIONS)]);
        Ok(Self(Database::new(open(path.as_ref(), Synchronous::Full, &migrations)?)))
    }
}

#[async_trait]
impl DefinitionStore for SqliteDefinitionStore {
    async fn load(&self) -> Result<StoredRows<PinnedDefinition, UnreadablePin>, StoreError> {
        let load = |connection: &mut Connection| {
            let mut select = connection.prepare_cached(&format!("SELECT {COLUMNS} FROM definitions"))?;
            let rows: Vec<_> = select.query_map([], read)?.collect::<rusqlite::Result<_>>()?;
            Ok(StoredRows::of(rows))
        };
        self.0.run(load).await
    }

    async fn pin(&self, pins: Vec<PinnedDefinition>) -> Result<Vec<ToolId>, StoreError> {
        let insert = move |connection: &mut Connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let mut counts = HashMap::new();
            let mut pinned = Vec::new();
            for pin in pins {
                let of_server = match counts.entry(pin.tool.server_id.clone()) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(new) => new.insert(count(&transaction, &pin.tool.server_id)?),
                };
                if *of_server < MAX_PINS && insert(&transaction, &pin)? {
                    *of_server += 1;
                    pinned.push(pin.tool);
                }
            }
            transaction.commit()?;
            Ok(pinned)
        };
        self.0.run(insert).await
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
        let write = move |transaction: &Connection| update(transaction, &there, &after);
        let event = event.unwrap_or_else(|| Box::pin(async { Ok(()) }));
        Ok(self.0.write_with_event(event, write).await??)
    }

    async fn remove(&self, server_id: &str, tool_name: Option<&str>) -> Result<usize, StoreError> {
        let (server_id, tool_name) = (server_id.to_owned(), tool_name.map(str::to_owned));
        let remove = move |connection: &mut Connection| {
            connection
                .prepare_cached(
                    "DELETE FROM definitions WHERE server_id = ?1 AND tool_name = ifnull(?2, tool_name)",
                )?
                .execute(params![server_id, tool_name])
        };
        self.0.run(remove).await
    }

    async fn version(&self) -> Result<i64, StoreError> {
        self.0.data_version().await
    }
}

/// Returns the number of pins of a server.
fn count(transaction: &Connection, server_id: &str) -> rusqlite::Result<usize> {
    let count: u32 = transaction
        .prepare_cached("SELECT count(*) FROM definitions WHERE server_id = ?")?
        .query_row(params![server_id], |row| row.get(0))?;
    Ok(usize::try_from(count).unwrap_or(usize::MAX))
}

/// Inserts a pin, unless its tool has one. Returns whether the pin was inserted.
fn insert(transaction: &Connection, pin: &PinnedDefinition) -> rusqlite::Result<bool> {
    let sql = format!(
        "INSERT INTO definitions ({COLUMNS}) VALUES (:server_id, :tool_name, :accepted_sha256, :accepted, :accepted_at, :accepted_by, \
         NULL, NULL, NULL, false) ON CONFLICT DO NOTHING"
    );
    let inserted = transaction.prepare_cached(&sql)?.execute(named_params! {
        ":server_id": &*pin.tool.server_id,
        ":tool_name": &*pin.tool.tool_name,
        ":accepted_sha256": pin.accepted.hash.to_string(),
        ":accepted": pin.accepted.text.as_ref().map(RawJson::as_str),
        ":accepted_at": pin.accepted_at.as_microsecond(),
        ":accepted_by": pin.accepted_by,
    })?;
    Ok(inserted > 0)
}

/// Replaces the row whose definitions have the hashes `there`. Returns whether the row existed.
fn update(
    transaction: &Connection,
    (accepted, listed): &(String, Option<String>),
    after: &PinnedDefinition,
) -> rusqlite::Result<bool> {
    let sql = "UPDATE definitions SET accepted_sha256 = :accepted_sha256, accepted = :accepted, accepted_at = :accepted_at, \
               accepted_by = :accepted_by, listed_sha256 = :listed_sha256, listed = :listed, listed_at = :listed_at, held = :held \
               WHERE server_id = :server_id AND tool_name = :tool_name AND accepted_sha256 = :there AND listed_sha256 IS :listed_there";
    let change = after.change.as_ref();
    let changed = transaction.prepare_cached(sql)?.execute(named_params! {
        ":server_id": &*after.tool.server_id,
        ":tool_name": &*after.tool.tool_name,
        ":there": accepted,
        ":listed_there": listed,
        ":accepted_sha256": after.accepted.hash.to_string(),
        ":accepted": after.accepted.text.as_ref().map(RawJson::as_str),
        ":accepted_at": after.accepted_at.as_microsecond(),
        ":accepted_by": after.accepted_by,
        ":listed_sha256": change.map(|change| change.listed.hash.to_string()),
        ":listed": change.and_then(|change| change.listed.text.as_ref()).map(RawJson::as_str),
        ":listed_at": change.map(|change| change.listed_at.as_microsecond()),
        ":held": change.is_some_and(|change| change.held),
    })?;
    Ok(changed > 0)
}

fn read(row: &Row<'_>) -> rusqlite::Result<Result<PinnedDefinition, UnreadablePin>> {
    let name = |column| {
        let value = row.get_ref(column)?;
        Ok::<_, rusqlite::Error>(String::from_utf8_lossy(value.as_bytes()?).into_owned())
    };
    let tool = ToolId::new(name("server_id")?, name("tool_name")?);
    Ok(read_pin(row, tool.clone()).map_err(|problem| UnreadablePin { tool, problem }))
}

fn read_pin(row: &Row<'_>, tool: ToolId) -> Result<PinnedDefinition, String> {
    let change = match text(row, "listed_sha256")? {
        None => None,
        Some(_) => Some(ChangedDefinition {
            listed: definition(row, "listed_sha256", "listed")?,
            listed_at: time(row, "listed_at")?,
            held: row.get("held").map_err(|error| error.to_string())?,
        }),
    };
    Ok(PinnedDefinition {
        tool,
        accepted: definition(row, "accepted_sha256", "accepted")?,
        accepted_at: time(row, "accepted_at")?,
        accepted_by: text(row, "accepted_by")?,
        change,
    })
}

/// Reads a definition, whose text must have its hash.
fn definition(row: &Row<'_>, hash: &str, column: &str) -> Result<DefinitionText, String> {
    let hash: DefinitionHash = named(row, hash)?;
    let Some(written) = text(row, column)? else { return Ok(DefinitionText { hash, text: None }) };
    let parsed = RawJson::parse(written).map_err(|error| format!("invalid {column}: {error}"))?;
    let found = DefinitionText::of(&parsed);
    if found.hash != hash {
        return Err(format!("invalid {column}: its hash is {}, expected {hash}", found.hash));
    }
    Ok(found)
}

fn time(row: &Row<'_>, column: &str) -> Result<Timestamp, String> {
    let micros = row.get(column).map_err(|error| error.to_string())?;
    Timestamp::from_microsecond(micros).map_err(|error| format!("invalid {column}: {error}"))
}
