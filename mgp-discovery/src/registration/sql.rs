//! Registered servers in the tables of a database.

use crate::{
    config::ServerConfig,
    registration::{
        AddOutcome, Registration, RegistrationStore, RequestOutcome, RequestedServer, StoreError,
        kept_requests::place,
    },
};
use async_trait::async_trait;
use jiff::Timestamp;
use mgp_store::{
    sql::{Connection, Database, Row, Schema, SqlStore, params},
    sqlite::Synchronous,
};
use parking_lot::Mutex;
use std::{collections::HashSet, fmt, sync::Arc};

/// Selects the requests. A registration by an agent without the right to register is never one by an admin.
const ASKED: &str = "SELECT request_id, server, created_by, 0 AS by_admin, created_at, justification, denied_by FROM requested";

const ROWS: &str = "SELECT id, server, created_by, by_admin, created_at, justification FROM registered";

/// Registered servers in a database, which several processes may share.
#[derive(Clone)]
pub struct SqlRegistrationStore {
    database: Database,
    /// The rows that could not be used at the last reading, with the reasons.
    logged: Arc<Mutex<HashSet<(String, String)>>>,
}

impl SqlStore for SqlRegistrationStore {
    /// The tables of registered servers, and of servers requested by agents. `server` is the unexpanded JSON of a `[[servers]]` table, so
    /// that nothing in it is expanded twice. The rows are in the order of `place`.
    const SCHEMA: &'static Schema = &Schema {
        section: "registry",
        synchronous: Synchronous::Full,
        sqlite: &[
            "
CREATE TABLE IF NOT EXISTS registered (
    place INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    server TEXT NOT NULL,
    created_by TEXT NOT NULL,
    by_admin INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    justification TEXT
) STRICT;
",
            "
CREATE TABLE requested (
    place INTEGER PRIMARY KEY AUTOINCREMENT,
    request_id TEXT NOT NULL UNIQUE,
    server TEXT NOT NULL,
    created_by TEXT NOT NULL,
    created_at TEXT NOT NULL,
    justification TEXT,
    denied_by TEXT
) STRICT;
",
        ],
        postgres: Some(&["
CREATE TABLE registered (
    place BIGINT PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    server TEXT NOT NULL,
    created_by TEXT NOT NULL,
    by_admin BIGINT NOT NULL,
    created_at TEXT NOT NULL,
    justification TEXT
);
CREATE TABLE requested (
    place BIGINT PRIMARY KEY,
    request_id TEXT NOT NULL UNIQUE,
    server TEXT NOT NULL,
    created_by TEXT NOT NULL,
    created_at TEXT NOT NULL,
    justification TEXT,
    denied_by TEXT
);
"]),
    };

    fn new(database: Database) -> Self {
        Self { database, logged: Arc::default() }
    }
}

impl SqlRegistrationStore {
    async fn delete_request(
        &self,
        request_id: &str,
        sql: &'static str,
    ) -> Result<Option<RequestedServer>, StoreError> {
        let id = request_id.to_owned();
        let delete = move |connection: &Connection<'_>| {
            let found = requests(connection)?.into_iter().find(|row| row.request_id == id);
            let deleted = connection.execute(sql, &params![id])?;
            Ok(found.filter(|_| deleted > 0))
        };
        self.database.write(delete).await
    }
}

#[async_trait]
impl RegistrationStore for SqlRegistrationStore {
    async fn load(&self) -> Result<Vec<Registration>, StoreError> {
        let load = |connection: &Connection<'_>| connection.rows(&format!("{ROWS} ORDER BY place"), &[]);
        let rows = self.database.read(load).await?;
        // A row that was changed by hand must not keep the other servers from starting. It is logged once.
        let mut logged = self.logged.lock();
        let before = std::mem::take(&mut *logged);
        let mut usable = Vec::new();
        for (id, row) in rows.iter().map(read) {
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
        let add = move |connection: &Connection<'_>| {
            let taken = "SELECT id FROM registered WHERE id = $1";
            if connection.row(taken, &params![registration.id()])?.is_some() {
                return Ok(AddOutcome::Taken);
            }
            let row = connection.row("SELECT count(*) AS servers FROM registered", &[])?;
            let count = row.map_or(Ok(0), |row| row.needed_integer("servers")).map_err(StoreError::new)?;
            if usize::try_from(count).unwrap_or(usize::MAX) >= limit {
                return Ok(AddOutcome::Full);
            }
            connection.execute(
                "INSERT INTO registered (place, id, server, created_by, by_admin, created_at, justification) \
                 VALUES ((SELECT coalesce(max(place), 0) + 1 FROM registered), $1, $2, $3, $4, $5, $6)",
                &params![
                    registration.id(),
                    &server,
                    &registration.created_by,
                    registration.by_admin,
                    &registration.created_at,
                    registration.justification.as_ref(),
                ],
            )?;
            Ok(AddOutcome::Yes)
        };
        self.database.write(add).await
    }

    async fn remove(&self, found: &Registration) -> Result<Option<Registration>, StoreError> {
        let found = found.clone();
        let remove = move |connection: &Connection<'_>| {
            let removed = connection.execute(
                "DELETE FROM registered WHERE id = $1 AND created_by = $2 AND by_admin = $3 AND created_at = $4",
                &params![found.id(), &found.created_by, found.by_admin, &found.created_at],
            )?;
            Ok((removed > 0).then_some(found))
        };
        self.database.write(remove).await
    }

    async fn remove_unusable(&self, id: &str) -> Result<bool, StoreError> {
        let id = id.to_owned();
        let remove = move |connection: &Connection<'_>| {
            let stored = connection.row(&format!("{ROWS} WHERE id = $1"), &params![&id])?;
            let Some((_, row)) = stored.as_ref().map(read) else { return Ok(false) };
            if row.and_then(Registration::checked_again).is_ok() {
                return Ok(false);
            }
            Ok(connection.execute("DELETE FROM registered WHERE id = $1", &params![&id])? > 0)
        };
        self.database.write(remove).await
    }

    async fn requests(&self) -> Result<Vec<RequestedServer>, StoreError> {
        let now = Timestamp::now();
        let mut rows = self.database.read(requests).await?;
        rows.retain(|row| row.denied_by.is_some() || row.is_open(now));
        Ok(rows)
    }

    async fn request(&self, registration: Registration) -> Result<RequestOutcome, StoreError> {
        let asked = RequestedServer::new(registration);
        let request = move |connection: &Connection<'_>| {
            let (outcome, stay) = place(&requests(connection)?, &asked, Timestamp::now());
            for row in connection.rows("SELECT request_id FROM requested", &[])? {
                if let Some(id) = row.needed("request_id").ok().filter(|id| !stay.contains(*id)) {
                    connection.execute("DELETE FROM requested WHERE request_id = $1", &params![id])?;
                }
            }
            if let RequestOutcome::Kept(row) = &outcome {
                write(connection, row)?;
            }
            Ok(outcome)
        };
        self.database.write(request).await
    }

    async fn deny_request(&self, request_id: &str, by: &str) -> Result<bool, StoreError> {
        let (id, by) = (request_id.to_owned(), by.to_owned());
        let deny = move |connection: &Connection<'_>| {
            let sql = "UPDATE requested SET denied_by = $2 WHERE request_id = $1 AND denied_by IS NULL";
            Ok(connection.execute(sql, &params![id, by])? > 0)
        };
        self.database.write(deny).await
    }

    async fn take_request(&self, request_id: &str) -> Result<Option<RequestedServer>, StoreError> {
        self.delete_request(request_id, "DELETE FROM requested WHERE request_id = $1 AND denied_by IS NULL")
            .await
    }

    async fn remove_request(&self, request_id: &str) -> Result<Option<RequestedServer>, StoreError> {
        self.delete_request(request_id, "DELETE FROM requested WHERE request_id = $1").await
    }

    async fn version(&self) -> Result<i64, StoreError> {
        self.database.version().await
    }
}

/// Reads the requests. An unreadable request is left out, and so is an open one whose id does not match its server. Both are removed by the
/// next request.
fn requests(connection: &Connection<'_>) -> Result<Vec<RequestedServer>, StoreError> {
    let read = |row: &Row| {
        let registration = read_registration(row).and_then(Registration::checked_again).ok()?;
        let asked = RequestedServer::new(registration);
        let request_id = row.needed("request_id").ok()?.to_owned();
        let denied_by = row.text("denied_by").ok()?.map(str::to_owned);
        let usable = denied_by.is_some() || request_id == asked.request_id;
        usable.then_some(RequestedServer { request_id, denied_by, ..asked })
    };
    Ok(connection.rows(&format!("{ASKED} ORDER BY place"), &[])?.iter().filter_map(read).collect())
}

fn write(connection: &Connection<'_>, row: &RequestedServer) -> Result<(), StoreError> {
    let RequestedServer { request_id, registration, denied_by } = row;
    let server =
        serde_json::to_string(&registration.server).map_err(|error| StoreError::new(error.to_string()))?;
    connection.execute(
        "INSERT INTO requested (place, request_id, server, created_by, created_at, justification, denied_by) \
         VALUES ((SELECT coalesce(max(place), 0) + 1 FROM requested), $1, $2, $3, $4, $5, $6) \
         ON CONFLICT (request_id) DO UPDATE SET created_at = excluded.created_at, justification = excluded.justification",
        &params![
            request_id,
            server,
            &registration.created_by,
            &registration.created_at,
            registration.justification.as_ref(),
            denied_by.as_ref(),
        ],
    )?;
    Ok(())
}

/// A row's id, and its content or the reason that the content cannot be read.
type RegistrationRow = (String, Result<Registration, String>);

fn read(row: &Row) -> RegistrationRow {
    let id = row.needed("id");
    let registration = id.clone().and_then(|id| match read_registration(row)? {
        registration if registration.server.id == id => Ok(registration),
        other => Err(format!("its content has the id {:?}", other.server.id)),
    });
    (id.unwrap_or("an unreadable id").to_owned(), registration)
}

/// Reads a row, or returns the problem with it: an unreadable row must not prevent reading the others.
fn read_registration(row: &Row) -> Result<Registration, String> {
    let server = row.needed("server")?;
    Ok(Registration {
        server: serde_json::from_str::<ServerConfig>(server).map_err(|error| error.to_string())?,
        created_by: row.needed("created_by")?.to_owned(),
        by_admin: row.flag("by_admin")?,
        created_at: row.needed("created_at")?.to_owned(),
        justification: row.text("justification")?.map(str::to_owned),
    })
}

impl fmt::Debug for SqlRegistrationStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqlRegistrationStore").finish_non_exhaustive()
    }
}
