//! The store of replicas and their sessions in PostgreSQL.

use super::schema::SCHEMA;
use crate::owner::new_id;
use async_trait::async_trait;
use mgp_store::{
    StoreError,
    sql::{Connection, Database, Row, Schema, params},
};
use mgp_transport::seam::{
    BoxError, REPLICA_GONE, ReplicaAuthority, ReplicaStore, SessionRecord, StoredSession,
};
use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

/// The most sessions of all replicas together.
const MAX_SESSIONS: i64 = 100_000;

/// The number of renewals from one removal of old entries to the next.
const RENEWALS_PER_REMOVAL: u64 = 120;

/// The entry of one replica in a database of PostgreSQL, which also holds the sessions of all replicas. Times are those of the database,
/// because the clocks of several machines differ.
#[derive(Debug)]
pub struct SqlReplicaStore {
    pub(super) database: Database,
    pub(super) id: String,
    /// The time for which the sessions of a replica that is gone can be taken over.
    kept: Duration,
    pub(super) renewals: AtomicU64,
}

impl SqlReplicaStore {
    /// The tables of the section.
    pub const SCHEMA: &'static Schema = &SCHEMA;

    /// Uses tables of PostgreSQL, for a replica with a new id. Sessions of a replica that has been gone for longer than `kept` are removed.
    ///
    /// # Errors
    /// [`StoreError`] if the operating system has no random bytes for the id.
    pub fn new(database: Database, kept: Duration) -> Result<Self, StoreError> {
        let id = new_id().map_err(|error| StoreError::new(error.to_string()))?;
        Ok(Self { database, id, kept, renewals: AtomicU64::new(0) })
    }

    /// Removes the replicas that have been gone for long, and their sessions. Rows that others have locked are left to a later removal, so that
    /// no renewal waits for another one.
    async fn remove_old(&self) -> Result<(), StoreError> {
        let kept = micros(self.kept.max(REPLICA_GONE));
        let remove = move |connection: &Connection<'_>| {
            let old = format!(
                "DELETE FROM replicas WHERE id IN \
                 (SELECT id FROM replicas WHERE seen_at <= {} - $1 FOR UPDATE SKIP LOCKED)",
                connection.clock()
            );
            connection.execute(&old, &params![kept])?;
            let sessions = "DELETE FROM sessions WHERE id IN \
                            (SELECT id FROM sessions WHERE owner NOT IN (SELECT id FROM replicas) FOR UPDATE SKIP LOCKED)";
            connection.execute(sessions, &[]).map(drop)
        };
        self.database.write_for(Vec::new(), remove).await
    }

    /// Runs one statement on a row of `sessions` that this replica owns. `$1` is the session, `$2` this replica, and `$3` the epoch.
    async fn on_own(&self, sql: &'static str, session: &str, epoch: i64) -> Result<(), BoxError> {
        let (session, owner) = (session.to_owned(), self.id.clone());
        let run = move |connection: &Connection<'_>| connection.execute(sql, &params![session, owner, epoch]);
        self.database.write_for(Vec::new(), run).await?;
        Ok(())
    }
}

#[async_trait]
impl ReplicaStore for SqlReplicaStore {
    fn id(&self) -> &str {
        &self.id
    }

    async fn authority(&self, fresh: ReplicaAuthority) -> Result<ReplicaAuthority, BoxError> {
        let keep = move |connection: &Connection<'_>| {
            let ReplicaAuthority { certificate, key } = fresh;
            connection.execute(
                "INSERT INTO replica_authority (id, certificate, secret) VALUES (1, $1, $2) ON CONFLICT (id) DO NOTHING",
                &params![&*certificate, &*key],
            )?;
            let row =
                connection.row("SELECT certificate, secret FROM replica_authority WHERE id = 1", &[])?;
            let bytes = |row: &Row, column| {
                row.bytes(column)?.map(<[u8]>::to_vec).ok_or_else(|| format!("missing {column}"))
            };
            let row = row.ok_or_else(|| StoreError::new("the authority of the replicas was removed"))?;
            let read = || {
                Ok::<_, String>(ReplicaAuthority {
                    certificate: bytes(&row, "certificate")?,
                    key: bytes(&row, "secret")?,
                })
            };
            read().map_err(|problem| StoreError::new(format!("the authority of the replicas: {problem}")))
        };
        Ok(self.database.write_for(Vec::new(), keep).await?)
    }

    async fn renew(&self, address: &str) -> Result<(), BoxError> {
        let (id, address) = (self.id.clone(), address.to_owned());
        let renew = move |connection: &Connection<'_>| {
            // If others have removed the row meanwhile, it is added again: the process does run.
            let sql = format!(
                "INSERT INTO replicas (id, address, seen_at) VALUES ($1, $2, {}) \
                 ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at",
                connection.clock()
            );
            connection.execute(&sql, &params![id, address]).map(drop)
        };
        self.database.write_for(Vec::new(), renew).await?;
        if self.renewals.fetch_add(1, Ordering::Relaxed).is_multiple_of(RENEWALS_PER_REMOVAL)
            && let Err(error) = self.remove_old().await
        {
            tracing::warn!(%error, "old entries of other replicas were not removed");
        }
        Ok(())
    }

    async fn leave(&self) -> Result<(), BoxError> {
        let id = self.id.clone();
        let leave = move |connection: &Connection<'_>| {
            let now = connection.clock();
            let sql = format!("UPDATE replicas SET seen_at = {now} - $2 WHERE id = $1");
            connection.execute(&sql, &params![id, micros(REPLICA_GONE)]).map(drop)
        };
        Ok(self.database.write_for(Vec::new(), leave).await?)
    }

    async fn address(&self, replica: &str) -> Result<Option<String>, BoxError> {
        let replica = replica.to_owned();
        let read = move |connection: &Connection<'_>| {
            let now = connection.clock();
            let sql = format!("SELECT address FROM replicas WHERE id = $1 AND seen_at > {now} - $2");
            let row = connection.row(&sql, &params![replica, micros(REPLICA_GONE)])?;
            row.map(|row| row.needed("address").map(str::to_owned).map_err(StoreError::new)).transpose()
        };
        Ok(self.database.read(read).await?)
    }

    async fn open(&self, session: &str, record: &SessionRecord) -> Result<bool, BoxError> {
        let (session, owner, record) = (session.to_owned(), self.id.clone(), record.clone());
        let open = move |connection: &Connection<'_>| {
            let now = connection.clock();
            let sql = format!(
                "INSERT INTO sessions (id, owner, epoch, released, principal, initialize, level, subscriptions, revision, opened_at) \
                 SELECT $1, $2, 0, 0, $3, $4, $5, $6, $7, {now} \
                 WHERE (SELECT count(*) FROM (SELECT 1 FROM sessions LIMIT {MAX_SESSIONS}) AS counted) < {MAX_SESSIONS}"
            );
            let subscriptions = written(&record.subscriptions)?;
            let SessionRecord { principal, initialize, level, revision, .. } = record;
            let values = params![session, owner, principal, initialize, level, subscriptions, revision];
            Ok(connection.execute(&sql, &values)? > 0)
        };
        Ok(self.database.write_for(Vec::new(), open).await?)
    }

    async fn change(&self, session: &str, epoch: i64, record: &SessionRecord) -> Result<(), BoxError> {
        let (session, owner, record) = (session.to_owned(), self.id.clone(), record.clone());
        let change = move |connection: &Connection<'_>| {
            let sql = "UPDATE sessions SET level = $4, subscriptions = $5, revision = $6 \
                       WHERE id = $1 AND owner = $2 AND epoch = $3 AND revision < $6";
            let subscriptions = written(&record.subscriptions)?;
            let values = params![session, owner, epoch, record.level, subscriptions, record.revision];
            connection.execute(sql, &values).map(drop)
        };
        Ok(self.database.write_for(Vec::new(), change).await?)
    }

    async fn find(&self, session: &str) -> Result<Option<StoredSession>, BoxError> {
        let session = session.to_owned();
        let find = move |connection: &Connection<'_>| {
            let now = connection.clock();
            let sql = format!(
                "SELECT owner, epoch, principal, initialize, level, subscriptions, revision, \
                 (SELECT address FROM replicas WHERE replicas.id = owner AND released = 0 AND seen_at > {now} - $2) AS address \
                 FROM sessions WHERE sessions.id = $1"
            );
            let row = connection.row(&sql, &params![session, micros(REPLICA_GONE)])?;
            let read =
                |row: Row| stored(&row).map_err(|problem| StoreError::new(format!("a session: {problem}")));
            row.map(read).transpose()
        };
        Ok(self.database.read(find).await?)
    }

    async fn take_over(&self, session: &str, from: &StoredSession) -> Result<bool, BoxError> {
        let (session, me) = (session.to_owned(), self.id.clone());
        let (owner, epoch) = (from.owner.clone(), from.epoch);
        let take = move |connection: &Connection<'_>| {
            let now = connection.clock();
            // Locks the row of an owner that is gone: if the owner renews it now, it waits, and then sees that it has lost the session.
            let gone =
                format!("UPDATE replicas SET seen_at = seen_at WHERE id = $1 AND seen_at <= {now} - $2");
            connection.execute(&gone, &params![&owner, micros(REPLICA_GONE)])?;
            let sql = format!(
                "UPDATE sessions SET owner = $1, epoch = epoch + 1, released = 0 WHERE id = $2 AND owner = $3 AND epoch = $4 \
                 AND (released <> 0 OR owner = $1 OR NOT EXISTS (SELECT 1 FROM replicas WHERE replicas.id = $3 AND seen_at > {now} - $5))"
            );
            let values = params![me, session, owner, epoch, micros(REPLICA_GONE)];
            Ok(connection.execute(&sql, &values)? > 0)
        };
        Ok(self.database.write_for(Vec::new(), take).await?)
    }

    async fn release(&self, session: &str, epoch: i64) -> Result<(), BoxError> {
        let sql = "UPDATE sessions SET released = 1 WHERE id = $1 AND owner = $2 AND epoch = $3";
        self.on_own(sql, session, epoch).await
    }

    async fn close(&self, session: &str, epoch: i64) -> Result<(), BoxError> {
        let sql = "DELETE FROM sessions WHERE id = $1 AND owner = $2 AND epoch = $3 AND released = 0";
        self.on_own(sql, session, epoch).await
    }

    async fn owned(&self) -> Result<Vec<(String, i64)>, BoxError> {
        let owner = self.id.clone();
        let read = move |connection: &Connection<'_>| {
            let rows = connection
                .rows("SELECT id, epoch FROM sessions WHERE owner = $1 AND released = 0", &params![owner])?;
            let read = |row: &Row| Ok((row.needed("id")?.to_owned(), row.needed_integer("epoch")?));
            rows.iter().map(|row| read(row).map_err(|problem: String| StoreError::new(problem))).collect()
        };
        Ok(self.database.read(read).await?)
    }
}

pub(super) fn micros(time: Duration) -> i64 {
    i64::try_from(time.as_micros()).unwrap_or(i64::MAX)
}

fn written(subscriptions: &[String]) -> Result<String, StoreError> {
    serde_json::to_string(subscriptions).map_err(|error| StoreError::new(error.to_string()))
}

fn stored(row: &Row) -> Result<StoredSession, String> {
    let text = |column| Ok::<_, String>(row.text(column)?.map(str::to_owned));
    let subscriptions = serde_json::from_str(row.needed("subscriptions")?);
    Ok(StoredSession {
        owner: row.needed("owner")?.to_owned(),
        epoch: row.needed_integer("epoch")?,
        address: text("address")?,
        record: SessionRecord {
            principal: row.needed("principal")?.to_owned(),
            initialize: text("initialize")?,
            level: text("level")?,
            subscriptions: subscriptions.map_err(|error| format!("invalid subscriptions: {error}"))?,
            revision: row.needed_integer("revision")?,
        },
    })
}
