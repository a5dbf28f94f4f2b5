//! Marks in a table of PostgreSQL, for processes on several machines.

use mgp_store::{
    StoreError,
    sql::{Connection, Database, params},
};
use parking_lot::Mutex;
use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use tokio::{sync::oneshot, time::timeout};

/// The interval at which a process renews its row.
const RENEWAL: Duration = Duration::from_secs(5);

/// The time without a renewal after which a process begins no calls, because the others will soon take it for gone.
const LAPSE: Duration = Duration::from_secs(20);

/// The time without a renewal after which a process counts as gone, in microseconds.
const GONE: i64 = 30_000_000;

/// A row that a task renews for as long as the mark exists.
#[derive(Debug)]
pub(super) struct RowMark {
    row: Arc<Row>,
    /// Ends the task when it is dropped.
    _end: oneshot::Sender<()>,
}

#[derive(Debug)]
struct Row {
    database: Database,
    table: &'static str,
    id: String,
    /// The time just before the last renewal.
    renewed: Mutex<Instant>,
}

impl RowMark {
    /// Adds a row, and renews it from then on.
    pub(super) async fn enter(database: Database, table: &'static str, id: &str) -> Result<Self, StoreError> {
        let row = Row { database, table, id: id.to_owned(), renewed: Mutex::new(Instant::now()) };
        row.renew().await?;
        let (row, (end, ended)) = (Arc::new(row), oneshot::channel());
        tokio::spawn(keep(row.clone(), ended));
        Ok(Self { row, _end: end })
    }

    pub(super) fn is_alive(&self, connection: &Connection<'_>, id: &str) -> Result<bool, StoreError> {
        let now = connection.clock();
        let sql = format!("SELECT id FROM {} WHERE id = $1 AND seen_at > {now} - $2", self.row.table);
        Ok(connection.row(&sql, &params![id, GONE])?.is_some())
    }

    /// Checks that the row was renewed recently, and renews it if it was not.
    pub(super) async fn check(&self) -> Result<(), StoreError> {
        if self.row.renewed.lock().elapsed() < LAPSE { Ok(()) } else { self.row.renew().await }
    }

    #[cfg(test)]
    pub(super) fn lapse(&self) {
        *self.row.renewed.lock() = Instant::now().checked_sub(LAPSE).unwrap();
    }

    pub(super) fn bury(&self, connection: &Connection<'_>) -> Result<(), StoreError> {
        let sql = format!("DELETE FROM {} WHERE seen_at <= {} - $1", self.row.table, connection.clock());
        connection.execute(&sql, &params![GONE]).map(drop)
    }
}

/// Returns whether a process that runs has a mark in a table.
pub(super) async fn is_marked(database: &Database, table: &'static str) -> Result<bool, StoreError> {
    let read = move |connection: &Connection<'_>| {
        let sql = format!("SELECT id FROM {table} WHERE seen_at > {} - $1 LIMIT 1", connection.clock());
        Ok(connection.row(&sql, &params![GONE])?.is_some())
    };
    database.read(read).await
}

impl Row {
    /// Renews the row. If others have removed it meanwhile, it is added again: the process does run.
    async fn renew(&self) -> Result<(), StoreError> {
        let before = Instant::now();
        let table = self.table;
        self.execute(move |now| {
            format!(
                "INSERT INTO {table} (id, seen_at) VALUES ($1, {now}) \
                 ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at"
            )
        })
        .await?;
        *self.renewed.lock() = before;
        Ok(())
    }

    async fn remove(&self) -> Result<(), StoreError> {
        let table = self.table;
        self.execute(move |_| format!("DELETE FROM {table} WHERE id = $1")).await
    }

    /// Runs a statement that is made with the expression for the time of the database. `$1` is the id.
    async fn execute(
        &self,
        statement: impl FnOnce(&'static str) -> String + Send + 'static,
    ) -> Result<(), StoreError> {
        let id = self.id.clone();
        let execute = move |connection: &Connection<'_>| {
            connection.execute(&statement(connection.clock()), &params![id])
        };
        self.database.write_for(Vec::new(), execute).await.map(drop)
    }
}

/// Renews a row until its mark is dropped, and then removes it, so that the others need not wait until it is too old.
async fn keep(row: Arc<Row>, mut ended: oneshot::Receiver<()>) {
    while timeout(RENEWAL, &mut ended).await.is_err() {
        if let Err(error) = row.renew().await {
            tracing::warn!(%error, table = row.table, "other processes may soon take this one for gone");
        }
    }
    if let Err(error) = row.remove().await {
        tracing::debug!(%error, table = row.table, "the mark of this process was not removed");
    }
}
