//! The tables of one section, for async code.

#[cfg(feature = "postgres")]
use super::postgres::PostgresTables;
use super::{Connection, Schema, connection::Engine, memory::MemoryTables, sqlite::store_error};
use crate::{
    StoreError,
    sqlite::{self, Turn},
};
use parking_lot::Mutex;
use rusqlite::TransactionBehavior;
use std::{fmt, future::Future, path::Path, sync::Arc};

/// The tables of one section, in a file of SQLite, in memory, or in a database of PostgreSQL. Closures run on a thread that may block, unless
/// their tables are in memory and nobody else uses them.
#[derive(Clone)]
pub struct Database(Tables);

#[derive(Clone)]
enum Tables {
    Sqlite(Arc<Mutex<rusqlite::Connection>>),
    Memory(Arc<MemoryTables>),
    #[cfg(feature = "postgres")]
    Postgres(PostgresTables),
}

impl Database {
    /// Opens a file of SQLite, and creates it if it is missing. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`], which names the file.
    pub fn open(path: &Path, schema: &Schema) -> Result<Self, StoreError> {
        Ok(Self::of(sqlite::open(path, schema.synchronous, &schema.migrations())?))
    }

    /// Opens a file of SQLite as [`open`](Self::open) does, for a caller that already has its turn at the file.
    ///
    /// # Errors
    /// [`StoreError`], which names the file.
    pub fn open_in_turn(path: &Path, turn: &Turn, schema: &Schema) -> Result<Self, StoreError> {
        Ok(Self::of(sqlite::open_in_turn(path, turn, schema.synchronous, &schema.migrations())?))
    }

    /// Creates empty tables of SQLite in memory, which live as long as their last handle. Their first use creates them, and reports errors.
    #[must_use]
    pub fn in_memory(schema: &'static Schema) -> Self {
        Self(Tables::Memory(Arc::new(MemoryTables::new(schema))))
    }

    /// Makes SQLite overwrite what it deletes from now on. Does nothing in PostgreSQL, which has no such setting. Blocks while another
    /// closure runs.
    ///
    /// # Errors
    /// [`StoreError`] with SQLite's error.
    pub fn erase_deleted(&self) -> Result<(), StoreError> {
        match &self.0 {
            Tables::Sqlite(connection) => {
                let set = connection.lock().pragma_update(None, "secure_delete", true);
                set.map_err(|error| store_error(&error))
            }
            Tables::Memory(_) => Ok(()),
            #[cfg(feature = "postgres")]
            Tables::Postgres(_) => Ok(()),
        }
    }

    /// Empties the write-ahead log of SQLite, which keeps deleted content until then. Does nothing while another process keeps the log open,
    /// nor in PostgreSQL.
    ///
    /// # Errors
    /// [`StoreError`] with SQLite's error.
    pub async fn empty_log(&self) -> Result<(), StoreError> {
        match self.0.clone() {
            Tables::Sqlite(connection) => {
                let empty =
                    move || connection.lock().query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
                blocking(move || empty().map_err(|error| store_error(&error))).await
            }
            Tables::Memory(_) => Ok(()),
            #[cfg(feature = "postgres")]
            Tables::Postgres(_) => Ok(()),
        }
    }

    fn of(connection: rusqlite::Connection) -> Self {
        Self(Tables::Sqlite(Arc::new(Mutex::new(connection))))
    }

    #[cfg(feature = "postgres")]
    pub(super) fn of_postgres(tables: PostgresTables) -> Self {
        Self(Tables::Postgres(tables))
    }

    /// Reads from the tables.
    ///
    /// # Errors
    /// [`StoreError`] of the closure or of the engine, and for a closure that panicked.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Connection<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        match self.0.clone() {
            Tables::Sqlite(connection) => {
                blocking(move || read(&Connection(Engine::Sqlite(&connection.lock())))).await
            }
            Tables::Memory(tables) => {
                in_memory(tables, move |connection| read(&Connection(Engine::Sqlite(connection)))).await
            }
            #[cfg(feature = "postgres")]
            Tables::Postgres(tables) => blocking(move || tables.read(read)).await,
        }
    }

    /// Reads from the tables as [`read`](Self::read) does, while all queries see the same state.
    ///
    /// # Errors
    /// Those of [`read`](Self::read).
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub async fn read_snapshot<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Connection<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let read = move |connection: &Connection<'_>| {
            connection.begin_snapshot()?;
            Ok((false, read(connection)?))
        };
        self.transaction(Some(Vec::new()), read).await
    }

    /// Writes in one transaction, while no other process writes to the section, and notifies those that follow it. An error of the closure
    /// rolls everything back.
    ///
    /// # Errors
    /// Those of [`read`](Self::read).
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub async fn write<T: Send + 'static>(
        &self,
        write: impl FnOnce(&Connection<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.change(None, true, write).await
    }

    /// Writes in one transaction, while no other process writes for the same subjects, such as agents. Nobody is notified. An error of the
    /// closure rolls everything back. SQLite locks the whole section.
    ///
    /// # Errors
    /// Those of [`read`](Self::read).
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub async fn write_for<T: Send + 'static>(
        &self,
        subjects: Vec<String>,
        write: impl FnOnce(&Connection<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.change(Some(subjects), true, write).await
    }

    /// Runs [`write_for`](Self::write_for) without keeping what it writes.
    ///
    /// # Errors
    /// Those of [`read`](Self::read).
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub async fn foresee_for<T: Send + 'static>(
        &self,
        subjects: Vec<String>,
        write: impl FnOnce(&Connection<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.change(Some(subjects), false, write).await
    }

    /// Writes like [`write`](Self::write), and waits for `event` before the transaction is committed. `write` returns whether it changed
    /// anything; if it did not, `event` is dropped and nothing is committed. Returns what `write` returned, or the error of `event`, whose
    /// change is rolled back.
    ///
    /// # Errors
    /// Those of [`read`](Self::read).
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub async fn write_with_event<E: Send + 'static>(
        &self,
        event: impl Future<Output = Result<(), E>> + Send + 'static,
        write: impl FnOnce(&Connection<'_>) -> Result<bool, StoreError> + Send + 'static,
    ) -> Result<Result<bool, E>, StoreError> {
        let runtime = tokio::runtime::Handle::current();
        let write = move |connection: &Connection<'_>| {
            if !write(connection)? {
                return Ok((false, Ok(false)));
            }
            // The thread is one that may block.
            Ok(match runtime.block_on(event) {
                Ok(()) => (true, Ok(true)),
                Err(error) => (false, Err(error)),
            })
        };
        match self.0.clone() {
            // The event may need this thread.
            Tables::Memory(tables) => blocking(move || transaction(&mut *tables.lock()?, write)).await,
            _ => self.transaction(None, write).await,
        }
    }

    /// Returns a number that changes whenever another process has written to the section. Tables in memory have no other process: their number
    /// changes with every write.
    ///
    /// # Errors
    /// [`StoreError`] if the engine cannot be asked.
    pub async fn version(&self) -> Result<i64, StoreError> {
        match self.0.clone() {
            Tables::Sqlite(connection) => {
                let version =
                    move || connection.lock().pragma_query_value(None, "data_version", |row| row.get(0));
                blocking(move || version().map_err(|error| store_error(&error))).await
            }
            Tables::Memory(tables) => {
                in_memory(tables, |connection| {
                    let version = connection.query_row("SELECT total_changes()", [], |row| row.get(0));
                    version.map_err(|error| store_error(&error))
                })
                .await
            }
            #[cfg(feature = "postgres")]
            Tables::Postgres(tables) => tables.version(),
        }
    }

    /// Returns the number of [`version`](Self::version), read from the engine after this method was called. `version` may return a number that
    /// was read a moment before.
    ///
    /// # Errors
    /// [`StoreError`] if the engine cannot be asked.
    pub async fn current_version(&self) -> Result<i64, StoreError> {
        #[cfg(feature = "postgres")]
        if let Tables::Postgres(tables) = &self.0 {
            return tables.current_version().await;
        }
        self.version().await
    }

    async fn change<T: Send + 'static>(
        &self,
        subjects: Option<Vec<String>>,
        keeps: bool,
        write: impl FnOnce(&Connection<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.transaction(subjects, move |connection| Ok((keeps, write(connection)?))).await
    }

    /// Runs a closure in a transaction, while no other process writes for the same subjects, or at all. The closure returns whether to commit
    /// it.
    async fn transaction<T: Send + 'static>(
        &self,
        #[cfg_attr(
            not(feature = "postgres"),
            expect(unused_variables, reason = "SQLite locks the whole file")
        )]
        subjects: Option<Vec<String>>,
        write: impl FnOnce(&Connection<'_>) -> Result<(bool, T), StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        match self.0.clone() {
            Tables::Sqlite(connection) => blocking(move || transaction(&mut connection.lock(), write)).await,
            Tables::Memory(tables) => {
                in_memory(tables, move |connection| transaction(connection, write)).await
            }
            #[cfg(feature = "postgres")]
            Tables::Postgres(tables) => blocking(move || tables.write(subjects.as_deref(), write)).await,
        }
    }
}

/// Runs a closure in a transaction of SQLite. The closure returns whether to commit it.
fn transaction<T>(
    connection: &mut rusqlite::Connection,
    write: impl FnOnce(&Connection<'_>) -> Result<(bool, T), StoreError>,
) -> Result<T, StoreError> {
    // Immediate, so that nobody writes between reading and writing.
    let transaction = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(|error| store_error(&error))?;
    let (commit, written) = write(&Connection(Engine::Sqlite(&transaction)))?;
    if commit {
        transaction.commit().map_err(|error| store_error(&error))?;
    }
    Ok(written)
}

/// Runs a closure on tables in memory: at once, unless another closure uses them.
async fn in_memory<T: Send + 'static>(
    tables: Arc<MemoryTables>,
    run: impl FnOnce(&mut rusqlite::Connection) -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    if let Some(connection) = tables.try_lock() {
        return run(&mut *connection?);
    }
    blocking(move || run(&mut *tables.lock()?)).await
}

async fn blocking<T: Send + 'static>(
    run: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    tokio::task::spawn_blocking(run).await.map_err(|error| StoreError::new(error.to_string()))?
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Database").finish_non_exhaustive()
    }
}
