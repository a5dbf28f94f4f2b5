//! Reading the trail.

use super::AuditFilter;
use jiff::Timestamp;
use mgp_types::{
    audit::{AuditEvent, AuditEventType, AuditReplayParams, AuditReplayResult},
    context::TraceId,
    json::{RawJson, RawObject},
    rpc::ErrorObject,
};
use rusqlite::{Connection, Row, params, types::Type};

/// How many events one answer holds at most, and where nothing is asked for.
const MOST: u32 = 1000;
const USUAL: u32 = 100;

/// Which events `mgp/audit/replay` asks for.
pub(super) struct Page {
    after: u64,
    from: i64,
    limit: u32,
}

impl Page {
    pub(super) fn new(params: &AuditReplayParams) -> Result<Self, ErrorObject> {
        let from = match (&params.since_seq, &params.since_timestamp) {
            (None, Some(time)) => time
                .parse::<Timestamp>()
                .map_err(|error| {
                    let shown: String = time.chars().take(64).collect();
                    ErrorObject::invalid_params(format!(
                        "invalid since_timestamp {shown:?}: expected an RFC 3339 time: {error}"
                    ))
                })?
                .as_microsecond(),
            _ => i64::MIN,
        };
        let limit = params.limit.unwrap_or(USUAL).clamp(1, MOST);
        Ok(Self { after: params.since_seq.unwrap_or(0), from, limit })
    }
}

pub(super) fn replay(connection: &Connection, page: &Page) -> rusqlite::Result<AuditReplayResult> {
    let after = i64::try_from(page.after).unwrap_or(i64::MAX);
    let mut select = connection
        .prepare_cached("SELECT seq, event FROM events WHERE seq > ? AND at >= ? ORDER BY seq LIMIT ?")?;
    let mut rows = select
        .query_map(params![after, page.from, i64::from(page.limit) + 1], numbered)?
        .collect::<rusqlite::Result<Vec<_>>>()?;
    let has_more = rows.len() > page.limit as usize;
    rows.truncate(page.limit as usize);
    let next_seq = rows.last().map_or(page.after, |(seq, _)| *seq);
    Ok(AuditReplayResult { events: rows.into_iter().map(|(_, event)| event).collect(), has_more, next_seq })
}

pub(super) fn latest(connection: &Connection, filter: &AuditFilter) -> rusqlite::Result<Vec<AuditEvent>> {
    let mut select = connection.prepare_cached(
        "SELECT seq, event FROM events
         WHERE (?1 IS NULL OR actor_id = ?1) AND (?2 IS NULL OR server_id = ?2)
           AND (?3 IS NULL OR event_type = ?3) AND (?4 IS NULL OR trace_id = ?4)
         ORDER BY seq DESC LIMIT ?5",
    )?;
    let mut events = select
        .query_map(
            params![
                filter.actor_id,
                filter.server_id,
                filter.event_type.as_ref().map(AuditEventType::as_str),
                filter.trace.as_ref().map(TraceId::as_str),
                filter.last,
            ],
            numbered,
        )?
        .map(|row| row.map(|(_, event)| event))
        .collect::<rusqlite::Result<Vec<_>>>()?;
    events.reverse();
    Ok(events)
}

/// An event with its number in `_mgp.seq`.
fn numbered(row: &Row<'_>) -> rusqlite::Result<(u64, AuditEvent)> {
    let broken = |column, error: Box<dyn std::error::Error + Send + Sync>| {
        rusqlite::Error::FromSqlConversionFailure(column, Type::Text, error)
    };
    let seq: i64 = row.get(0)?;
    let seq = u64::try_from(seq).map_err(|error| broken(0, error.into()))?;
    let text = row.get_ref(1)?.as_str().map_err(|error| broken(1, error.into()))?;
    let mut event: AuditEvent = serde_json::from_str(text).map_err(|error| broken(1, error.into()))?;
    let number = RawJson::from_value(&seq).map_err(|error| broken(0, error.into()))?;
    event.mgp.get_or_insert_with(RawObject::new).insert("seq", number);
    Ok((seq, event))
}
