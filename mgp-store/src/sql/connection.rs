//! A connection to either engine.

#[cfg(feature = "postgres")]
use super::postgres::PostgresConnection;
use super::{Row, Value, sqlite};
use crate::StoreError;

/// A connection within [`Database::read`](super::Database::read) or [`Database::write`](super::Database::write). Its methods block.
#[derive(Debug)]
pub struct Connection<'a>(pub(super) Engine<'a>);

#[derive(Debug)]
pub(super) enum Engine<'a> {
    Sqlite(&'a rusqlite::Connection),
    #[cfg(feature = "postgres")]
    Postgres(PostgresConnection<'a>),
}

impl Connection<'_> {
    /// Makes all queries of a transaction see the same state. It comes first in the transaction. SQLite needs nothing for it.
    pub(super) fn begin_snapshot(&self) -> Result<(), StoreError> {
        match &self.0 {
            Engine::Sqlite(_) => Ok(()),
            #[cfg(feature = "postgres")]
            Engine::Postgres(connection) => connection
                .execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY", &[])
                .map(drop),
        }
    }

    /// Returns the expression for the engine's time, in microseconds since 1970. Processes on several machines compare times of their
    /// database, because their own clocks differ.
    #[must_use]
    pub fn clock(&self) -> &'static str {
        match &self.0 {
            Engine::Sqlite(_) => "CAST(unixepoch('subsec') * 1000000 AS INTEGER)",
            #[cfg(feature = "postgres")]
            Engine::Postgres(_) => "CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)",
        }
    }

    /// Runs a statement, and returns the number of changed rows.
    ///
    /// # Errors
    /// [`StoreError`] with the engine's error.
    pub fn execute(&self, sql: &str, params: &[Value<'_>]) -> Result<usize, StoreError> {
        match &self.0 {
            Engine::Sqlite(connection) => sqlite::execute(connection, sql, params),
            #[cfg(feature = "postgres")]
            Engine::Postgres(connection) => connection.execute(sql, params),
        }
    }

    /// Runs a query, and returns all rows of its answer.
    ///
    /// # Errors
    /// [`StoreError`] with the engine's error.
    pub fn rows(&self, sql: &str, params: &[Value<'_>]) -> Result<Vec<Row>, StoreError> {
        match &self.0 {
            Engine::Sqlite(connection) => sqlite::rows(connection, sql, params),
            #[cfg(feature = "postgres")]
            Engine::Postgres(connection) => connection.rows(sql, params),
        }
    }

    /// Runs a query, and returns the first row of its answer.
    ///
    /// # Errors
    /// [`StoreError`] with the engine's error.
    pub fn row(&self, sql: &str, params: &[Value<'_>]) -> Result<Option<Row>, StoreError> {
        Ok(self.rows(sql, params)?.into_iter().next())
    }
}
