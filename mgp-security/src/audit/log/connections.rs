//! The connections of a process to the trail, which are reopened if the file was replaced by another.

use super::{
    file::{FileConnections, FileId, TrailFile},
    notes,
    row::{self, Newest, Row},
    schema::{ANCHOR, MOVE},
};
use mgp_store::sqlite::lock_timeout;
use parking_lot::Mutex;
use rusqlite::{Connection, ErrorCode, OptionalExtension, Transaction, TransactionBehavior, types::Value};
use std::{sync::atomic::AtomicBool, time::Duration};

/// The connections of a process to the trail: one that writes, one that reads, one for checkpoints.
pub(super) struct Connections {
    file: TrailFile,
    pub(super) writing: Mutex<WriteConnection>,
    /// Locked after `writing` if both are locked.
    reading: Mutex<ReadConnection>,
    /// Held during a checkpoint, and locked after the others. `None` if the file could not be opened again.
    pub(super) checkpointing: Mutex<Option<Connection>>,
    /// True if events are copied to a database, and are not removed before.
    pub(super) keeps_uncopied: AtomicBool,
}

/// The longest time for which events wait for readers in any process before the log is emptied.
const READERS: Duration = Duration::from_millis(20);

/// The number of events that one transaction moves to the table with indexes, which takes about 2 ms.
const MOVED_AT_ONCE: i64 = 256;

/// The connection that writes.
pub(super) struct WriteConnection {
    /// `None` if the file could not be opened again.
    connection: Option<Connection>,
    id: FileId,
    mark: String,
    /// The number of events that this process has stored in the file.
    stored: u64,
    /// The number of the last known event.
    last_seq: i64,
    /// The newest event, if this connection stored it and nothing has failed since.
    newest: Option<Newest>,
    /// Events about the trail itself that are not stored yet.
    notes: Vec<Row>,
}

/// The connection that reads.
struct ReadConnection {
    /// `None` if the file could not be opened again.
    connection: Option<Connection>,
    id: FileId,
    generation: u64,
}

/// The connection that reads, borrowed for one read.
pub(super) struct Reader<'a> {
    pub(super) connection: &'a mut Connection,
    /// The number of earlier files at this path. The numbers of their events mean nothing in this file.
    pub(super) generation: u64,
}

impl Connections {
    pub(super) fn open(file: TrailFile) -> Result<Self, String> {
        let FileConnections { writing, reading, checkpointing, id, mark, last_seq } = file.connect()?;
        let connection = Some(writing);
        let writing =
            WriteConnection { connection, id, mark, stored: 0, last_seq, newest: None, notes: Vec::new() };
        let reading = ReadConnection { connection: Some(reading), id, generation: 0 };
        let checkpointing = Mutex::new(Some(checkpointing));
        Ok(Self {
            file,
            writing: Mutex::new(writing),
            reading: Mutex::new(reading),
            checkpointing,
            keeps_uncopied: AtomicBool::new(false),
        })
    }

    /// Returns the identity of the file at the path, if there is one.
    pub(super) fn id(&self) -> Option<FileId> {
        self.file.id()
    }

    /// Returns whether the connection still writes to the file at the path.
    pub(super) fn is_current(&self, writing: &WriteConnection) -> bool {
        writing.connection.is_some() && self.file.id() == Some(writing.id)
    }

    /// Reopens the file at the path if it is not the open one, and creates it if it is missing.
    pub(super) fn renew(&self, writing: &mut WriteConnection) -> Result<(), String> {
        if self.is_current(writing) {
            return Ok(());
        }
        let (mut reading, mut checkpointing) = (self.reading.lock(), self.checkpointing.lock());
        // All are closed first: see `TrailFile::connect`.
        (writing.connection, reading.connection, *checkpointing) = (None, None, None);
        let connected = self.file.connect()?;
        // A restored copy has the same mark, but fewer events.
        if connected.mark != writing.mark || connected.last_seq < writing.last_seq {
            let (file, stored) = (self.file.path(), writing.stored);
            tracing::error!(
                file = %file.display(), events = stored,
                "the audit trail was removed or replaced while it was written: it is begun anew"
            );
            // A process that only reads has lost nothing.
            if stored > 0 {
                writing.notes.push(notes::replaced(file, stored, writing.last_seq)?);
            }
            writing.stored = 0;
            writing.last_seq = writing.last_seq.max(connected.last_seq);
            reading.generation += 1;
        }
        (writing.id, reading.id) = (connected.id, connected.id);
        writing.newest = None;
        writing.mark = connected.mark;
        writing.connection = Some(connected.writing);
        reading.connection = Some(connected.reading);
        *checkpointing = Some(connected.checkpointing);
        Ok(())
    }

    /// Moves the write-ahead log into the tables while events are stored, except for pages that others read. Returns the number of pages
    /// in the log, and of those that are in the tables; `None` if another process runs a checkpoint. Blocks on the disk.
    pub(super) fn checkpoint(&self) -> rusqlite::Result<Option<(usize, usize)>> {
        self.checkpointing.lock().as_ref().map_or(Ok(None), |connection| checkpoint(connection, "PASSIVE"))
    }

    /// Moves the rest of the write-ahead log into the tables and empties it, unless it is being read. Returns whether it is empty. Waits
    /// for a running checkpoint, because SQLite would not. Called while `writing` is locked.
    pub(super) fn empty_log(&self) -> rusqlite::Result<bool> {
        let checkpointing = self.checkpointing.lock();
        let Some(connection) = &*checkpointing else { return Ok(false) };
        connection.busy_timeout(READERS)?;
        let emptied = checkpoint(connection, "TRUNCATE");
        connection.busy_timeout(lock_timeout())?;
        Ok(matches!(emptied?, Some((0, _))))
    }

    /// Moves the oldest events to the table with indexes while more than `keep` of them are in the other table. Returns whether some are
    /// left to move. Other writers wait meanwhile, so one call moves only a few. Blocks on the disk.
    pub(super) fn move_older(&self, keep: i64) -> rusqlite::Result<bool> {
        let mut checkpointing = self.checkpointing.lock();
        let Some(connection) = &mut *checkpointing else { return Ok(false) };
        let ends =
            "SELECT ifnull((SELECT min(seq) FROM events), 0), ifnull((SELECT max(seq) FROM events), 0)";
        let (first, last): (i64, i64) =
            connection.query_row(ends, [], |row| Ok((row.get(0)?, row.get(1)?)))?;
        if last - first < keep {
            return Ok(false);
        }
        let end = (first + MOVED_AT_ONCE).min(last);
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for statement in MOVE {
            transaction.prepare_cached(statement)?.execute([end])?;
        }
        transaction.commit()?;
        Ok(last - end >= keep)
    }

    /// Notes the newest event as the trail's anchor, so that its absence is found later. An anchor whose event is gone stays: it shows
    /// that the end of the trail was cut off. Blocks on the disk, and waits up to `busy` for other processes.
    pub(super) fn anchor(&self, busy: Duration) -> rusqlite::Result<()> {
        // On the writing connection, so that no event of this process finds the file busy.
        let writing = self.writing.lock();
        let Some(connection) = &writing.connection else { return Ok(()) };
        connection.busy_timeout(busy)?;
        connection.prepare_cached(ANCHOR)?.execute([]).map(drop)
    }

    /// Reads from the file at the path. Blocks on the disk.
    pub(super) fn read<T>(&self, read: impl FnOnce(Reader<'_>) -> rusqlite::Result<T>) -> Result<T, String> {
        let mut reading = self.reading.lock();
        if reading.connection.is_none() || self.file.id() != Some(reading.id) {
            drop(reading);
            self.renew(&mut self.writing.lock())?;
            reading = self.reading.lock();
        }
        let generation = reading.generation;
        let connection = reading.connection.as_mut().ok_or("the trail cannot be opened")?;
        read(Reader { connection, generation }).map_err(|error| error.to_string())
    }
}

impl Reader<'_> {
    /// Begins a transaction, which reads one state of the file whatever is stored meanwhile.
    pub(super) fn snapshot(&mut self) -> rusqlite::Result<Transaction<'_>> {
        self.connection.transaction()
    }
}

impl WriteConnection {
    /// Inserts events in one transaction, preceded by those about the trail itself. The events are not counted until
    /// [`stored`](Self::stored) is called.
    pub(super) fn insert<'a>(
        &mut self,
        busy: Duration,
        told: Option<&Row>,
        rows: impl Iterator<Item = &'a Row>,
    ) -> rusqlite::Result<()> {
        self.insert_claimed(busy, told, |_| Ok(rows))
    }

    /// Inserts events like [`insert`](Self::insert). `claim` decides within the transaction which events these are.
    pub(super) fn insert_claimed<'a, I: Iterator<Item = &'a Row>>(
        &mut self,
        busy: Duration,
        told: Option<&Row>,
        claim: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<I>,
    ) -> rusqlite::Result<()> {
        let Some(connection) = &mut self.connection else { return Err(rusqlite::Error::InvalidQuery) };
        connection.busy_timeout(busy)?;
        // Immediate: a transaction that starts by reading could not wait for another process's transaction.
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        {
            let mut rows = claim(&transaction)?;
            let newest = "SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1";
            let mut newest = transaction.prepare_cached(newest)?;
            let newest = newest.query_row([], |row| Ok(Newest { seq: row.get(0)?, hash: row.get(1)? }));
            let mut newest = newest.optional()?.unwrap_or(Newest { seq: 0, hash: Value::Null });
            // The first event of a replacement file continues the numbers, for readers that follow them.
            if !self.notes.is_empty() {
                newest.seq = newest.seq.max(self.last_seq);
            }
            let mut insert = transaction.prepare_cached(row::INSERT)?;
            let mut store = |row: &Row| {
                newest = row.insert(&mut insert, &newest)?;
                Ok::<_, rusqlite::Error>(())
            };
            self.notes.iter().chain(told).try_for_each(&mut store)?;
            rows.try_for_each(&mut store)?;
            self.newest = Some(newest);
        }
        let committed = transaction.commit();
        if committed.is_err() {
            self.newest = None;
        }
        committed
    }

    /// Inserts one event without waiting for other processes, after an event that this connection stored, in SQLite's implicit
    /// transaction of a single statement. The event is not counted until [`stored`](Self::stored) is called.
    pub(super) fn insert_alone(&mut self, row: &Row) -> rusqlite::Result<()> {
        if let (Some(connection), Some(newest)) = (&self.connection, self.newest.take())
            && self.notes.is_empty()
        {
            connection.busy_timeout(Duration::ZERO)?;
            let inserted = row.insert(&mut *connection.prepare_cached(row::INSERT_NEXT)?, &newest);
            match inserted {
                // Another process stored an event meanwhile.
                Err(error) if error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation) => {}
                inserted => {
                    self.newest = Some(inserted?);
                    return Ok(());
                }
            }
        }
        self.insert(Duration::ZERO, None, std::iter::once(row))
    }

    /// Returns the identity of the file that the connection writes to.
    pub(super) fn id(&self) -> FileId {
        self.id
    }

    /// Returns the connection, which waits up to `busy` for other processes.
    pub(super) fn connection(&self, busy: Duration) -> rusqlite::Result<&Connection> {
        let connection = self.connection.as_ref().ok_or(rusqlite::Error::InvalidQuery)?;
        connection.busy_timeout(busy)?;
        Ok(connection)
    }

    /// Counts inserted events, once they are known to be in the file.
    pub(super) fn stored(&mut self, rows: usize) {
        if let Some(connection) = &self.connection {
            // 0 if the connection has inserted none.
            self.last_seq = self.last_seq.max(connection.last_insert_rowid());
        }
        self.stored += (rows + self.notes.len()) as u64;
        self.notes.clear();
    }

    /// Closes the connection because it is broken. The next write opens the file again.
    pub(super) fn close(&mut self) {
        self.connection = None;
    }
}

/// Runs a checkpoint, and returns the number of pages in the log, and of those that are in the tables.
fn checkpoint(connection: &Connection, mode: &str) -> rusqlite::Result<Option<(usize, usize)>> {
    let run = format!("PRAGMA wal_checkpoint({mode})");
    // Both are -1 if another connection runs a checkpoint.
    let (length, moved): (i64, i64) = connection.query_row(&run, [], |row| Ok((row.get(1)?, row.get(2)?)))?;
    Ok(usize::try_from(length).ok().zip(usize::try_from(moved).ok()))
}
