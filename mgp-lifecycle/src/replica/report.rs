//! The reports of replicas on themselves, which any of them and any command can read.

use super::{SqlReplicaStore, store::micros};
use mgp_store::{
    StoreError,
    sql::{Connection, Row, params},
};
use mgp_transport::seam::REPLICA_GONE;
use std::time::Duration;

/// The maximum size of a report, in bytes.
pub const MAX_REPLICA_REPORT: usize = 256 * 1024;

/// The most reports that are read.
const MAX_REPORTS: usize = 1000;

/// The report of a replica on itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplicaReport {
    /// The id of the replica, which it gets at its start.
    pub id: String,
    /// Its address for other replicas.
    pub address: String,
    /// The text that it reported last, and the time since then; `None` if it has not reported yet.
    pub report: Option<(String, Duration)>,
}

impl SqlReplicaStore {
    /// Replaces the report of this replica. Returns `false` if the replica has no entry, as before its first renewal.
    ///
    /// # Errors
    /// [`StoreError`] if the report is longer than [`MAX_REPLICA_REPORT`], or if the database cannot be written.
    pub async fn report(&self, report: &str) -> Result<bool, StoreError> {
        if report.len() > MAX_REPLICA_REPORT {
            let size = report.len();
            return Err(StoreError::new(format!(
                "the report of this replica has {size} bytes, expected at most {MAX_REPLICA_REPORT}"
            )));
        }
        let (id, report) = (self.id.clone(), report.to_owned());
        let write = move |connection: &Connection<'_>| {
            let now = connection.clock();
            let sql = format!("UPDATE replicas SET report = $2, reported_at = {now} WHERE id = $1");
            Ok(connection.execute(&sql, &params![id, report])? > 0)
        };
        self.database.write_for(Vec::new(), write).await
    }

    /// Returns the reports of the replicas that are there, in the order of their addresses.
    ///
    /// # Errors
    /// [`StoreError`] if the database cannot be read.
    pub async fn reports(&self) -> Result<Vec<ReplicaReport>, StoreError> {
        let read = move |connection: &Connection<'_>| {
            let now = connection.clock();
            let sql = format!(
                "SELECT id, address, report, {now} - reported_at AS age FROM replicas WHERE seen_at > {now} - $1 \
                 ORDER BY address, id LIMIT {MAX_REPORTS}"
            );
            let rows = connection.rows(&sql, &params![micros(REPLICA_GONE)])?;
            let read =
                |row: &Row| read(row).map_err(|problem| StoreError::new(format!("a replica: {problem}")));
            rows.iter().map(read).collect()
        };
        self.database.read(read).await
    }
}

fn read(row: &Row) -> Result<ReplicaReport, String> {
    let age = row.integer("age")?.unwrap_or_default();
    let age = Duration::from_micros(u64::try_from(age).unwrap_or_default());
    Ok(ReplicaReport {
        id: row.needed("id")?.to_owned(),
        address: row.needed("address")?.to_owned(),
        report: row.text("report")?.map(|report| (report.to_owned(), age)),
    })
}
