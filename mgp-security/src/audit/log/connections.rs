//! The connections of a process to the trail, which are opened anew where another file stands in the place of theirs.

use super::{
    file::{Connected, FileId, TrailFile},
    notes,
    row::{self, Row},
};
use rusqlite::{Connection, Transaction, TransactionBehavior};
use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// The connections of a process to the trail: one that writes, one that reads.
pub(super) struct Connections {
    file: TrailFile,
    writing: Mutex<Writing>,
    /// Locked after `writing`, where both are.
    reading: Mutex<Reading>,
}

/// The connection that writes.
pub(super) struct Writing {
    /// None where the file could not be opened again.
    connection: Option<Connection>,
    id: FileId,
    mark: String,
    /// The number of events that this process has stored in the file.
    stored: u64,
    /// The number of the last event that is known.
    last_seq: i64,
    /// Events about the trail itself that are not stored yet.
    notes: Vec<Row>,
}

/// The connection that reads.
struct Reading {
    /// None where the file could not be opened again.
    connection: Option<Connection>,
    id: FileId,
    generation: u64,
}

/// The connection that reads, for one reading.
pub(super) struct Reader<'a> {
    pub(super) connection: &'a mut Connection,
    /// The number of files before this one: the numbers of their events mean nothing here.
    pub(super) generation: u64,
}

impl Connections {
    pub(super) fn open(file: TrailFile) -> Result<Self, String> {
        let Connected { writing, reading, id, mark, last_seq } = file.connect()?;
        let writing = Writing { connection: Some(writing), id, mark, stored: 0, last_seq, notes: Vec::new() };
        let reading = Reading { connection: Some(reading), id, generation: 0 };
        Ok(Self { file, writing: Mutex::new(writing), reading: Mutex::new(reading) })
    }

    pub(super) fn write(&self) -> MutexGuard<'_, Writing> {
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn try_write(&self) -> Option<MutexGuard<'_, Writing>> {
        self.writing.try_lock().ok()
    }

    /// Returns whether the connection still writes to the file that stands at the path.
    pub(super) fn is_current(&self, writing: &Writing) -> bool {
        writing.connection.is_some() && self.file.id() == Some(writing.id)
    }

    /// Opens the file that stands at the path, where that is another one, or there is none any more.
    pub(super) fn renew(&self, writing: &mut Writing) -> Result<(), String> {
        if self.is_current(writing) {
            return Ok(());
        }
        let mut reading = self.read_lock();
        // Both are closed first: see `TrailFile::connect`.
        writing.connection = None;
        reading.connection = None;
        let connected = self.file.connect()?;
        // A copy that was put back has the same mark and fewer events.
        if connected.mark != writing.mark || connected.last_seq < writing.last_seq {
            let (file, stored) = (self.file.path(), writing.stored);
            tracing::error!(
                file = %file.display(), events = stored,
                "the audit trail was removed or replaced while it was written: it is begun anew"
            );
            // The numbers go on, for those who follow them.
            raise_numbers(&connected.writing, writing.last_seq).map_err(|error| error.to_string())?;
            writing.notes.push(notes::replaced(file, stored, writing.last_seq)?);
            writing.stored = 0;
            writing.last_seq = writing.last_seq.max(connected.last_seq);
            reading.generation += 1;
        }
        (writing.id, reading.id) = (connected.id, connected.id);
        writing.mark = connected.mark;
        writing.connection = Some(connected.writing);
        reading.connection = Some(connected.reading);
        Ok(())
    }

    /// Reads from the file that stands at the path. Blocks for as long as the disk takes.
    pub(super) fn read<T>(&self, read: impl FnOnce(Reader<'_>) -> rusqlite::Result<T>) -> Result<T, String> {
        let mut reading = self.read_lock();
        if reading.connection.is_none() || self.file.id() != Some(reading.id) {
            drop(reading);
            self.renew(&mut self.write())?;
            reading = self.read_lock();
        }
        let generation = reading.generation;
        let connection = reading.connection.as_mut().ok_or("the trail cannot be opened")?;
        read(Reader { connection, generation }).map_err(|error| error.to_string())
    }

    fn read_lock(&self) -> MutexGuard<'_, Reading> {
        self.reading.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reader<'_> {
    /// Returns the connection with one state of the file, whatever is stored meanwhile.
    pub(super) fn snapshot(&mut self) -> rusqlite::Result<Transaction<'_>> {
        self.connection.transaction()
    }
}

impl Writing {
    /// Stores events in one transaction, those about the trail itself first. They are not counted before [`stored`](Self::stored)
    /// is told of them.
    pub(super) fn insert<'a>(
        &mut self,
        busy: Duration,
        told: Option<&Row>,
        rows: impl Iterator<Item = &'a Row>,
    ) -> rusqlite::Result<()> {
        let Some(connection) = &mut self.connection else { return Err(rusqlite::Error::InvalidQuery) };
        connection.busy_timeout(busy)?;
        // Immediate: a transaction that starts by reading could not wait for another process's.
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        {
            let mut insert = transaction.prepare_cached(row::INSERT)?;
            for row in self.notes.iter().chain(told) {
                row.insert(&mut insert)?;
            }
            for row in rows {
                row.insert(&mut insert)?;
            }
        }
        transaction.commit()
    }

    /// Counts events that were inserted, once it is known that they stand in the file.
    pub(super) fn stored(&mut self, rows: usize) {
        if let Some(connection) = &self.connection {
            self.last_seq = connection.last_insert_rowid();
        }
        self.stored += (rows + self.notes.len()) as u64;
        self.notes.clear();
    }

    /// Closes the connection, which is broken: the next write opens the file again.
    pub(super) fn close(&mut self) {
        self.connection = None;
    }

    /// The connection, where the file is open.
    pub(super) fn connection(&self) -> Option<&Connection> {
        self.connection.as_ref()
    }
}

/// Lets numbers of events begin after one.
fn raise_numbers(connection: &Connection, last_seq: i64) -> rusqlite::Result<()> {
    let raised = "UPDATE sqlite_sequence SET seq = max(seq, ?1) WHERE name = 'events'";
    if connection.execute(raised, [last_seq])? == 0 {
        connection.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('events', ?1)", [last_seq])?;
    }
    Ok(())
}
