//! A connection that async code can use.

use rusqlite::Connection;
use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

/// A connection that async code can use: what is run on it runs on a thread where it may block.
#[derive(Clone)]
pub(crate) struct Database(Arc<Mutex<Connection>>);

impl Database {
    pub(crate) fn new(connection: Connection) -> Self {
        Self(Arc::new(Mutex::new(connection)))
    }

    /// Runs something on the connection, one at a time.
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

    /// A number that another one means that another connection has changed the file.
    #[cfg(any(feature = "access", feature = "permission"))]
    pub(crate) async fn data_version(&self) -> Result<i64, String> {
        self.run(|connection| connection.pragma_query_value(None, "data_version", |row| row.get(0))).await
    }
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Database").finish_non_exhaustive()
    }
}
