//! The last event of a trail.

use super::{super::chain::Hash, AuditDatabase};
use mgp_store::{
    StoreError,
    sql::{Connection, Row, Value, params},
};

/// The last event of a trail in the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) struct TrailHead {
    pub(in super::super) seq: i64,
    pub(in super::super) hash: Option<Hash>,
    /// The day of the event. No later event has an earlier one.
    pub(in super::super) day: i64,
}

/// The place at which a trail begins: after the last event that was removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in super::super) struct TrailStart {
    /// The number of the last removed event; 0 if none was.
    pub(in super::super) seq: i64,
    pub(in super::super) hash: Option<Hash>,
    /// The number of events without a hash, with which the trail begins.
    pub(in super::super) unchained: i64,
}

/// A trail with its head and its beginning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TrailRow {
    pub(super) trail: String,
    pub(super) head: TrailHead,
    pub(super) start: TrailStart,
}

impl TrailRow {
    /// Reads all trails, in the order of their ids.
    pub(super) fn all(connection: &Connection<'_>) -> Result<Vec<Self>, StoreError> {
        let select = "SELECT trail, seq, hash, day, unchained, shortened_seq, shortened_hash FROM audit_trails ORDER BY trail";
        connection.rows(select, &[])?.iter().map(|row| Self::read(row).map_err(StoreError::new)).collect()
    }

    fn read(row: &Row) -> Result<Self, String> {
        Ok(Self {
            trail: row.needed("trail")?.to_owned(),
            head: TrailHead::read(row)?,
            start: TrailStart {
                seq: row.needed_integer("shortened_seq")?,
                hash: hash(row, "shortened_hash")?,
                unchained: row.needed_integer("unchained")?,
            },
        })
    }
}

impl TrailHead {
    fn read(row: &Row) -> Result<Self, String> {
        Ok(Self {
            seq: row.needed_integer("seq")?,
            hash: hash(row, "hash")?,
            day: row.needed_integer("day")?,
        })
    }

    /// Moves the head of a trail, unless it is another one. Returns whether it was moved.
    pub(super) fn advance(
        &self,
        connection: &Connection<'_>,
        trail: &str,
        next: &Self,
    ) -> Result<bool, StoreError> {
        let update = "UPDATE audit_trails SET seq = $1, hash = $2, day = $3 \
                      WHERE trail = $4 AND seq = $5 AND hash IS NOT DISTINCT FROM $6";
        let values = params![next.seq, bytes(&next.hash), next.day, trail, self.seq, bytes(&self.hash)];
        Ok(connection.execute(update, &values)? > 0)
    }
}

impl AuditDatabase {
    /// Returns the head of a trail, which begins at `start` if the database does not have it yet.
    pub(in super::super) async fn enter(
        &self,
        trail: &str,
        start: TrailStart,
    ) -> Result<TrailHead, StoreError> {
        let of = trail.to_owned();
        if let Some(head) = self.database.read(move |connection| head_of(connection, &of)).await? {
            return Ok(head);
        }
        let trail = trail.to_owned();
        // While nobody removes days: see `days`.
        let enter = move |connection: &Connection<'_>| {
            let insert = "INSERT INTO audit_trails (trail, seq, hash, day, unchained, shortened_seq, shortened_hash) \
                          VALUES ($1, $2, $3, 0, $4, $2, $3) ON CONFLICT (trail) DO NOTHING";
            let values = params![&trail, start.seq, bytes(&start.hash), start.unchained];
            connection.execute(insert, &values)?;
            head_of(connection, &trail)
        };
        let head = self.database.write(enter).await?;
        head.ok_or_else(|| StoreError::new("the database lost a new trail"))
    }
}

fn head_of(connection: &Connection<'_>, trail: &str) -> Result<Option<TrailHead>, StoreError> {
    let select = "SELECT seq, hash, day FROM audit_trails WHERE trail = $1";
    let row = connection.row(select, &params![trail])?;
    row.map(|row| TrailHead::read(&row).map_err(StoreError::new)).transpose()
}

fn hash(row: &Row, column: &str) -> Result<Option<Hash>, String> {
    let hash = row.bytes(column)?.map(Hash::try_from).transpose();
    hash.map_err(|_| format!("invalid {column}: expected 32 bytes"))
}

/// Returns a hash as the value of a column.
pub(super) fn bytes(hash: &Option<Hash>) -> Value<'_> {
    hash.as_ref().map_or(Value::Null, |hash| Value::Bytes(hash.as_slice().into()))
}
