//! The tables of all trails.

use mgp_store::{
    sql::{Database, DayTable, Schema, SqlStore},
    sqlite::Synchronous,
};
use parking_lot::Mutex;
use std::{collections::BTreeSet, sync::Arc};

/// The audit trails of several machines in one database. Clones share it.
#[derive(Debug, Clone)]
pub struct AuditDatabase {
    pub(super) database: Database,
    /// Days that exist, as far as this process knows.
    pub(super) days: Arc<Mutex<BTreeSet<i64>>>,
}

/// The table of events.
pub(super) const EVENTS: DayTable = DayTable { name: "audit_events", days: "audit_days" };

impl AuditDatabase {
    /// Returns the database, to read from it.
    pub(in crate::audit::log) const fn reading(&self) -> &Database {
        &self.database
    }
}

impl SqlStore for AuditDatabase {
    /// The heads of the trails, the days, and the events. `day` is the number of the day since 1970, and never decreases within a trail.
    /// `shortened_seq` and `shortened_hash` are those of the last event that was removed, and `unchained` is the number of events without a hash.
    /// PostgreSQL needs the day in the primary key.
    const SCHEMA: &'static Schema = &Schema {
        section: "audit",
        synchronous: Synchronous::Normal,
        sqlite: &["
CREATE TABLE audit_trails (
    trail TEXT NOT NULL PRIMARY KEY,
    seq INTEGER NOT NULL,
    hash BLOB,
    day INTEGER NOT NULL,
    unchained INTEGER NOT NULL,
    shortened_seq INTEGER NOT NULL,
    shortened_hash BLOB
) STRICT, WITHOUT ROWID;
CREATE TABLE audit_days (day INTEGER NOT NULL PRIMARY KEY) STRICT;
CREATE TABLE audit_events (
    trail TEXT NOT NULL,
    seq INTEGER NOT NULL,
    day INTEGER NOT NULL,
    at INTEGER NOT NULL,
    event_type TEXT NOT NULL,
    actor_id TEXT NOT NULL,
    server_id TEXT,
    trace_id TEXT,
    tool_name TEXT,
    result TEXT,
    event TEXT NOT NULL,
    raw BLOB,
    hash BLOB,
    PRIMARY KEY (trail, seq, day)
) STRICT, WITHOUT ROWID;
CREATE INDEX audit_events_by_time ON audit_events (at, trail, seq);
CREATE INDEX audit_events_by_trace ON audit_events (trace_id);
"],
        postgres: Some(&["
CREATE TABLE audit_trails (
    trail TEXT COLLATE \"C\" NOT NULL PRIMARY KEY,
    seq BIGINT NOT NULL,
    hash BYTEA,
    day BIGINT NOT NULL,
    unchained BIGINT NOT NULL,
    shortened_seq BIGINT NOT NULL,
    shortened_hash BYTEA
);
CREATE TABLE audit_days (day BIGINT NOT NULL PRIMARY KEY);
CREATE TABLE audit_events (
    trail TEXT COLLATE \"C\" NOT NULL,
    seq BIGINT NOT NULL,
    day BIGINT NOT NULL,
    at BIGINT NOT NULL,
    event_type TEXT NOT NULL,
    actor_id TEXT NOT NULL,
    server_id TEXT,
    trace_id TEXT COLLATE \"C\",
    tool_name TEXT,
    result TEXT,
    event TEXT NOT NULL,
    raw BYTEA,
    hash BYTEA,
    PRIMARY KEY (trail, seq, day)
) PARTITION BY RANGE (day);
CREATE INDEX audit_events_by_time ON audit_events (at, trail, seq);
CREATE INDEX audit_events_by_trace ON audit_events (trace_id);
"]),
    };

    fn new(database: Database) -> Self {
        Self { database, days: Arc::default() }
    }
}
