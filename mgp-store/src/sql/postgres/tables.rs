//! The tables of one section.

use super::{
    changes::Changes,
    connection::{PostgresClient, PostgresConnection, answered, with_cause},
    locks, migrate,
};
use crate::{
    StoreError,
    sql::{Connection, Schema, connection::Engine, params},
};
use deadpool_postgres::{Object, Pool};
use parking_lot::Mutex;
use std::sync::Arc;
use tokio::runtime::Handle;

/// The number of attempts to create tables that several processes create at once.
const ATTEMPTS: usize = 5;

/// The tables of one section, which are created or changed before their first use. Methods that are not async block, except [`version`](Self::version).
#[derive(Clone)]
pub(in crate::sql) struct PostgresTables {
    pub(super) pool: Pool,
    pub(super) runtime: Handle,
    pub(super) schema: &'static Schema,
    pub(super) changes: Arc<Changes>,
    /// True once the tables are as this program needs them.
    pub(super) is_migrated: Arc<Mutex<bool>>,
}

impl PostgresTables {
    pub(in crate::sql) fn read<T>(
        &self,
        read: impl FnOnce(&Connection<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.migrate()?;
        self.connected(|connection| read(&Connection(Engine::Postgres(connection))))
    }

    fn connected<T>(
        &self,
        run: impl FnOnce(PostgresConnection<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let client = self.client()?;
        let result =
            run(PostgresConnection { client: PostgresClient::Connection(&client), runtime: &self.runtime });
        self.give_back(client, result.is_err());
        result
    }

    /// Writes while no other process writes for the same subjects, or to the section at all. The closure returns whether to commit.
    pub(in crate::sql) fn write<T>(
        &self,
        subjects: Option<&[String]>,
        write: impl FnOnce(&Connection<'_>) -> Result<(bool, T), StoreError>,
    ) -> Result<T, StoreError> {
        self.migrate()?;
        self.transaction(|connection| {
            match subjects {
                Some(subjects) => locks::lock_subjects(connection, self.schema.section, subjects)?,
                None => {
                    locks::lock_section(connection, self.schema.section)?;
                    if self.changes.listens() {
                        let sql = "SELECT pg_notify('mgp', $1)";
                        connection.execute(sql, &params![self.schema.section])?;
                    }
                }
            }
            write(&Connection(Engine::Postgres(*connection)))
        })
    }

    /// Creates or changes the tables where needed. Of several processes that do so at once, all but one may fail, and try again.
    fn migrate(&self) -> Result<(), StoreError> {
        let mut is_migrated = self.is_migrated.lock();
        let mut attempt = 1;
        while !*is_migrated {
            if self.connected(|connection| migrate::is_migrated(&connection, self.schema))? {
                *is_migrated = true;
                break;
            }
            let migrated =
                self.connected(|connection| connection.batch(&locks::TABLES.join(";"))).and_then(|()| {
                    self.transaction(|connection| Ok((true, migrate::migrate(connection, self.schema)?)))
                });
            match migrated {
                Ok(()) => *is_migrated = true,
                Err(_) if attempt < ATTEMPTS => attempt += 1,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Returns the version of the section when it was last read.
    pub(in crate::sql) fn version(&self) -> Result<i64, StoreError> {
        self.changes.version(self.schema.section)
    }

    /// Returns the version of the section, read after this method was called. Does not block.
    pub(in crate::sql) async fn current_version(&self) -> Result<i64, StoreError> {
        self.changes.current_version(self.schema.section).await
    }

    /// Runs a closure in a transaction. The closure returns whether to commit.
    fn transaction<T>(
        &self,
        run: impl FnOnce(&PostgresConnection<'_>) -> Result<(bool, T), StoreError>,
    ) -> Result<T, StoreError> {
        let mut client = self.client()?;
        let result = (|| {
            let transaction = self.runtime.block_on(answered(client.transaction()))?;
            let connection = PostgresConnection {
                client: PostgresClient::Transaction(&transaction),
                runtime: &self.runtime,
            };
            let (commit, result) = run(&connection)?;
            let end =
                async { if commit { transaction.commit().await } else { transaction.rollback().await } };
            self.runtime.block_on(answered(end))?;
            Ok(result)
        })();
        self.give_back(client, result.is_err());
        result
    }

    fn client(&self) -> Result<Object, StoreError> {
        self.runtime
            .block_on(self.pool.get())
            .map_err(|error| StoreError::new(format!("no connection to PostgreSQL: {}", with_cause(&error))))
    }

    /// Keeps a connection for the next closure. One on which something failed is closed, because its last statement may still run.
    fn give_back(&self, client: Object, failed: bool) {
        // The pool's objects are returned within the runtime.
        let _entered = self.runtime.enter();
        if failed {
            drop(Object::take(client));
        }
    }
}
