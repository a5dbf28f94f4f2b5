//! A PostgreSQL database.

use super::{changes::Changes, connection::with_cause, tables::PostgresTables, tls};
use crate::{
    StoreError,
    sql::{Database, Schema},
    sqlite::lock_timeout,
};
use deadpool_postgres::{Manager, ManagerConfig, Pool, RecyclingMethod, Runtime};
use std::{fmt, sync::Arc, time::Duration};
use tokio::runtime::Handle;
use tokio_postgres::Config;

/// The number of connections of a process, besides the one that follows changes.
const CONNECTIONS: usize = 8;
/// The longest time for making a connection.
const CONNECT: Duration = Duration::from_secs(5);
/// The longest time that the server works on one statement.
const STATEMENT: Duration = Duration::from_secs(15);

/// A PostgreSQL database, which holds the tables of all sections. Clones share its connections.
#[derive(Clone)]
pub struct PostgresStore {
    pool: Pool,
    changes: Arc<Changes>,
}

impl PostgresStore {
    /// Uses a database, such as `postgres://mgp:secret@db.example.com/mgp?sslmode=require`. Connects when the first tables are used, and keeps
    /// the connections in the runtime in which this function is called.
    ///
    /// # Errors
    /// [`StoreError`] for an invalid URL. It never has the password.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    pub fn new(url: &str) -> Result<Self, StoreError> {
        let config = config(url)?;
        let connector = tls::connector()?;
        let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let manager = Manager::from_config(config.clone(), connector.clone(), recycling);
        let pool = Pool::builder(manager)
            .max_size(CONNECTIONS)
            .wait_timeout(Some(lock_timeout()))
            .create_timeout(Some(CONNECT))
            .recycle_timeout(Some(CONNECT))
            .runtime(Runtime::Tokio1)
            .build()
            .map_err(|error| StoreError::new(error.to_string()))?;
        Ok(Self { pool, changes: Changes::follow(config, connector) })
    }

    /// Checks that the database could be asked a moment ago. Asks nothing itself.
    ///
    /// # Errors
    /// [`StoreError`] with the reason for which it could not be asked.
    pub fn check(&self) -> Result<(), StoreError> {
        self.changes.version("").map(drop)
    }

    /// Returns the tables of a section, which are created or changed before their first use.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    #[must_use]
    pub fn tables(&self, schema: &'static Schema) -> Database {
        Database::of_postgres(PostgresTables {
            pool: self.pool.clone(),
            runtime: Handle::current(),
            schema,
            changes: self.changes.clone(),
            is_migrated: Arc::default(),
        })
    }
}

fn config(url: &str) -> Result<Config, StoreError> {
    // The driver's error does not repeat the URL.
    let mut config: Config = url.parse().map_err(|error: tokio_postgres::Error| {
        StoreError::new(format!(
            "invalid URL of the store: {}; expected one such as postgres://USER:PASSWORD@HOST/DATABASE",
            with_cause(&error)
        ))
    })?;
    let millis = |time: Duration| time.as_millis();
    // A statement after a lock has to see what the lock's last owner wrote.
    let bounds = format!(
        "-c default_transaction_isolation=read\\ committed -c statement_timeout={} -c lock_timeout={} -c idle_in_transaction_session_timeout={}",
        millis(STATEMENT),
        millis(lock_timeout()),
        millis(STATEMENT * 2)
    );
    let options = config.get_options().map_or_else(|| bounds.clone(), |given| format!("{bounds} {given}"));
    config.options(options).connect_timeout(CONNECT).tcp_user_timeout(STATEMENT);
    if config.get_application_name().is_none() {
        config.application_name("mgp");
    }
    Ok(config)
}

impl fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresStore").finish_non_exhaustive()
    }
}
