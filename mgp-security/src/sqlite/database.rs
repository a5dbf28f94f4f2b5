//! A connection for async code.

#[cfg(feature = "permission")]
use crate::permission::{DecisionError, Recording, StoreError};
use rusqlite::Connection;
#[cfg(feature = "permission")]
use rusqlite::TransactionBehavior;
use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

/// A connection for async code. Closures run on it one at a time, on a thread that may block.
#[derive(Clone)]
pub(crate) struct Database(Arc<Mutex<Connection>>);

impl Database {
    pub(crate) fn new(connection: Connection) -> Self {
        Self(Arc::new(Mutex::new(connection)))
    }

    /// Runs a closure on the connection. Closures run one at a time.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        run: impl FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, String> {
        let connection = self.0.clone();
        tokio::task::spawn_blocking(move || {
            run(&mut connection.lock().unwrap_or_else(PoisonError::into_inner))
        })
        .await
        .map_err(|error| error.to_string())?
        .map_err(|error| error.to_string())
    }

    /// Writes a decision and records its event within one transaction, so that no other process decides in between. `write` returns
    /// whether the decision wins; only if it does, the event is recorded and the transaction committed. Returns the value of `write`.
    #[cfg(feature = "permission")]
    pub(crate) async fn decide(
        &self,
        event: Recording,
        write: impl FnOnce(&Connection) -> rusqlite::Result<bool> + Send + 'static,
    ) -> Result<bool, DecisionError> {
        let runtime = tokio::runtime::Handle::current();
        let decide = move |connection: &mut Connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            if !write(&transaction)? {
                return Ok(Ok(false));
            }
            // This thread may block. A transaction that is dropped uncommitted is rolled back.
            if let Err(error) = runtime.block_on(event) {
                return Ok(Err(error));
            }
            transaction.commit()?;
            Ok(Ok(true))
        };
        Ok(self.run(decide).await.map_err(StoreError::new)??)
    }

    /// Returns a number that changes when another connection has changed the file.
    pub(crate) async fn data_version(&self) -> Result<i64, String> {
        self.run(|connection| connection.pragma_query_value(None, "data_version", |row| row.get(0))).await
    }
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Database").finish_non_exhaustive()
    }
}
