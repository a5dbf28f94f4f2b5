//! The store of kept results in the tables of a database.

use super::{
    KeptTotals, NewReference, ReferenceName, ReferenceStore, RoomBounds, RoomShortage, StoredReference,
};
use async_trait::async_trait;
use mgp_store::{
    StoreError,
    sql::{Connection, Database, Row, Schema, SqlStore, params},
    sqlite::Synchronous,
};
use std::time::Duration;

/// The subject of the lock under which results are added and removed, so that the sums of all of them hold.
pub(super) const ALL: &str = "all";

/// The most results that are removed at once. Kernels that add one wait meanwhile.
pub(super) const SWEPT: usize = 64;

/// The time after its expiry, in microseconds, at which a result is removed although nobody has removed its object: a day.
const ABANDONED: i64 = 86_400_000_000;

/// A store of kept results in a database, which the kernels of several machines share.
#[derive(Debug, Clone)]
pub struct SqlReferenceStore {
    database: Database,
}

impl SqlStore for SqlReferenceStore {
    /// The tables of results and of their data. `bytes` counts toward the bounds, and `chunks` is the number of chunks of the data that can be read:
    /// in rows, or in an object if `is_object` is 1. Times are in microseconds since 1970.
    const SCHEMA: &'static Schema = &Schema {
        section: "references",
        synchronous: Synchronous::Normal,
        sqlite: &[
            "
CREATE TABLE kept_results (
    name BLOB NOT NULL PRIMARY KEY,
    caller BLOB NOT NULL,
    bytes INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    facts BLOB NOT NULL,
    chunks INTEGER NOT NULL
) STRICT;
CREATE INDEX kept_results_by_end ON kept_results (expires_at);
CREATE TABLE kept_chunks (
    name BLOB NOT NULL,
    chunk INTEGER NOT NULL,
    content BLOB NOT NULL,
    PRIMARY KEY (name, chunk)
) STRICT;
",
            "
ALTER TABLE kept_results ADD COLUMN is_object INTEGER NOT NULL DEFAULT 0;
",
        ],
        postgres: None,
    };

    fn new(database: Database) -> Self {
        Self { database }
    }
}

impl SqlReferenceStore {
    /// Writes unless the database is known to be away.
    pub(super) async fn write<T: Send + 'static>(
        &self,
        subjects: &[&str],
        write: impl FnOnce(&Connection<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.database.version().await?;
        let subjects = subjects.iter().map(|subject| (*subject).to_owned()).collect();
        self.database.write_for(subjects, write).await
    }

    /// Reads unless the database is known to be away.
    pub(super) async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Connection<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.database.version().await?;
        self.database.read(read).await
    }
}

#[async_trait]
impl ReferenceStore for SqlReferenceStore {
    async fn totals(&self, caller: [u8; 32]) -> Result<KeptTotals, StoreError> {
        self.read(move |connection| totals(connection, &caller)).await
    }

    async fn add(
        &self,
        result: NewReference,
        bounds: RoomBounds,
    ) -> Result<Result<(), RoomShortage>, StoreError> {
        let add = move |connection: &Connection<'_>| {
            let NewReference { name, caller, bytes, ttl, facts, is_object } = result;
            if let Err(shortage) = totals(connection, &caller)?.check(&bounds, bytes) {
                return Ok(Err(shortage));
            }
            let sql = format!(
                "INSERT INTO kept_results (name, caller, bytes, expires_at, facts, chunks, is_object) \
                 VALUES ($1, $2, $3, {} + $4, $5, 0, $6)",
                connection.clock()
            );
            let (ttl, is_object) = (i64::try_from(ttl.as_micros()).unwrap_or(i64::MAX), i64::from(is_object));
            connection.execute(&sql, &params![&name[..], &caller[..], bytes, ttl, &facts[..], is_object])?;
            Ok(Ok(()))
        };
        self.write(&[ALL], add).await
    }

    async fn append(&self, name: ReferenceName, chunks: Vec<Vec<u8>>) -> Result<bool, StoreError> {
        let append = move |connection: &Connection<'_>| {
            // Locks the row, so that nobody removes the result before its chunks can be seen.
            let sql = format!(
                "UPDATE kept_results SET chunks = chunks + $2 WHERE name = $1 AND expires_at > {} RETURNING chunks",
                connection.clock()
            );
            let Some(row) = connection.row(&sql, &params![&name[..], chunks.len()])? else {
                return Ok(false);
            };
            let end = row.needed_integer("chunks").map_err(StoreError::new)?;
            let first = end - i64::try_from(chunks.len()).unwrap_or(i64::MAX);
            for (chunk, content) in (first..end).zip(&chunks) {
                let sql = "INSERT INTO kept_chunks (name, chunk, content) VALUES ($1, $2, $3)";
                connection.execute(sql, &params![&name[..], chunk, &content[..]])?;
            }
            Ok(true)
        };
        self.write(&[], append).await
    }

    async fn find(&self, name: ReferenceName) -> Result<Option<StoredReference>, StoreError> {
        let find = move |connection: &Connection<'_>| {
            let now = connection.clock();
            let sql = format!(
                "SELECT facts, chunks, is_object, expires_at - {now} AS expires_in FROM kept_results WHERE name = $1 AND expires_at > {now}"
            );
            let row = connection.row(&sql, &params![&name[..]])?;
            row.as_ref().map(stored).transpose().map_err(StoreError::new)
        };
        self.read(find).await
    }

    async fn chunks(&self, name: ReferenceName, from: u64, most: u64) -> Result<Vec<Vec<u8>>, StoreError> {
        let read = move |connection: &Connection<'_>| {
            let sql = "SELECT content FROM kept_chunks WHERE name = $1 AND chunk >= $2 AND chunk < $3 ORDER BY chunk";
            let rows = connection.rows(sql, &params![&name[..], from, from.saturating_add(most)])?;
            let content = |row: &Row| bytes(row, "content");
            rows.iter().map(content).collect::<Result<_, _>>().map_err(StoreError::new)
        };
        self.read(read).await
    }

    async fn remove(&self, name: ReferenceName) -> Result<(), StoreError> {
        let remove = move |connection: &Connection<'_>| {
            let expire = format!(
                "UPDATE kept_results SET expires_at = {} WHERE name = $1 AND is_object = 1 RETURNING name",
                connection.clock()
            );
            match connection.row(&expire, &params![&name[..]])? {
                Some(_) => Ok(()),
                None => remove(connection, &name),
            }
        };
        self.write(&[ALL], remove).await
    }

    async fn sweep(&self) -> Result<bool, StoreError> {
        let sweep = move |connection: &Connection<'_>| {
            let sql = format!(
                "SELECT name FROM kept_results WHERE expires_at <= {now} AND (is_object = 0 OR expires_at <= {now} - {ABANDONED}) \
                 ORDER BY expires_at LIMIT {SWEPT}",
                now = connection.clock()
            );
            let expired = connection.rows(&sql, &[])?;
            for row in &expired {
                remove(connection, &bytes(row, "name").map_err(StoreError::new)?)?;
            }
            Ok(expired.len() == SWEPT)
        };
        self.write(&[ALL], sweep).await
    }
}

/// Returns the sums of all results that have not expired, and those of one caller.
fn totals(connection: &Connection<'_>, caller: &[u8; 32]) -> Result<KeptTotals, StoreError> {
    let now = connection.clock();
    let own = |value: &str| format!("CASE WHEN caller = $1 THEN {value} END");
    // PostgreSQL's sums of numbers are of another type.
    let sum = |value: &str| format!("CAST(coalesce(sum({value}), 0) AS BIGINT)");
    let sql = format!(
        "SELECT count({one}) AS results, {own_bytes} AS bytes, count(*) AS total_results, {all_bytes} AS total_bytes, \
         min({end}) - {now} AS free_in FROM kept_results WHERE expires_at > {now}",
        one = own("1"),
        own_bytes = sum(&own("bytes")),
        all_bytes = sum("bytes"),
        end = own("expires_at"),
    );
    let row = connection.row(&sql, &params![&caller[..]])?;
    let row = row.ok_or_else(|| StoreError::new("the database returned no sums"))?;
    let number = |column| row.needed_integer(column).map(|number| u64::try_from(number).unwrap_or_default());
    let read = || {
        let count = |column| number(column).map(|count| usize::try_from(count).unwrap_or(usize::MAX));
        Ok::<_, String>(KeptTotals {
            results: count("results")?,
            bytes: number("bytes")?,
            total_results: count("total_results")?,
            total_bytes: number("total_bytes")?,
            free_in: row.integer("free_in")?.map(micros),
        })
    };
    read().map_err(StoreError::new)
}

/// Removes a result, and then its data: a kernel that appends to it has locked the result.
pub(super) fn remove(connection: &Connection<'_>, name: &[u8]) -> Result<(), StoreError> {
    connection.execute("DELETE FROM kept_results WHERE name = $1", &params![name])?;
    connection.execute("DELETE FROM kept_chunks WHERE name = $1", &params![name]).map(drop)
}

fn stored(row: &Row) -> Result<StoredReference, String> {
    Ok(StoredReference {
        facts: bytes(row, "facts")?,
        chunks: u64::try_from(row.needed_integer("chunks")?).unwrap_or_default(),
        is_object: row.flag("is_object")?,
        expires_in: micros(row.needed_integer("expires_in")?),
    })
}

pub(super) fn bytes(row: &Row, column: &str) -> Result<Vec<u8>, String> {
    Ok(row.bytes(column)?.ok_or_else(|| format!("missing {column}"))?.to_vec())
}

fn micros(number: i64) -> Duration {
    Duration::from_micros(u64::try_from(number).unwrap_or_default())
}
