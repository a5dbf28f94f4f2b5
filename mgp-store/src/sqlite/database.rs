//! A connection that async code can use.

use super::open::reason;
use crate::StoreError;
use parking_lot::Mutex;
use rusqlite::{Connection, TransactionBehavior};
use std::{fmt, future::Future, sync::Arc};

/// A connection for async code. Closures run on it one at a time, on a thread that may block.
#[derive(Clone)]
pub struct Database(Arc<Mutex<Connection>>);

impl Database {
    /// Wraps a connection.
    pub fn new(connection: Connection) -> Self {
        Self(Arc::new(Mutex::new(connection)))
    }

    /// Runs a closure on the connection.
    ///
    /// # Errors
    /// [`StoreError`] with SQLite's error, or for a closure that panicked.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub async fn run<T: Send + 'static>(
        &self,
        run: impl FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let connection = self.0.clone();
        tokio::task::spawn_blocking(move || run(&mut connection.lock()))
            .await
            .map_err(|error| StoreError::new(error.to_string()))?
            .map_err(|error| StoreError::new(reason(&error)))
    }

    /// Writes within one transaction and waits for `event` before it is committed, so that no other process writes in between. `write`
    /// returns whether it changed anything; if it did not, `event` is dropped and nothing is committed. Returns what `write` returned, or
    /// the error of `event`, whose change is rolled back.
    ///
    /// # Errors
    /// [`StoreError`] with SQLite's error.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub async fn write_with_event<E: Send + 'static>(
        &self,
        event: impl Future<Output = Result<(), E>> + Send + 'static,
        write: impl FnOnce(&Connection) -> rusqlite::Result<bool> + Send + 'static,
    ) -> Result<Result<bool, E>, StoreError> {
        let runtime = tokio::runtime::Handle::current();
        self.run(move |connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            if !write(&transaction)? {
                return Ok(Ok(false));
            }
            // The thread is one that may block, and a transaction that is dropped is rolled back.
            if let Err(error) = runtime.block_on(event) {
                return Ok(Err(error));
            }
            transaction.commit()?;
            Ok(Ok(true))
        })
        .await
    }

    /// Returns a number that changes whenever another connection has changed the file.
    ///
    /// # Errors
    /// [`StoreError`] with SQLite's error.
    pub async fn data_version(&self) -> Result<i64, StoreError> {
        self.run(|connection| connection.pragma_query_value(None, "data_version", |row| row.get(0))).await
    }
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Database").finish_non_exhaustive()
    }
}
