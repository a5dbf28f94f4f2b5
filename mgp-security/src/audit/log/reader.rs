//! Reads pages of the trail.

use super::{
    AuditFilter, AuditPage, AuditPosition,
    connections::Reader,
    ordered::{numbers_of_times, ordered},
};
use crate::audit::EventDraft;
use jiff::Timestamp;
use mgp_types::{
    audit::{AuditEvent, AuditEventType, AuditReplayParams, AuditReplayResult, AuditResult},
    context::{ActorType, Principal},
    json::{Nullable, RawJson, RawObject},
    rpc::ErrorObject,
};
use rusqlite::{Connection, Row, params, params_from_iter, types::Value};

/// The most events that one answer holds.
const MOST: u32 = 1000;
/// The number of events that one answer holds if the request names none.
const USUAL: u32 = 100;

/// The page of events that `mgp/audit/replay` requests.
pub(super) struct Page {
    after: u64,
    /// The earliest time in microseconds since 1970.
    pub(super) from: i64,
    limit: u32,
}

impl Page {
    pub(super) fn from_number(seq: u64, limit: u32) -> Self {
        Self { after: seq, from: i64::MIN, limit }
    }

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

    /// Returns the number of events to read: one more than the page holds shows that there are more.
    pub(super) fn count(&self) -> i64 {
        i64::from(self.limit) + 1
    }

    /// Returns the number after which the page begins.
    pub(super) fn after(&self) -> i64 {
        i64::try_from(self.after).unwrap_or(i64::MAX)
    }

    /// Returns the answer that has the first of the events that were read, each with its number.
    pub(super) fn answer(&self, mut read: Vec<(u64, AuditEvent)>) -> AuditReplayResult {
        let has_more = read.len() > self.limit as usize;
        read.truncate(self.limit as usize);
        let next_seq = read.last().map_or(self.after, |(seq, _)| *seq);
        let events = read.into_iter().map(|(_, event)| event).collect();
        AuditReplayResult { events, has_more, next_seq, trail: None }
    }
}

pub(super) fn replay(connection: &Connection, page: &Page) -> rusqlite::Result<AuditReplayResult> {
    let sql = ordered("seq, event", "seq > ?1 AND at >= ?2", "", "seq LIMIT ?3");
    let mut select = connection.prepare_cached(&sql)?;
    let read = select.query_map(params![page.after(), page.from, page.count()], numbered)?;
    Ok(page.answer(read.collect::<rusqlite::Result<_>>()?))
}

/// Notes the trail that events and their numbers belong to, which is one of several.
pub(super) fn name_trail(answer: &mut AuditReplayResult, trail: &str) {
    for event in &mut answer.events {
        event.mgp.get_or_insert_with(RawObject::new).insert("trail", RawJson::string(trail));
    }
    answer.trail = Some(trail.to_owned());
}

/// Reads the latest events that match a filter, and the position after the newest event of the trail.
pub(super) fn latest(mut reader: Reader<'_>, filter: &AuditFilter) -> rusqlite::Result<AuditPage> {
    let generation = reader.generation;
    let reading = reader.snapshot()?;
    let newest = newest(&reading)?;
    let mut events: Vec<_> =
        select(&reading, filter, "DESC", None)?.into_iter().map(|(_, event)| event).collect();
    events.reverse();
    let next = AuditPosition { generation, seq: newest, ..AuditPosition::default() };
    Ok(AuditPage { events, next, has_more: false })
}

/// Reads the ids of traces that begin with a text. The upper bound is the text with the last Unicode character after it.
pub(super) fn traces(mut reader: Reader<'_>, beginning: &str, most: u32) -> rusqlite::Result<Vec<String>> {
    let reading = reader.snapshot()?;
    let mut select = reading.prepare_cached(
        "SELECT DISTINCT trace_id FROM all_events WHERE trace_id >= ?1 AND trace_id < ?1 || char(1114111) ORDER BY trace_id LIMIT ?2",
    )?;
    let found = select.query_map(params![beginning, i64::from(most)], |row| row.get(0))?;
    found.collect()
}

/// Reads the first events after a position that match a filter.
pub(super) fn after(
    mut reader: Reader<'_>,
    position: &AuditPosition,
    filter: &AuditFilter,
) -> rusqlite::Result<AuditPage> {
    let generation = reader.generation;
    let reading = reader.snapshot()?;
    // All events of another file are new.
    let seq = if position.generation == generation { position.seq } else { 0 };
    let newest = newest(&reading)?;
    let found = select(&reading, filter, "ASC", Some(seq))?;
    let has_more = filter.last > 0 && found.len() >= filter.last as usize;
    let last = found.last().and_then(|(seq, _)| i64::try_from(*seq).ok());
    let seq = if has_more { last.unwrap_or(seq) } else { newest.max(seq) };
    let events = found.into_iter().map(|(_, event)| event).collect();
    let next = AuditPosition { generation, seq, ..AuditPosition::default() };
    Ok(AuditPage { events, next, has_more })
}

fn newest(reading: &Connection) -> rusqlite::Result<i64> {
    reading.prepare_cached("SELECT ifnull(max(seq), 0) FROM events")?.query_row([], |row| row.get(0))
}

/// Reads the events that match a filter, after the number `after` if there is one.
fn select(
    reading: &Connection,
    filter: &AuditFilter,
    order: &str,
    after: Option<i64>,
) -> rusqlite::Result<Vec<(u64, AuditEvent)>> {
    let before = filter.before.as_ref().map(|place| i64::try_from(place.seq).unwrap_or(i64::MAX));
    let bounds = [("seq > ", after), ("seq < ", before)];
    let mut conditions = filter.conditions();
    conditions
        .extend(bounds.into_iter().filter_map(|(condition, seq)| Some((condition, Value::Integer(seq?)))));
    let (clauses, mut values): (Vec<_>, Vec<_>) = conditions.into_iter().unzip();
    let clauses: Vec<_> =
        clauses.into_iter().zip(1_usize..).map(|(clause, number)| format!("{clause}?{number}")).collect();
    let older = numbers_of_times(&clauses);
    let clauses = if clauses.is_empty() { "1".to_owned() } else { clauses.join(" AND ") };
    values.push(Value::Integer(filter.last.into()));
    let sql = ordered("seq, event", &clauses, &older, &format!("seq {order} LIMIT ?{}", values.len()));
    reading.prepare_cached(&sql)?.query_map(params_from_iter(values), numbered)?.collect()
}

/// Reads an event with its number.
fn numbered(row: &Row<'_>) -> rusqlite::Result<(u64, AuditEvent)> {
    let text = row.get_ref(1)?.as_str().map_err(|error| error.to_string());
    Ok(numbered_event(row.get(0)?, text, None))
}

/// Reads an event, with its number in `_mgp.seq`, and the id of its trail in `_mgp.trail` if the trail is one of several. An event that cannot
/// be read is replaced by an event that reports this, so that the others can still be read.
pub(super) fn numbered_event(seq: i64, text: Result<&str, String>, trail: Option<&str>) -> (u64, AuditEvent) {
    let read =
        text.and_then(|text| serde_json::from_str::<AuditEvent>(text).map_err(|error| error.to_string()));
    let mut event = read.unwrap_or_else(|problem| unreadable(&problem));
    // A negative number counts as 0.
    let seq = u64::try_from(seq).unwrap_or_default();
    let mgp = event.mgp.get_or_insert_with(RawObject::new);
    if let Ok(number) = RawJson::from_value(&seq) {
        mgp.insert("seq", number);
    }
    if let Some(trail) = trail {
        mgp.insert("trail", RawJson::string(trail));
    }
    (seq, event)
}

/// The type of the event that replaces one that cannot be read.
const EVENT_UNREADABLE: &str = "dev.cloto.mgp.EVENT_UNREADABLE";

fn unreadable(problem: &str) -> AuditEvent {
    let kernel = Principal::new("kernel", ActorType::Kernel, false);
    let event = EventDraft::new(AuditEventType::from(EVENT_UNREADABLE), &kernel)
        .result(AuditResult::Failure)
        .detail("reason", problem);
    // The time and the trace of the original event are unknown.
    AuditEvent { timestamp: Timestamp::UNIX_EPOCH.to_string(), trace_id: Nullable::Absent, ..event.finish() }
}
