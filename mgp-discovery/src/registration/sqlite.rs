//! Registered servers in an SQLite file that several processes share.

use crate::{
    config::ServerConfig,
    registration::{
        AddOutcome, Registration, RegistrationStore, RequestOutcome, RequestedServer, StoreError,
        requested_server::place,
    },
};
use async_trait::async_trait;
use jiff::Timestamp;
use mgp_store::sqlite::{Database, Synchronous, open};
use parking_lot::Mutex;
use rusqlite::{Connection, OptionalExtension, Row, TransactionBehavior, named_params};
use rusqlite_migration::{M, Migrations};
use std::{collections::HashSet, fmt, path::Path, sync::Arc};

/// `server` is the unexpanded JSON of a `[[servers]]` table, so that nothing in it is expanded twice.
const SERVERS: &str = "
CREATE TABLE IF NOT EXISTS registered (
    place INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    server TEXT NOT NULL,
    created_by TEXT NOT NULL,
    by_admin INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    justification TEXT
) STRICT;
";

/// Servers requested by agents. `server` is as in `registered`.
const REQUESTS: &str = "
CREATE TABLE requested (
    place INTEGER PRIMARY KEY AUTOINCREMENT,
    request_id TEXT NOT NULL UNIQUE,
    server TEXT NOT NULL,
    created_by TEXT NOT NULL,
    created_at TEXT NOT NULL,
    justification TEXT,
    denied_by TEXT
) STRICT;
";

const ASKED: &str =
    "SELECT request_id, server, created_by, false, created_at, justification, denied_by FROM requested";

const ROWS: &str = "SELECT id, server, created_by, by_admin, created_at, justification FROM registered";

/// Registered servers in an SQLite file, which several processes may share.
#[derive(Clone)]
pub struct SqliteRegistrationStore {
    database: Database,
    /// The rows that could not be used at the last reading, with the reasons.
    logged: Arc<Mutex<HashSet<(String, String)>>>,
}

impl SqliteRegistrationStore {
    /// Opens the file, and creates it if it is missing. Blocks on the disk.
    ///
    /// # Errors
    /// [`StoreError`], naming the file.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let connection =
            open(path.as_ref(), Synchronous::Full, &Migrations::new(vec![M::up(SERVERS), M::up(REQUESTS)]))?;
        Ok(Self { database: Database::new(connection), logged: Arc::default() })
    }
}

impl SqliteRegistrationStore {
    async fn delete_request(
        &self,
        request_id: &str,
        sql: &'static str,
    ) -> Result<Option<RequestedServer>, StoreError> {
        let id = request_id.to_owned();
        let delete = move |connection: &mut Connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let found = requests(&transaction)?.into_iter().find(|row| row.request_id == id);
            let deleted = transaction.execute(sql, [id])?;
            transaction.commit()?;
            Ok(found.filter(|_| deleted > 0))
        };
        self.database.run(delete).await
    }
}

#[async_trait]
impl RegistrationStore for SqliteRegistrationStore {
    async fn load(&self) -> Result<Vec<Registration>, StoreError> {
        let load = |connection: &mut Connection| {
            connection
                .prepare_cached(&format!("{ROWS} ORDER BY place"))?
                .query_map([], read)?
                .collect::<rusqlite::Result<Vec<_>>>()
        };
        let rows = self.database.run(load).await?;
        // A row that was changed by hand must not keep the other servers from starting. It is logged once.
        let mut logged = self.logged.lock();
        let before = std::mem::take(&mut *logged);
        let mut usable = Vec::new();
        for (id, row) in rows {
            match row.and_then(Registration::checked_again) {
                Ok(registration) => usable.push(registration),
                Err(reason) => {
                    let row = (id, reason);
                    if !before.contains(&row) {
                        tracing::warn!(server = row.0, reason = row.1, "a registered server cannot be used");
                    }
                    logged.insert(row);
                }
            }
        }
        Ok(usable)
    }

    async fn add(&self, registration: Registration, limit: usize) -> Result<AddOutcome, StoreError> {
        let server = serde_json::to_string(&registration.server)
            .map_err(|error| StoreError::new(error.to_string()))?;
        self.database
            .run(move |connection| {
                // Immediate: another process that adds a server waits until this one is stored.
                let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
                let taken = transaction
                    .query_row("SELECT 1 FROM registered WHERE id = ?1", [registration.id()], |_| Ok(()))
                    .optional()?;
                if taken.is_some() {
                    return Ok(AddOutcome::Taken);
                }
                let count: i64 =
                    transaction.query_row("SELECT COUNT(*) FROM registered", [], |row| row.get(0))?;
                if usize::try_from(count).unwrap_or(usize::MAX) >= limit {
                    return Ok(AddOutcome::Full);
                }
                transaction.execute(
                    "INSERT INTO registered (id, server, created_by, by_admin, created_at, justification) \
                 VALUES (:id, :server, :created_by, :by_admin, :created_at, :justification)",
                    named_params! {
                        ":id": registration.id(),
                        ":server": server,
                        ":created_by": registration.created_by,
                        ":by_admin": registration.by_admin,
                        ":created_at": registration.created_at,
                        ":justification": registration.justification,
                    },
                )?;
                transaction.commit()?;
                Ok(AddOutcome::Yes)
            })
            .await
    }

    async fn remove(&self, found: &Registration) -> Result<Option<Registration>, StoreError> {
        let found = found.clone();
        self.database
            .run(move |connection| {
                let removed = connection.execute(
                    "DELETE FROM registered WHERE id = :id AND created_by = :created_by \
                 AND by_admin = :by_admin AND created_at = :created_at",
                    named_params! {
                        ":id": found.id(),
                        ":created_by": found.created_by,
                        ":by_admin": found.by_admin,
                        ":created_at": found.created_at,
                    },
                )?;
                Ok((removed > 0).then_some(found))
            })
            .await
    }

    async fn remove_unusable(&self, id: &str) -> Result<bool, StoreError> {
        let id = id.to_owned();
        self.database
            .run(move |connection| {
                // Immediate: no other server replaces this one between the check and the removal.
                let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
                let stored =
                    transaction.query_row(&format!("{ROWS} WHERE id = ?1"), [&id], read).optional()?;
                let Some((_, row)) = stored else { return Ok(false) };
                if row.and_then(Registration::checked_again).is_ok() {
                    return Ok(false);
                }
                transaction.execute("DELETE FROM registered WHERE id = ?1", [&id])?;
                transaction.commit()?;
                Ok(true)
            })
            .await
    }

    async fn requests(&self) -> Result<Vec<RequestedServer>, StoreError> {
        let now = Timestamp::now();
        let load = |connection: &mut Connection| requests(connection);
        let mut rows = self.database.run(load).await?;
        rows.retain(|row| row.denied_by.is_some() || row.is_open(now));
        Ok(rows)
    }

    async fn request(&self, registration: Registration) -> Result<RequestOutcome, StoreError> {
        let asked = RequestedServer::new(registration);
        let request = move |connection: &mut Connection| {
            // Immediate: another process that keeps a request waits until this one is kept.
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let (outcome, stay) = place(&requests(&transaction)?, &asked, Timestamp::now());
            let mut gone: Vec<String> = Vec::new();
            {
                let mut ids = transaction.prepare_cached("SELECT request_id FROM requested")?;
                for id in ids.query_map([], |row| row.get::<_, String>(0))? {
                    gone.extend(id.ok().filter(|id| !stay.contains(id)));
                }
            }
            for id in gone {
                transaction.execute("DELETE FROM requested WHERE request_id = ?", [id])?;
            }
            if let RequestOutcome::Kept(row) = &outcome {
                write(&transaction, row)?;
            }
            transaction.commit()?;
            Ok(outcome)
        };
        self.database.run(request).await
    }

    async fn deny_request(&self, request_id: &str, by: &str) -> Result<bool, StoreError> {
        let (id, by) = (request_id.to_owned(), by.to_owned());
        let sql = "UPDATE requested SET denied_by = ? WHERE request_id = ? AND denied_by IS NULL";
        self.database.run(move |connection| Ok(connection.execute(sql, [by, id])? > 0)).await
    }

    async fn take_request(&self, request_id: &str) -> Result<Option<RequestedServer>, StoreError> {
        self.delete_request(request_id, "DELETE FROM requested WHERE request_id = ? AND denied_by IS NULL")
            .await
    }

    async fn remove_request(&self, request_id: &str) -> Result<Option<RequestedServer>, StoreError> {
        self.delete_request(request_id, "DELETE FROM requested WHERE request_id = ?").await
    }

    async fn version(&self) -> Result<i64, StoreError> {
        self.database.data_version().await
    }
}

/// Reads the requests. An unreadable request is left out, and so is an open one whose id does not match its server. Both are removed by the
/// next request.
fn requests(connection: &Connection) -> rusqlite::Result<Vec<RequestedServer>> {
    let read = |row: &Row<'_>| {
        let registration = read_registration(row).and_then(Registration::checked_again);
        Ok(registration.ok().map(|registration| {
            let asked = RequestedServer::new(registration);
            let (request_id, denied_by): (String, Option<String>) = (row.get(0)?, row.get(6)?);
            let usable = denied_by.is_some() || request_id == asked.request_id;
            Ok(usable.then_some(RequestedServer { request_id, denied_by, ..asked }))
        }))
    };
    let mut statement = connection.prepare_cached(&format!("{ASKED} ORDER BY place"))?;
    let rows: Vec<_> = statement.query_map([], read)?.collect::<rusqlite::Result<_>>()?;
    let rows: rusqlite::Result<Vec<_>> = rows.into_iter().flatten().collect();
    Ok(rows?.into_iter().flatten().collect())
}

fn write(connection: &Connection, row: &RequestedServer) -> rusqlite::Result<()> {
    let RequestedServer { request_id, registration, denied_by } = row;
    let server = serde_json::to_string(&registration.server)
        .map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
    connection.execute(
        "INSERT INTO requested (request_id, server, created_by, created_at, justification, denied_by) \
         VALUES (:request_id, :server, :created_by, :created_at, :justification, :denied_by) \
         ON CONFLICT (request_id) DO UPDATE SET created_at = excluded.created_at, justification = excluded.justification",
        named_params! {
            ":request_id": request_id,
            ":server": server,
            ":created_by": registration.created_by,
            ":created_at": registration.created_at,
            ":justification": registration.justification,
            ":denied_by": denied_by,
        },
    )?;
    Ok(())
}

/// A row's id, and its content or the reason that the content cannot be read.
type RegistrationRow = (String, Result<Registration, String>);

fn read(row: &Row<'_>) -> rusqlite::Result<RegistrationRow> {
    let id = String::from_utf8_lossy(row.get_ref(0)?.as_bytes()?).into_owned();
    let registration = read_registration(row).and_then(|registration| match &registration.server.id {
        inside if *inside == id => Ok(registration),
        inside => Err(format!("its content has the id {inside:?}")),
    });
    Ok((id, registration))
}

/// Reads a row, or returns the problem with it: an unreadable row must not prevent reading the others.
fn read_registration(row: &Row<'_>) -> Result<Registration, String> {
    let invalid = |error: rusqlite::Error| error.to_string();
    let server: String = row.get(1).map_err(invalid)?;
    Ok(Registration {
        server: serde_json::from_str::<ServerConfig>(&server).map_err(|error| error.to_string())?,
        created_by: row.get(2).map_err(invalid)?,
        by_admin: row.get(3).map_err(invalid)?,
        created_at: row.get(4).map_err(invalid)?,
        justification: row.get(5).map_err(invalid)?,
    })
}

impl fmt::Debug for SqliteRegistrationStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteRegistrationStore").finish_non_exhaustive()
    }
}
