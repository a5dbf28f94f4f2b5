//! The table of events.

use rusqlite_migration::{M, Migrations};

/// `seq` comes from the file, so it is one row of numbers for all processes, and a number never comes again.
/// `at` is in microseconds since 1970.
const EVENTS: &str = "
CREATE TABLE IF NOT EXISTS events (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    event_type TEXT NOT NULL,
    actor_id TEXT NOT NULL,
    server_id TEXT,
    trace_id TEXT,
    event TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS events_by_time ON events (at);
CREATE INDEX IF NOT EXISTS events_by_trace ON events (trace_id) WHERE trace_id IS NOT NULL;
";

pub(super) fn migrations() -> Migrations<'static> {
    Migrations::new(vec![M::up(EVENTS)])
}
