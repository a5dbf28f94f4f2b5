//! Checks the chains of all trails.

use super::{AuditDatabase, StoredEvent, event::COLUMNS, head::TrailRow};
use crate::audit::log::{
    AuditHead, AuditProblem, AuditVerification,
    chain::Hash,
    verify::{Check, CheckedEvent, Expectations},
};
use mgp_store::{
    StoreError,
    sql::{Connection, params},
};
use std::fmt;

/// The number of events that are read at once.
const PAGE: i64 = 1000;

/// The result of a check of one trail of a database.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TrailVerification {
    /// The id of the trail.
    pub trail: String,
    /// The result.
    pub verification: AuditVerification,
    /// The first event that is not as it was stored.
    pub fault: Option<TrailFault>,
}

/// An event that is not as it was stored.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TrailFault {
    /// The number of the event.
    pub seq: i64,
    /// The hash that the event must have after the one before it. `None` for an event that must not be there, or cannot be read.
    pub expected: Option<Hash>,
    /// The hash that is stored.
    pub found: Option<Hash>,
    /// The problem of an event that is wrong whatever its hash is.
    pub reason: Option<String>,
}

impl AuditDatabase {
    /// Checks every event of all trails, or of the trail with the event of a head that was kept elsewhere, at one moment.
    pub(in crate::audit::log) async fn verify(
        &self,
        head: Option<AuditHead>,
    ) -> Result<Vec<TrailVerification>, StoreError> {
        self.database.read_snapshot(move |connection| verify_all(connection, head)).await
    }
}

fn verify_all(
    connection: &Connection<'_>,
    head: Option<AuditHead>,
) -> Result<Vec<TrailVerification>, StoreError> {
    let rows = TrailRow::all(connection)?;
    let mut trails = Vec::new();
    for row in &rows {
        trails.push(verify_trail(connection, row)?);
    }
    let unknown = "SELECT DISTINCT trail FROM audit_events WHERE trail NOT IN (SELECT trail FROM audit_trails) ORDER BY trail LIMIT 20";
    for row in connection.rows(unknown, &[])? {
        let trail = row.needed("trail").map_err(StoreError::new)?.to_owned();
        let mut verification = AuditVerification::default();
        verification.add(AuditProblem::NoHead);
        trails.push(TrailVerification { trail, verification, fault: None });
    }
    if let Some(head) = head {
        expect(connection, &rows, head, &mut trails)?;
    }
    Ok(trails)
}

/// Adds a problem to all trails unless one of them has the event of a head that was kept elsewhere.
fn expect(
    connection: &Connection<'_>,
    rows: &[TrailRow],
    head: AuditHead,
    trails: &mut [TrailVerification],
) -> Result<(), StoreError> {
    let select = "SELECT trail FROM audit_events WHERE seq = $1 AND hash = $2 LIMIT 1";
    let is_there = connection.row(select, &params![head.seq, head.hash.as_slice()])?.is_some();
    let is_beginning = |row: &TrailRow| (row.start.seq, row.start.hash) == (head.seq, Some(head.hash));
    if is_there || rows.iter().any(is_beginning) {
        return Ok(());
    }
    for (row, trail) in rows.iter().zip(trails) {
        trail.verification.add(if head.seq < row.start.seq {
            AuditProblem::HeadRemoved { seq: head.seq, through: row.start.seq }
        } else {
            AuditProblem::CutOff { last: row.head.seq, stored: head.seq }
        });
    }
    Ok(())
}

/// Checks the chain of one trail.
pub(super) fn verify_trail(
    connection: &Connection<'_>,
    row: &TrailRow,
) -> Result<TrailVerification, StoreError> {
    let head = row.head.hash.map(|hash| AuditHead::new(row.head.seq, hash));
    let mut check = Check::of(Expectations {
        unchained: row.start.unchained,
        shortened: (Some(row.start.seq), row.start.hash),
        heads: head.into_iter().collect(),
        // The removal of days is not recorded in each trail.
        records_removals: false,
    });
    let mut fault = None;
    let select = format!(
        "SELECT {COLUMNS} FROM audit_events WHERE trail = $1 AND (seq, day) > ($2, $3) ORDER BY seq, day LIMIT $4"
    );
    let (mut seq, mut day, mut last_day) = (i64::MIN, i64::MIN, i64::MIN);
    loop {
        let rows = connection.rows(&select, &params![&row.trail, seq, day, PAGE])?;
        for found in &rows {
            let place = (found.needed_integer("seq"), found.needed_integer("day"));
            seq = place.0.map_err(StoreError::new)?;
            day = place.1.map_err(StoreError::new)?;
            let read = StoredEvent::read(found).and_then(|event| {
                let is_in_order = last_day <= day && seq <= row.head.seq;
                last_day = last_day.max(day);
                let problem =
                    "it is after the head of its trail, or on a day before that of an earlier event";
                if is_in_order { Ok(event) } else { Err(problem.to_owned()) }
            });
            let stored = found.bytes("hash").ok().flatten().and_then(|hash| Hash::try_from(hash).ok());
            let wrong = match read {
                Ok(event) => {
                    let event = CheckedEvent { seq, stored, values: event.hashed() };
                    check.event(&event).map(|expected| (Some(expected), None))
                }
                Err(reason) => {
                    check.unreadable(seq, stored);
                    Some((None, Some(reason)))
                }
            };
            if let (None, Some((expected, reason))) = (&fault, wrong) {
                fault = Some(TrailFault { seq, expected, found: stored, reason });
            }
        }
        if rows.len() < usize::try_from(PAGE).unwrap_or(usize::MAX) {
            break;
        }
    }
    Ok(TrailVerification { trail: row.trail.clone(), verification: check.end(), fault })
}

/// Writes the number, and the expected and the stored hash or the reason.
impl fmt::Display for TrailFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hash = |hash: &Option<Hash>| match hash {
            Some(hash) => AuditHead::new(self.seq, *hash).to_string(),
            None => "none".to_owned(),
        };
        write!(f, "event {}", self.seq)?;
        if let Some(reason) = &self.reason {
            return write!(f, ": {reason}");
        }
        write!(f, ": expected the hash {}, found {}", hash(&self.expected), hash(&self.found))
    }
}
