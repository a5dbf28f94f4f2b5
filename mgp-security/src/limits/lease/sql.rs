//! A store of shared buckets in the tables of a database.

use super::{BucketName, Lease, LeaseRequest, LeaseStore, MAX_SHARED_BUCKETS};
use async_trait::async_trait;
use mgp_store::{
    StoreError,
    sql::{Connection, Database, Row, Schema, SqlStore, params},
    sqlite::Synchronous,
};

/// Selects the row of a bucket ($1 to $4).
const ROW: &str = "rule = $1 AND caller = $2 AND server = $3 AND tool = $4";

/// The time without a note after which a kernel counts as gone, in microseconds.
const GONE: i64 = 10_000_000;

/// The time for which the note of a kernel that is gone is kept, in microseconds.
const KEPT: i64 = 3_600_000_000;

/// The time for which a full bucket is kept, in nanoseconds, so that the row of an agent that calls now and then stays.
const FULL: i64 = 60_000_000_000;

/// The most buckets that are removed at once. Other kernels that use them wait meanwhile.
const SWEPT: usize = 64;

/// A store of buckets in a database, which the kernels of several machines share.
#[derive(Debug, Clone)]
pub struct SqlLeaseStore {
    database: Database,
    /// The time in microseconds, for tests; `None` for the time of the database.
    clock: Option<fn() -> i64>,
}

impl SqlStore for SqlLeaseStore {
    /// The tables of buckets and of the kernels that use them. `full_at` is in nanoseconds since 1970, `seen_at` in microseconds.
    const SCHEMA: &'static Schema = &Schema {
        section: "limits",
        synchronous: Synchronous::Normal,
        sqlite: &["
CREATE TABLE limit_buckets (
    rule TEXT NOT NULL,
    caller TEXT NOT NULL,
    server TEXT NOT NULL,
    tool TEXT NOT NULL,
    full_at INTEGER NOT NULL,
    PRIMARY KEY (rule, caller, server, tool)
) STRICT, WITHOUT ROWID;
CREATE TABLE limit_kernels (id TEXT NOT NULL PRIMARY KEY, seen_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
"],
        postgres: None,
    };

    fn new(database: Database) -> Self {
        Self { database, clock: None }
    }
}

impl SqlLeaseStore {
    /// Sets the clock.
    #[cfg(test)]
    pub(super) fn at(self, clock: fn() -> i64) -> Self {
        Self { clock: Some(clock), ..self }
    }

    /// Returns the expression for the time in microseconds.
    fn now(&self) -> impl Fn(&Connection<'_>) -> String + Send + 'static {
        let given = self.clock.map(|clock| clock().to_string());
        move |connection| given.clone().unwrap_or_else(|| connection.clock().to_owned())
    }
}

#[async_trait]
impl LeaseStore for SqlLeaseStore {
    async fn lease(&self, requests: Vec<LeaseRequest>) -> Result<Vec<Lease>, StoreError> {
        let subjects = requests.iter().map(|request| request.bucket.subject()).collect();
        let now = self.now();
        let lease = move |connection: &Connection<'_>| {
            let now = now(connection);
            // Everybody locks rows in the order of their names, so none waits for one that waits for it.
            let mut order: Vec<_> = requests.iter().enumerate().collect();
            order.sort_by_key(|(_, request)| &request.bucket);
            let mut leases = Vec::with_capacity(order.len());
            for (at, request) in order {
                leases.push((at, lease(connection, &now, request)?));
            }
            leases.sort_by_key(|(at, _)| *at);
            Ok(leases.into_iter().map(|(_, lease)| lease).collect())
        };
        self.database.write_for(subjects, lease).await
    }

    async fn renew(&self, kernel: &str) -> Result<u32, StoreError> {
        let (now, kernel) = (self.now(), kernel.to_owned());
        let renew = move |connection: &Connection<'_>| {
            let now = now(connection);
            let sql = format!(
                "INSERT INTO limit_kernels (id, seen_at) VALUES ($1, {now}) \
                 ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at"
            );
            connection.execute(&sql, &params![kernel])?;
            let sql = format!("SELECT count(*) AS kernels FROM limit_kernels WHERE seen_at > {now} - $1");
            let kernels = count(connection.row(&sql, &params![GONE])?, "kernels")?;
            Ok(u32::try_from(kernels).unwrap_or(u32::MAX))
        };
        self.database.write_for(Vec::new(), renew).await
    }

    async fn sweep(&self) -> Result<(), StoreError> {
        let now = self.now();
        let sweep = move |connection: &Connection<'_>| {
            let now = now(connection);
            // In a transaction without another row of this table: a kernel that renews its note may wait for it.
            let sql = format!("DELETE FROM limit_kernels WHERE seen_at <= {now} - $1");
            connection.execute(&sql, &params![KEPT])?;
            let full = format!("full_at <= {now} * 1000 - {FULL}");
            let sql =
                format!("SELECT rule, caller, server, tool FROM limit_buckets WHERE {full} LIMIT {SWEPT}");
            let found: Result<Vec<_>, _> = connection.rows(&sql, &[])?.iter().map(name).collect();
            let mut found = found.map_err(StoreError::new)?;
            found.sort();
            let sql = format!("DELETE FROM limit_buckets WHERE {ROW} AND {full}");
            for BucketName { rule, caller, server, tool } in &found {
                connection.execute(&sql, &params![&**rule, caller, server, tool])?;
            }
            Ok(())
        };
        self.database.write_for(Vec::new(), sweep).await
    }
}

/// Applies a request to its row.
fn lease(connection: &Connection<'_>, now: &str, request: &LeaseRequest) -> Result<Lease, StoreError> {
    let BucketName { rule, caller, server, tool } = &request.bucket;
    let sql = format!("SELECT {now} AS now, (SELECT full_at FROM limit_buckets WHERE {ROW}) AS full_at");
    let row = connection.row(&sql, &params![&**rule, caller, server, tool])?;
    let row = row.ok_or_else(|| StoreError::new("the database did not return its time"))?;
    let micros = row.needed_integer("now").map_err(StoreError::new)?;
    let now = micros.saturating_mul(1000);
    let full_at = row.integer("full_at").map_err(StoreError::new)?;
    let lease = request.apply(full_at.map(|full_at| full_at.saturating_sub(now)));
    if !request.changes(&lease) {
        return Ok(lease);
    }
    if full_at.is_none() && !has_room(connection)? {
        return Ok(Lease { calls: 0, full_in: request.rate.full_time() });
    }
    let full_in = i64::try_from(lease.full_in.as_nanos()).unwrap_or(i64::MAX);
    connection.execute(
        "INSERT INTO limit_buckets (rule, caller, server, tool, full_at) VALUES ($1, $2, $3, $4, $5) \
         ON CONFLICT (rule, caller, server, tool) DO UPDATE SET full_at = excluded.full_at",
        &params![&**rule, caller, server, tool, now.saturating_add(full_in)],
    )?;
    Ok(lease)
}

/// Returns whether there is room for another bucket.
fn has_room(connection: &Connection<'_>) -> Result<bool, StoreError> {
    let sql = format!(
        "SELECT count(*) AS buckets FROM (SELECT 1 FROM limit_buckets LIMIT {MAX_SHARED_BUCKETS}) AS counted"
    );
    let buckets = count(connection.row(&sql, &[])?, "buckets")?;
    Ok(usize::try_from(buckets).unwrap_or(usize::MAX) < MAX_SHARED_BUCKETS)
}

fn count(row: Option<Row>, column: &str) -> Result<i64, StoreError> {
    row.map_or(Ok(0), |row| row.needed_integer(column)).map_err(StoreError::new)
}

fn name(row: &Row) -> Result<BucketName, String> {
    Ok(BucketName {
        rule: row.needed("rule")?.into(),
        caller: row.needed("caller")?.to_owned(),
        server: row.needed("server")?.to_owned(),
        tool: row.needed("tool")?.to_owned(),
    })
}
