//! A store of entries in SQLite.

use super::{
    Claim, Entry, EntryBound, EntryBounds, EntryId, EntryState, IdempotencyStore, KeptAnswer, NewEntry,
    Outcome, StoreError,
};
use crate::owner::Owner;
use async_trait::async_trait;
use jiff::Timestamp;
use mgp_store::sqlite::{Database, Synchronous, Turn, open_in_turn};
use mgp_types::{json::RawJson, rpc::ErrorObject};
use parking_lot::Mutex;
use rusqlite::{Connection, OptionalExtension, Row, TransactionBehavior, named_params, params};
use rusqlite_migration::{M, Migrations};
use std::{collections::HashMap, path::Path, sync::Arc};

/// The number of expired entries that a claim also removes.
const SWEPT_BY_CLAIM: usize = 64;

/// The table of entries, and the sums of each caller, which triggers keep. Times are in microseconds since 1970.
pub(super) const ENTRIES: &str = "
CREATE TABLE entries (
    principal TEXT NOT NULL,
    server_id TEXT NOT NULL,
    tool_name TEXT NOT NULL,
    key TEXT NOT NULL,
    arguments BLOB NOT NULL,
    state TEXT NOT NULL,
    is_error INTEGER NOT NULL DEFAULT 0,
    answer TEXT,
    dropped_bytes INTEGER,
    owner TEXT NOT NULL,
    made_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    UNIQUE (principal, server_id, tool_name, key)
) STRICT;
CREATE INDEX entries_by_end ON entries (expires_at);
CREATE TABLE sums (principal TEXT NOT NULL PRIMARY KEY, entries INTEGER NOT NULL, bytes INTEGER NOT NULL) STRICT;
CREATE TRIGGER entry_added AFTER INSERT ON entries BEGIN
    INSERT OR IGNORE INTO sums VALUES (new.principal, 0, 0);
    UPDATE sums SET entries = entries + 1, bytes = bytes + ifnull(octet_length(new.answer), 0) WHERE principal = new.principal;
END;
CREATE TRIGGER entry_answered AFTER UPDATE OF answer ON entries BEGIN
    UPDATE sums SET bytes = bytes + ifnull(octet_length(new.answer), 0) - ifnull(octet_length(old.answer), 0)
    WHERE principal = new.principal;
END;
CREATE TRIGGER entry_removed AFTER DELETE ON entries BEGIN
    UPDATE sums SET entries = entries - 1, bytes = bytes - ifnull(octet_length(old.answer), 0) WHERE principal = old.principal;
    DELETE FROM sums WHERE principal = old.principal AND entries <= 0;
END;
";

/// The sums of each calling agent, instead of those of each agent with the agents that it claims to act for.
const CALLERS: &str = "
DROP TRIGGER entry_added;
DROP TRIGGER entry_answered;
DROP TRIGGER entry_removed;
DROP TABLE sums;
ALTER TABLE entries ADD COLUMN caller TEXT NOT NULL DEFAULT '';
UPDATE entries SET caller = ifnull(CASE WHEN json_valid(principal) THEN json_extract(principal, '$[0]') END, principal);
CREATE INDEX entries_by_caller ON entries (caller, expires_at);
CREATE TABLE sums (caller TEXT NOT NULL PRIMARY KEY, entries INTEGER NOT NULL, bytes INTEGER NOT NULL) STRICT;
INSERT INTO sums SELECT caller, count(*), ifnull(sum(octet_length(answer)), 0) FROM entries GROUP BY caller;
CREATE TRIGGER entry_added AFTER INSERT ON entries BEGIN
    INSERT OR IGNORE INTO sums VALUES (new.caller, 0, 0);
    UPDATE sums SET entries = entries + 1, bytes = bytes + ifnull(octet_length(new.answer), 0) WHERE caller = new.caller;
END;
CREATE TRIGGER entry_answered AFTER UPDATE OF answer ON entries BEGIN
    UPDATE sums SET bytes = bytes + ifnull(octet_length(new.answer), 0) - ifnull(octet_length(old.answer), 0)
    WHERE caller = new.caller;
END;
CREATE TRIGGER entry_removed AFTER DELETE ON entries BEGIN
    UPDATE sums SET entries = entries - 1, bytes = bytes - ifnull(octet_length(old.answer), 0) WHERE caller = old.caller;
    DELETE FROM sums WHERE caller = old.caller AND entries <= 0;
END;
";

/// The condition that selects the entry of a call.
const OF_CALL: &str =
    "principal = :principal AND server_id = :server_id AND tool_name = :tool_name AND key = :key";

/// A store of entries in an SQLite file that only its user can read, and that several processes may share. Clones share the store; a second
/// kernel in the process opens the file itself.
#[derive(Debug, Clone)]
pub struct SqliteIdempotencyStore {
    database: Database,
    owner: Arc<Owner>,
    /// The calls of this process whose end could not be stored. Each has an entry, which the next sweep settles.
    unsettled: Arc<Mutex<HashMap<EntryId, CallEnd>>>,
}

/// An end of a call that could not be stored.
#[derive(Debug, Clone, Copy)]
enum CallEnd {
    /// The call was not sent.
    Unsent,
    /// The call was sent. Its answer is not kept in memory, so its outcome becomes unknown.
    Sent,
}

impl SqliteIdempotencyStore {
    /// Opens the file, and creates it if it is missing. Calls of processes that are gone become unknown. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`], naming the file.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let path = path.as_ref();
        let error = |error: &dyn std::fmt::Display| StoreError::new(format!("{}: {error}", path.display()));
        let turn = Turn::at(path).map_err(|problem| error(&problem))?;
        let migrations = Migrations::new(vec![M::up(ENTRIES), M::up(CALLERS)]);
        // FULL: a call whose entry was lost in a power failure would be made again.
        let connection = open_in_turn(path, &turn, Synchronous::Full, &migrations)?;
        // Answers hold private data, which should be erased with their entry.
        connection.pragma_update(None, "secure_delete", true).map_err(|problem| error(&problem))?;
        let owner = Owner::enter(path).map_err(|problem| error(&problem))?;
        for gone in owner.bury().map_err(|problem| error(&problem))? {
            let sql = "UPDATE entries SET state = 'unknown' WHERE owner = ? AND state = 'pending'";
            connection.execute(sql, [gone]).map_err(|problem| error(&problem))?;
        }
        Ok(Self { database: Database::new(connection), owner: Arc::new(owner), unsettled: Arc::default() })
    }

    /// Records whether the end of a call was stored, so that a later sweep settles the entry if it was not.
    fn note(&self, id: &EntryId, end: CallEnd, stored: Result<(), StoreError>) -> Result<(), StoreError> {
        let mut unsettled = self.unsettled.lock();
        if stored.is_ok() {
            unsettled.remove(id);
        } else {
            // The first report is right: a call that was not sent is not sent later under this entry.
            unsettled.entry(id.clone()).or_insert(end);
        }
        stored
    }

    /// Runs a closure in a transaction that keeps other writers out.
    async fn write<T: Send + 'static>(
        &self,
        write: impl FnOnce(&Connection, &Owner) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let owner = self.owner.clone();
        self.database
            .run(move |connection| {
                let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
                let written = write(&transaction, &owner)?;
                transaction.commit()?;
                Ok(written)
            })
            .await
    }
}

#[async_trait]
impl IdempotencyStore for SqliteIdempotencyStore {
    async fn claim(&self, entry: NewEntry, bounds: EntryBounds) -> Result<Claim, StoreError> {
        let id = entry.id.clone();
        let end = self.unsettled.lock().get(&id).copied();
        let claimed = self.write(move |transaction, owner| {
            if let Some(end) = end {
                settle(transaction, owner, &entry.id, end)?;
            }
            claim(transaction, owner, &entry, bounds)
        });
        let claimed = claimed.await?;
        if end.is_some() {
            self.unsettled.lock().remove(&id);
        }
        Ok(claimed)
    }

    async fn foresee(&self, entry: NewEntry, bounds: EntryBounds) -> Result<Claim, StoreError> {
        let owner = self.owner.clone();
        self.database
            .run(move |connection| {
                // Dropped without a commit, so that no part of the claim remains.
                let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
                claim(&transaction, &owner, &entry, bounds)
            })
            .await
    }

    async fn keep(&self, id: &EntryId, outcome: Outcome, bounds: EntryBounds) -> Result<(), StoreError> {
        let of = id.clone();
        let kept = self.write(move |transaction, owner| keep(transaction, owner, &of, outcome, bounds)).await;
        self.note(id, CallEnd::Sent, kept)
    }

    async fn release(&self, id: &EntryId) -> Result<(), StoreError> {
        let of = id.clone();
        let released = self.write(move |transaction, owner| release(transaction, owner, &of)).await;
        self.note(id, CallEnd::Unsent, released)
    }

    async fn sweep(&self, now: Timestamp) -> Result<usize, StoreError> {
        let unsettled: Vec<_> = self.unsettled.lock().iter().map(|(id, end)| (id.clone(), *end)).collect();
        let removed = self.write(move |transaction, owner| {
            for (id, end) in &unsettled {
                settle(transaction, owner, id, *end)?;
            }
            let removed = sweep(transaction, owner, now, usize::MAX)?;
            Ok((removed, unsettled))
        });
        let (removed, settled) = removed.await?;
        {
            let mut unsettled = self.unsettled.lock();
            for (id, _) in settled {
                unsettled.remove(&id);
            }
        }
        // The write-ahead log holds removed data until it is emptied. Another process may keep it open: the next sweep empties it then.
        let emptied = self
            .database
            .run(|connection| connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())));
        if let Err(error) = emptied.await {
            tracing::debug!(%error, "the log of idempotency keys was not emptied");
        }
        Ok(removed)
    }

    async fn version(&self) -> Result<i64, StoreError> {
        self.database.data_version().await
    }
}

fn claim(
    transaction: &Connection,
    owner: &Owner,
    new: &NewEntry,
    bounds: EntryBounds,
) -> rusqlite::Result<Claim> {
    sweep(transaction, owner, new.made_at, SWEPT_BY_CLAIM)?;
    let id = &new.id;
    if let Some(stored) = find(transaction, id)? {
        let now = new.made_at.as_microsecond();
        let runs = stored.state == "pending" && owner.is_alive(&stored.owner);
        if runs || stored.expires_at > now {
            return Ok(Claim::Exists(Box::new(stored.entry(owner, runs))));
        }
        // More entries have expired than one claim removes.
        let sql = format!("DELETE FROM entries WHERE {OF_CALL}");
        transaction.prepare_cached(&sql)?.execute(named_params! {
            ":principal": id.principal, ":server_id": id.server_id, ":tool_name": id.tool_name, ":key": id.key,
        })?;
    }
    let count = sums(transaction, &new.caller)?.0;
    if count >= bounds.entries {
        let sql = "SELECT min(expires_at) FROM entries WHERE caller = ?";
        let first: Option<i64> =
            transaction.prepare_cached(sql)?.query_row([&new.caller], |row| row.get(0))?;
        let room_at = first.and_then(|micros| Timestamp::from_microsecond(micros).ok());
        return Ok(Claim::Full { bound: EntryBound::Entries(count), room_at });
    }
    let sql = "INSERT INTO entries (principal, caller, server_id, tool_name, key, arguments, state, owner, made_at, expires_at) \
               VALUES (?, ?, ?, ?, ?, ?, 'pending', ?, ?, ?)";
    transaction.prepare_cached(sql)?.execute(params![
        id.principal,
        new.caller,
        id.server_id,
        id.tool_name,
        id.key,
        new.arguments,
        owner.id(),
        new.made_at.as_microsecond(),
        new.expires_at.as_microsecond()
    ])?;
    Ok(Claim::New)
}

/// Removes the entry of a call that was not sent.
fn release(transaction: &Connection, owner: &Owner, id: &EntryId) -> rusqlite::Result<()> {
    let sql = format!("DELETE FROM entries WHERE {OF_CALL} AND owner = :owner AND state = 'pending'");
    transaction.prepare_cached(&sql)?.execute(named_params! {
        ":principal": id.principal, ":server_id": id.server_id, ":tool_name": id.tool_name, ":key": id.key,
        ":owner": owner.id(),
    })?;
    Ok(())
}

/// Settles the entry of a call whose end could not be stored before.
fn settle(transaction: &Connection, owner: &Owner, id: &EntryId, end: CallEnd) -> rusqlite::Result<()> {
    match end {
        CallEnd::Unsent => release(transaction, owner, id),
        CallEnd::Sent => {
            // No answer is stored, so no bound applies.
            let bounds = EntryBounds { entries: 0, answer_bytes: 0, all_bytes: 0 };
            keep(transaction, owner, id, Outcome::Unknown, bounds)
        }
    }
}

fn keep(
    transaction: &Connection,
    owner: &Owner,
    id: &EntryId,
    outcome: Outcome,
    bounds: EntryBounds,
) -> rusqlite::Result<()> {
    let (state, answer) = match outcome {
        Outcome::Unknown => ("unknown", None),
        Outcome::Done(answer) => {
            let room = bounds.all_bytes.saturating_sub(bytes_of_caller(transaction, id)?);
            ("done", Some(answer.within(room.min(bounds.answer_bytes))))
        }
    };
    let dropped = match &answer {
        Some(KeptAnswer::Dropped { bytes, is_error }) => {
            Some((i64::try_from(*bytes).unwrap_or(i64::MAX), *is_error))
        }
        _ => None,
    };
    let is_error =
        matches!(answer, Some(KeptAnswer::Error(_))) || dropped.is_some_and(|(_, is_error)| is_error);
    let text = answer.as_ref().and_then(KeptAnswer::text);
    let sql = format!(
        "UPDATE entries SET state = :state, is_error = :is_error, answer = :answer, dropped_bytes = :dropped \
         WHERE {OF_CALL} AND owner = :owner AND state = 'pending'"
    );
    transaction.prepare_cached(&sql)?.execute(named_params! {
        ":principal": id.principal, ":server_id": id.server_id, ":tool_name": id.tool_name, ":key": id.key,
        ":owner": owner.id(),
        ":state": state,
        ":is_error": is_error,
        ":answer": text.as_ref().map(RawJson::as_str),
        ":dropped": dropped.map(|(bytes, _)| bytes),
    })?;
    Ok(())
}

/// Removes up to `most` expired entries whose call does not run.
fn sweep(transaction: &Connection, owner: &Owner, now: Timestamp, most: usize) -> rusqlite::Result<usize> {
    let sql = "SELECT rowid, state, owner FROM entries WHERE expires_at <= ? ORDER BY expires_at LIMIT ?";
    let mut select = transaction.prepare_cached(sql)?;
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let over: Vec<(i64, String, String)> = select
        .query_map(params![now.as_microsecond(), most], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let mut removed = 0;
    for (row, state, of) in over {
        if state != "pending" || (of != owner.id() && !owner.is_alive(&of)) {
            removed += transaction.prepare_cached("DELETE FROM entries WHERE rowid = ?")?.execute([row])?;
        }
    }
    Ok(removed)
}

/// Returns the number of a caller's entries, and the bytes of their answers.
fn sums(transaction: &Connection, caller: &str) -> rusqlite::Result<(usize, usize)> {
    let sql = "SELECT entries, bytes FROM sums WHERE caller = ?";
    let sums: Option<(i64, i64)> = transaction
        .prepare_cached(sql)?
        .query_row([caller], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let number = |number: i64| usize::try_from(number).unwrap_or_default();
    Ok(sums.map_or((0, 0), |(entries, bytes)| (number(entries), number(bytes))))
}

/// Returns the bytes of all answers to the caller of an entry.
fn bytes_of_caller(transaction: &Connection, id: &EntryId) -> rusqlite::Result<usize> {
    let caller: Option<String> = transaction
        .prepare_cached(&format!("SELECT caller FROM entries WHERE {OF_CALL}"))?
        .query_row(
            named_params! {
                ":principal": id.principal, ":server_id": id.server_id, ":tool_name": id.tool_name, ":key": id.key,
            },
            |row| row.get(0),
        )
        .optional()?;
    caller.map_or(Ok(0), |caller| Ok(sums(transaction, &caller)?.1))
}

/// A row of the table.
struct StoredEntry {
    arguments: Vec<u8>,
    state: String,
    is_error: bool,
    answer: Option<String>,
    dropped_bytes: Option<i64>,
    owner: String,
    made_at: i64,
    expires_at: i64,
}

fn find(transaction: &Connection, id: &EntryId) -> rusqlite::Result<Option<StoredEntry>> {
    let sql = format!(
        "SELECT arguments, state, is_error, answer, dropped_bytes, owner, made_at, expires_at FROM entries WHERE {OF_CALL}"
    );
    let read = |row: &Row<'_>| {
        Ok(StoredEntry {
            arguments: row.get(0)?,
            state: row.get(1)?,
            is_error: row.get(2)?,
            answer: row.get(3)?,
            dropped_bytes: row.get(4)?,
            owner: row.get(5)?,
            made_at: row.get(6)?,
            expires_at: row.get(7)?,
        })
    };
    let id = named_params! {
        ":principal": id.principal, ":server_id": id.server_id, ":tool_name": id.tool_name, ":key": id.key,
    };
    transaction.prepare_cached(&sql)?.query_row(id, read).optional()
}

impl StoredEntry {
    /// Returns the entry. An unreadable entry counts as unknown, so its call is not made again.
    fn entry(self, owner: &Owner, runs: bool) -> Entry {
        let made_at = Timestamp::from_microsecond(self.made_at).unwrap_or(Timestamp::UNIX_EPOCH);
        // A hash of another length matches no arguments.
        let arguments = <[u8; 32]>::try_from(&*self.arguments).unwrap_or([0; 32]);
        let state = if runs { EntryState::Pending { here: self.owner == owner.id() } } else { self.done() };
        Entry { arguments, made_at, state }
    }

    fn done(self) -> EntryState {
        let answer = match (&*self.state, self.answer, self.dropped_bytes) {
            ("done", Some(text), _) => RawJson::parse(text).ok().and_then(|json| {
                if self.is_error {
                    json.decode::<ErrorObject>().ok().map(KeptAnswer::Error)
                } else {
                    Some(KeptAnswer::Result(json))
                }
            }),
            ("done", None, Some(bytes)) => {
                let bytes = u64::try_from(bytes).unwrap_or_default();
                Some(KeptAnswer::Dropped { bytes, is_error: self.is_error })
            }
            _ => None,
        };
        answer.map_or(EntryState::Unknown, EntryState::Done)
    }
}
