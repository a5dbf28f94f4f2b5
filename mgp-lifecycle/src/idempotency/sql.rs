//! A store of entries in the tables of a database.

use super::{
    Claim, Entry, EntryBound, EntryBounds, EntryId, EntryState, IdempotencyStore, KeptAnswer, NewEntry,
    Outcome, StoreError, entry::calling_agent,
};
use crate::owner::Owner;
use async_trait::async_trait;
use jiff::Timestamp;
use mgp_store::{
    sql::{Connection, Database, Row, Schema, Value, params},
    sqlite::Synchronous,
};
use mgp_types::{json::RawJson, rpc::ErrorObject};
use parking_lot::Mutex;
use std::{
    collections::HashMap,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

/// The condition that selects the entry of a call.
const OF_CALL: &str = "caller = $1 AND principal = $2 AND server_id = $3 AND tool_name = $4 AND key = $5";

/// A store of entries in a database, which several processes may share. A file of SQLite can be read only by its user. Clones share the
/// store; a second kernel in the process opens it itself.
#[derive(Debug, Clone)]
pub struct SqlIdempotencyStore {
    database: Database,
    pub(super) owner: Arc<Owner>,
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

impl SqlIdempotencyStore {
    /// The table of entries, and the sums of each calling agent, whatever agents it acts for. Times are in microseconds since 1970. A call
    /// whose entry was lost in a power failure would be made again.
    ///
    /// PostgreSQL has no unique index of entries, because their identity may be longer than its indexes allow. A caller's entries are
    /// written by one process at a time.
    pub const SCHEMA: &'static Schema = &Schema {
        section: "idempotency",
        synchronous: Synchronous::Full,
        sqlite: &[
            "
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
",
            "
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
",
            // The store keeps the sums.
            "
DROP TRIGGER entry_added;
DROP TRIGGER entry_answered;
DROP TRIGGER entry_removed;
CREATE INDEX entries_pending ON entries (owner) WHERE state = 'pending';
",
        ],
        postgres: Some(&["
CREATE TABLE entries (
    caller TEXT NOT NULL,
    principal TEXT NOT NULL,
    server_id TEXT NOT NULL,
    tool_name TEXT NOT NULL,
    key TEXT NOT NULL,
    arguments BYTEA NOT NULL,
    state TEXT NOT NULL,
    is_error BIGINT NOT NULL DEFAULT 0,
    answer TEXT,
    dropped_bytes BIGINT,
    owner TEXT NOT NULL,
    made_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX entries_by_key ON entries (caller, key);
CREATE INDEX entries_by_caller ON entries (caller, expires_at);
CREATE INDEX entries_by_end ON entries (expires_at);
CREATE INDEX entries_pending ON entries (owner) WHERE state = 'pending';
CREATE TABLE sums (caller TEXT NOT NULL PRIMARY KEY, entries BIGINT NOT NULL, bytes BIGINT NOT NULL);
CREATE TABLE entry_owners (id TEXT NOT NULL PRIMARY KEY, seen_at BIGINT NOT NULL);
"]),
    };

    /// Opens a file of SQLite, and creates it if it is missing. Calls of processes that are gone count as unknown. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`], naming the file.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let (database, owner) = Owner::open(path.as_ref(), Self::SCHEMA)?;
        Ok(Self { database, owner: Arc::new(owner), unsettled: Arc::default() })
    }

    /// Creates an empty store in memory, which lives as long as its last clone.
    #[must_use]
    pub fn in_memory() -> Self {
        let database = Database::in_memory(Self::SCHEMA);
        Self { database, owner: Arc::new(Owner::only()), unsettled: Arc::default() }
    }

    /// Uses tables of PostgreSQL that exist, and marks this process as one that runs, until the last clone is dropped. A process that does
    /// not renew its mark for 30 s counts as gone, and its calls as unknown.
    ///
    /// # Errors
    /// [`StoreError`] if the mark cannot be stored.
    pub async fn enter(database: Database) -> Result<Self, StoreError> {
        let owner = Owner::enter_table(database.clone(), "entry_owners").await?;
        Ok(Self { database, owner: Arc::new(owner), unsettled: Arc::default() })
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

    /// Writes while no other process writes entries of the same caller.
    async fn write<T: Send + 'static>(
        &self,
        id: &EntryId,
        write: impl FnOnce(&CallEntry<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (id, owner, caller) = (id.clone(), self.owner.clone(), calling_agent(&id.principal));
        let subjects = vec![caller.clone()];
        let write = move |connection: &Connection<'_>| {
            write(&CallEntry { connection, owner: &owner, id: &id, caller: &caller })
        };
        self.database.write_for(subjects, write).await
    }

    /// Makes the calls of processes that are gone unknown.
    async fn bury(&self) -> Result<(), StoreError> {
        let owner = self.owner.clone();
        let bury = move |connection: &Connection<'_>| {
            for row in connection.rows("SELECT DISTINCT owner FROM entries WHERE state = 'pending'", &[])? {
                let of = row.needed("owner").map_err(StoreError::new)?;
                if !owner.is_alive(connection, of)? {
                    let sql = "UPDATE entries SET state = 'unknown' WHERE owner = $1 AND state = 'pending'";
                    connection.execute(sql, &params![of])?;
                }
            }
            owner.bury(connection)
        };
        self.database.write(bury).await
    }
}

#[async_trait]
impl IdempotencyStore for SqlIdempotencyStore {
    async fn claim(&self, new: NewEntry, bounds: EntryBounds) -> Result<Claim, StoreError> {
        self.owner.check().await?;
        let id = new.id.clone();
        let end = self.unsettled.lock().get(&id).copied();
        let is_new = Arc::new(AtomicBool::new(false));
        let adds = is_new.clone();
        let claim = move |entry: &CallEntry<'_>| {
            if let Some(end) = end {
                entry.settle(end)?;
            }
            let claim = entry.claim(&new, bounds)?;
            adds.store(claim == Claim::New, Ordering::Relaxed);
            Ok(claim)
        };
        let claimed = self.write(&id, claim).await;
        match &claimed {
            Ok(_) if end.is_some() => {
                self.unsettled.lock().remove(&id);
            }
            // The connection may have been lost after the entry was stored, and its call is not sent.
            Err(_) if is_new.load(Ordering::Relaxed) => {
                self.unsettled.lock().insert(id, CallEnd::Unsent);
            }
            _ => {}
        }
        claimed
    }

    async fn foresee(&self, new: NewEntry, bounds: EntryBounds) -> Result<Claim, StoreError> {
        let (owner, caller) = (self.owner.clone(), calling_agent(&new.id.principal));
        let subjects = vec![caller.clone()];
        let foresee = move |connection: &Connection<'_>| {
            CallEntry { connection, owner: &owner, id: &new.id, caller: &caller }.claim(&new, bounds)
        };
        self.database.foresee_for(subjects, foresee).await
    }

    async fn keep(&self, id: &EntryId, outcome: Outcome, bounds: EntryBounds) -> Result<(), StoreError> {
        let kept = self.write(id, move |entry| entry.keep(outcome, bounds)).await;
        self.note(id, CallEnd::Sent, kept)
    }

    async fn release(&self, id: &EntryId) -> Result<(), StoreError> {
        let released = self.write(id, |entry| entry.settle(CallEnd::Unsent)).await;
        self.note(id, CallEnd::Unsent, released)
    }

    async fn sweep(&self, now: Timestamp) -> Result<usize, StoreError> {
        let unsettled: Vec<_> = self.unsettled.lock().iter().map(|(id, end)| (id.clone(), *end)).collect();
        for (id, end) in unsettled {
            self.write(&id, move |entry| entry.settle(end)).await?;
            self.unsettled.lock().remove(&id);
        }
        self.bury().await?;
        let now = now.as_microsecond();
        let callers = move |connection: &Connection<'_>| {
            connection.rows(&format!("SELECT DISTINCT caller FROM entries WHERE {EXPIRED}"), &params![now])
        };
        let mut removed = 0;
        // One caller at a time, because each one's sums change with its entries.
        for row in self.database.read(callers).await? {
            let caller = row.needed("caller").map_err(StoreError::new)?.to_owned();
            let subjects = vec![caller.clone()];
            let remove = move |connection: &Connection<'_>| remove_expired(connection, &caller, now);
            removed += self.database.write_for(subjects, remove).await?;
        }
        // The log holds removed data until it is emptied. Another process may keep it open: the next sweep empties it then.
        if let Err(error) = self.database.empty_log().await {
            tracing::debug!(%error, "the log of idempotency keys was not emptied");
        }
        Ok(removed)
    }

    async fn version(&self) -> Result<i64, StoreError> {
        self.database.version().await
    }
}

/// The condition that selects expired entries whose call does not run. The call of a process that is gone runs until it is buried.
const EXPIRED: &str = "expires_at <= $1 AND state <> 'pending'";

fn remove_expired(connection: &Connection<'_>, caller: &str, now: i64) -> Result<usize, StoreError> {
    remove(connection, caller, &format!("{EXPIRED} AND caller = $2"), &params![now, caller])
}

/// Removes entries of one caller, and returns their number.
fn remove(
    connection: &Connection<'_>,
    caller: &str,
    condition: &str,
    params: &[Value<'_>],
) -> Result<usize, StoreError> {
    let sql =
        format!("DELETE FROM entries WHERE {condition} RETURNING coalesce(octet_length(answer), 0) AS bytes");
    let removed = connection.rows(&sql, params)?;
    if removed.is_empty() {
        return Ok(0);
    }
    let bytes: Result<Vec<i64>, String> = removed.iter().map(|row| row.needed_integer("bytes")).collect();
    let bytes: i64 = bytes.map_err(StoreError::new)?.iter().sum();
    let sql = "UPDATE sums SET entries = entries - $2, bytes = bytes - $3 WHERE caller = $1";
    connection.execute(sql, &params![caller, removed.len(), bytes])?;
    connection.execute("DELETE FROM sums WHERE caller = $1 AND entries <= 0", &params![caller])?;
    Ok(removed.len())
}

/// The entry of a call, which may be missing, in a transaction that locks the entries of its caller.
struct CallEntry<'a> {
    connection: &'a Connection<'a>,
    owner: &'a Owner,
    id: &'a EntryId,
    caller: &'a str,
}

impl CallEntry<'_> {
    fn claim(&self, new: &NewEntry, bounds: EntryBounds) -> Result<Claim, StoreError> {
        let (connection, caller, now) = (self.connection, self.caller, new.made_at.as_microsecond());
        if let Some(stored) = self.find()? {
            let runs = stored.state == "pending" && self.owner.is_alive(connection, &stored.owner)?;
            if runs || stored.expires_at > now {
                return Ok(Claim::Exists(Box::new(stored.entry(self.owner, runs))));
            }
            remove(connection, caller, OF_CALL, &self.params([]))?;
        }
        let mut count = self.sums()?.0;
        if count >= bounds.entries && remove_expired(connection, caller, now)? > 0 {
            count = self.sums()?.0;
        }
        if count >= bounds.entries {
            let sql = "SELECT min(expires_at) AS first FROM entries WHERE caller = $1";
            let first = connection.row(sql, &params![caller])?.map(|row| row.integer("first")).transpose();
            let first = first.map_err(StoreError::new)?.flatten();
            let room_at = first.and_then(|micros| Timestamp::from_microsecond(micros).ok());
            return Ok(Claim::Full { bound: EntryBound::Entries(count), room_at });
        }
        connection.execute(
            "INSERT INTO entries (caller, principal, server_id, tool_name, key, arguments, state, owner, made_at, expires_at) \
             VALUES ($1, $2, $3, $4, $5, $6, 'pending', $7, $8, $9)",
            &self.params([
                new.arguments.as_slice().into(),
                self.owner.id().into(),
                now.into(),
                new.expires_at.as_microsecond().into(),
            ]),
        )?;
        let sql = "INSERT INTO sums (caller, entries, bytes) VALUES ($1, 1, 0) \
                   ON CONFLICT (caller) DO UPDATE SET entries = sums.entries + 1";
        connection.execute(sql, &params![caller])?;
        Ok(Claim::New)
    }

    /// Removes the entry of a call of this process that was not sent.
    fn release(&self) -> Result<(), StoreError> {
        let condition = format!("{OF_CALL} AND owner = $6 AND state = 'pending'");
        remove(self.connection, self.caller, &condition, &self.params([self.owner.id().into()])).map(drop)
    }

    /// Settles the entry of a call whose end could not be stored before.
    fn settle(&self, end: CallEnd) -> Result<(), StoreError> {
        match end {
            CallEnd::Unsent => self.release(),
            CallEnd::Sent => {
                // No answer is stored, so no bound applies.
                let bounds = EntryBounds { entries: 0, answer_bytes: 0, all_bytes: 0 };
                self.keep(Outcome::Unknown, bounds)
            }
        }
    }

    fn keep(&self, outcome: Outcome, bounds: EntryBounds) -> Result<(), StoreError> {
        let (state, answer) = match outcome {
            Outcome::Unknown => ("unknown", None),
            Outcome::Done(answer) => {
                let room = bounds.all_bytes.saturating_sub(self.sums()?.1);
                ("done", Some(answer.within(room.min(bounds.answer_bytes))))
            }
        };
        let dropped = match &answer {
            Some(KeptAnswer::Dropped { bytes, is_error }) => Some((*bytes, *is_error)),
            _ => None,
        };
        let is_error =
            matches!(answer, Some(KeptAnswer::Error(_))) || dropped.is_some_and(|(_, is_error)| is_error);
        let text = answer.as_ref().and_then(KeptAnswer::text);
        let sql = format!(
            "UPDATE entries SET state = $6, is_error = $7, answer = $8, dropped_bytes = $9 \
             WHERE {OF_CALL} AND owner = $10 AND state = 'pending'"
        );
        let changed = self.connection.execute(
            &sql,
            &self.params([
                state.into(),
                is_error.into(),
                text.as_ref().map(RawJson::as_str).into(),
                dropped.map(|(bytes, _)| bytes).into(),
                self.owner.id().into(),
            ]),
        )?;
        if let (Some(text), 1..) = (text, changed) {
            let sql = "UPDATE sums SET bytes = bytes + $2 WHERE caller = $1";
            self.connection.execute(sql, &params![self.caller, text.as_bytes().len()])?;
        }
        Ok(())
    }

    /// Returns the number of the caller's entries, and the bytes of their answers.
    fn sums(&self) -> Result<(usize, usize), StoreError> {
        let sql = "SELECT entries, bytes FROM sums WHERE caller = $1";
        let Some(row) = self.connection.row(sql, &params![self.caller])? else { return Ok((0, 0)) };
        let number = |column| {
            let number = row.needed_integer(column).map(|number| usize::try_from(number).unwrap_or_default());
            number.map_err(StoreError::new)
        };
        Ok((number("entries")?, number("bytes")?))
    }

    fn find(&self) -> Result<Option<StoredEntry>, StoreError> {
        let sql = format!(
            "SELECT arguments, state, is_error, answer, dropped_bytes, owner, made_at, expires_at FROM entries WHERE {OF_CALL}"
        );
        let row = self.connection.row(&sql, &self.params([]))?;
        row.as_ref().map(StoredEntry::read).transpose().map_err(StoreError::new)
    }

    /// Returns the parameters of [`OF_CALL`], and then others.
    fn params<'a, const N: usize>(&'a self, others: [Value<'a>; N]) -> Vec<Value<'a>> {
        let EntryId { principal, server_id, tool_name, key } = self.id;
        let mut params = params![self.caller, principal, server_id, tool_name, key].to_vec();
        params.extend(others);
        params
    }
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

impl StoredEntry {
    fn read(row: &Row) -> Result<Self, String> {
        Ok(Self {
            arguments: row.bytes("arguments")?.unwrap_or_default().to_vec(),
            state: row.needed("state")?.to_owned(),
            is_error: row.flag("is_error")?,
            answer: row.text("answer")?.map(str::to_owned),
            dropped_bytes: row.integer("dropped_bytes")?,
            owner: row.needed("owner")?.to_owned(),
            made_at: row.needed_integer("made_at")?,
            expires_at: row.needed_integer("expires_at")?,
        })
    }

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
