//! Pages over all trails.

use super::{
    AuditDatabase,
    head::TrailRow,
    merge::{ReadEvent, TrailEvents, merge},
};
use crate::audit::log::{
    AuditFilter, AuditPage, AuditPosition,
    page::TrailPosition,
    reader::{Page, name_trail, numbered_event},
};
use mgp_store::{
    StoreError,
    sql::{Connection, Row, Value, params},
};
use mgp_types::{
    audit::{AuditEvent, AuditReplayResult},
    rpc::ErrorObject,
};
use std::{collections::BTreeMap, sync::Arc};

impl AuditDatabase {
    /// Returns the latest events that match a filter, and the position after the newest event of each trail.
    pub(in crate::audit::log) async fn latest_page(
        &self,
        filter: AuditFilter,
    ) -> Result<AuditPage, StoreError> {
        self.database.read_snapshot(move |connection| latest(connection, &filter)).await
    }

    /// Returns the first events after a position that match a filter.
    pub(in crate::audit::log) async fn after(
        &self,
        position: AuditPosition,
        filter: AuditFilter,
    ) -> Result<AuditPage, StoreError> {
        self.database.read_snapshot(move |connection| after(connection, &position, &filter)).await
    }

    /// Returns a page of one trail, oldest first; `None` if the database has no such trail.
    pub(in crate::audit::log) async fn replay(
        &self,
        trail: String,
        page: Page,
    ) -> Result<Option<AuditReplayResult>, ErrorObject> {
        let read = move |connection: &Connection<'_>| replay(connection, &trail, &page);
        self.database.read_snapshot(read).await.map_err(unread)
    }

    /// Returns the ids of at most `most` traces that begin with a text.
    pub(in crate::audit::log) async fn traces(
        &self,
        beginning: &str,
        most: u32,
    ) -> Result<Vec<String>, StoreError> {
        let (first, end) = (beginning.to_owned(), format!("{beginning}{}", char::MAX));
        let read = move |connection: &Connection<'_>| {
            let select = "SELECT DISTINCT trace_id FROM audit_events \
                          WHERE trace_id >= $1 AND trace_id < $2 ORDER BY trace_id LIMIT $3";
            let found = connection.rows(select, &params![first, end, i64::from(most)])?;
            found.iter().map(|row| Ok(row.needed("trace_id").map_err(StoreError::new)?.to_owned())).collect()
        };
        self.database.read(read).await
    }
}

fn latest(connection: &Connection<'_>, filter: &AuditFilter) -> Result<AuditPage, StoreError> {
    let trails = TrailRow::all(connection)?.into_iter().map(|row| {
        let position = TrailPosition { seq: row.head.seq, day: row.head.day };
        (row.trail, position)
    });
    let next = AuditPosition { trails: Arc::new(trails.collect()), ..AuditPosition::default() };
    let rows = if filter.last == 0 {
        Vec::new()
    } else {
        let mut query = Query::new(filter, Vec::new());
        let limit = query.value(i64::from(filter.last).into());
        let order = format!("ORDER BY at DESC, trail DESC, seq DESC LIMIT {limit}");
        query.rows(connection, &order)?
    };
    let read = |row: &Row| numbered(row.needed("trail")?, &read_event(row)?);
    let events: Result<_, String> = rows.iter().rev().map(read).collect();
    Ok(AuditPage { events: events.map_err(StoreError::new)?, next, has_more: false })
}

fn after(
    connection: &Connection<'_>,
    position: &AuditPosition,
    filter: &AuditFilter,
) -> Result<AuditPage, StoreError> {
    let mut positions: BTreeMap<_, _> = (*position.trails).clone();
    let mut trails = Vec::new();
    for row in TrailRow::all(connection)? {
        let position = positions.get(&row.trail).copied().unwrap_or_default();
        if row.head.seq > position.seq {
            trails.push(read_trail(connection, row, position, filter)?);
        }
    }
    let most = usize::try_from(filter.last).unwrap_or(usize::MAX);
    let taken = merge(&mut trails, most);
    let has_more = most > 0 && trails.iter().any(|trail| !trail.events.is_empty() || trail.end.is_none());
    let mut events = Vec::new();
    for (at, event) in &taken {
        let trail = trails.get(*at).map_or("", |trail| &trail.trail);
        events.push(numbered(trail, event).map_err(StoreError::new)?);
    }
    positions.extend(trails.into_iter().map(|trail| (trail.trail, trail.position)));
    let next = AuditPosition { trails: Arc::new(positions), ..AuditPosition::default() };
    Ok(AuditPage { events, next, has_more })
}

fn replay(
    connection: &Connection<'_>,
    trail: &str,
    page: &Page,
) -> Result<Option<AuditReplayResult>, StoreError> {
    if connection.row("SELECT trail FROM audit_trails WHERE trail = $1", &params![trail])?.is_none() {
        return Ok(None);
    }
    let select = "SELECT trail, seq, day, at, event FROM audit_events \
                  WHERE trail = $1 AND seq > $2 AND at >= $3 ORDER BY seq LIMIT $4";
    let rows = connection.rows(select, &params![trail, page.after(), page.from, page.count()])?;
    let read = |row: &Row| {
        let read = read_event(row)?;
        Ok(numbered_event(read.place.seq, Ok(&read.event), None))
    };
    let events: Result<_, String> = rows.iter().map(read).collect();
    let mut answer = page.answer(events.map_err(StoreError::new)?);
    name_trail(&mut answer, trail);
    Ok(Some(answer))
}

/// Reads the first events of a trail after a position.
fn read_trail(
    connection: &Connection<'_>,
    row: TrailRow,
    position: TrailPosition,
    filter: &AuditFilter,
) -> Result<TrailEvents, StoreError> {
    let own = vec![
        ("trail = ", Value::from(row.trail.clone())),
        ("seq > ", position.seq.into()),
        ("day >= ", position.day.into()),
    ];
    let mut query = Query::new(filter, own);
    let limit = query.value(i64::from(filter.last).into());
    let rows = query.rows(connection, &format!("ORDER BY seq LIMIT {limit}"))?;
    let is_whole = rows.len() < usize::try_from(filter.last).unwrap_or(usize::MAX);
    let end = TrailPosition { seq: row.head.seq, day: row.head.day };
    Ok(TrailEvents {
        trail: row.trail,
        events: rows.iter().map(read_event).collect::<Result<_, _>>().map_err(StoreError::new)?,
        position,
        end: is_whole.then_some(end),
    })
}

/// A query of events with conditions.
struct Query {
    conditions: Vec<String>,
    values: Vec<Value<'static>>,
}

impl Query {
    fn new(filter: &AuditFilter, conditions: Vec<(&'static str, Value<'static>)>) -> Self {
        let mut query = Self { conditions: Vec::new(), values: Vec::new() };
        let of_filter = filter.conditions().into_iter().map(|(condition, value)| (condition, owned(value)));
        for (condition, value) in conditions.into_iter().chain(of_filter) {
            let parameter = query.value(value);
            query.conditions.push(format!("{condition}{parameter}"));
        }
        if let Some(place) = &filter.before {
            let trail = query.value(place.trail.clone().unwrap_or_default().into());
            let seq = query.value(i64::try_from(place.seq).unwrap_or(i64::MAX).into());
            query.conditions.push(format!(
                "(at, trail, seq) < (SELECT at, trail, seq FROM audit_events WHERE trail = {trail} AND seq = {seq})"
            ));
        }
        query
    }

    /// Adds a value, and returns its parameter.
    fn value(&mut self, value: Value<'static>) -> String {
        self.values.push(value);
        format!("${}", self.values.len())
    }

    fn rows(&self, connection: &Connection<'_>, order: &str) -> Result<Vec<Row>, StoreError> {
        let conditions = match self.conditions.join(" AND ") {
            none if none.is_empty() => none,
            all => format!("WHERE {all} "),
        };
        let select = format!("SELECT trail, seq, day, at, event FROM audit_events {conditions}{order}");
        connection.rows(&select, &self.values)
    }
}

fn read_event(row: &Row) -> Result<ReadEvent, String> {
    Ok(ReadEvent {
        at: row.needed_integer("at")?,
        place: TrailPosition { seq: row.needed_integer("seq")?, day: row.needed_integer("day")? },
        event: row.needed("event")?.to_owned(),
    })
}

fn numbered(trail: &str, read: &ReadEvent) -> Result<AuditEvent, String> {
    Ok(numbered_event(read.place.seq, Ok(&read.event), Some(trail)).1)
}

fn owned(value: rusqlite::types::Value) -> Value<'static> {
    match value {
        rusqlite::types::Value::Integer(number) => number.into(),
        rusqlite::types::Value::Text(text) => text.into(),
        // Filters have no other values.
        _ => Value::Null,
    }
}

/// Creates the answer to a request for which the database cannot be read.
#[expect(clippy::needless_pass_by_value, reason = "a mapping of errors")]
pub(in crate::audit::log) fn unread(error: StoreError) -> ErrorObject {
    ErrorObject::internal(format!("failed to read the audit trail of the database: {}", error.reason()))
}
