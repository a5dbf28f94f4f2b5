//! The tables of events.

use rusqlite_migration::{M, Migrations};

/// The table of events. The file assigns `seq`, so all processes share one sequence of numbers, and no number is used twice.
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

/// The columns for filters, which are computed from the event.
const FILTERED: &str = "
ALTER TABLE events ADD COLUMN tool_name TEXT
    GENERATED ALWAYS AS (CASE WHEN json_valid(event) THEN event ->> '$.target.tool_name' END) VIRTUAL;
ALTER TABLE events ADD COLUMN result TEXT
    GENERATED ALWAYS AS (CASE WHEN json_valid(event) THEN event ->> '$.result' END) VIRTUAL;
";

/// A mark that is unique to the file. It distinguishes the file from a later one at the same path, to which the operating system may
/// give the same numbers.
const MARKED: &str = "
CREATE TABLE trail (id TEXT NOT NULL) STRICT;
INSERT INTO trail (id) VALUES (lower(hex(randomblob(16))));
";

/// The table that events are stored in has no index and no computed column, because SQLite computes even a virtual column on insertion.
/// So a transaction writes one or two pages and reads no JSON. Events move to `older_events`, which has
/// indexes, while nobody waits for them. The newest event never moves: SQLite numbers the next one after it.
const SPLIT: &str = "
ALTER TABLE events RENAME TO older_events;
CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    event_type TEXT NOT NULL,
    actor_id TEXT NOT NULL,
    server_id TEXT,
    trace_id TEXT,
    event TEXT NOT NULL
) STRICT;
INSERT INTO events (seq, at, event_type, actor_id, server_id, trace_id, event)
    SELECT seq, at, event_type, actor_id, server_id, trace_id, event FROM older_events ORDER BY seq DESC LIMIT 1;
DELETE FROM older_events WHERE seq IN (SELECT seq FROM events);
CREATE VIEW all_events AS
    SELECT seq, at, event_type, actor_id, server_id, trace_id, tool_name, result, event FROM older_events
    UNION ALL SELECT seq, at, event_type, actor_id, server_id, trace_id,
        CASE WHEN json_valid(event) THEN event ->> '$.target.tool_name' END,
        CASE WHEN json_valid(event) THEN event ->> '$.result' END, event FROM events;
";

/// Each event carries a hash that covers it and the hash of the preceding event. Events from before this version have none; their number
/// is kept. `anchor_seq` and `anchor_hash` are those of the newest event at some time in the last second of the trail. They show whether
/// the
/// end of a trail was cut off.
const CHAINED: &str = "
ALTER TABLE older_events ADD COLUMN hash BLOB;
ALTER TABLE events ADD COLUMN hash BLOB;
ALTER TABLE trail ADD COLUMN unchained INTEGER NOT NULL DEFAULT 0;
ALTER TABLE trail ADD COLUMN anchor_seq INTEGER;
ALTER TABLE trail ADD COLUMN anchor_hash BLOB;
UPDATE trail SET unchained = (SELECT count(*) FROM all_events);
";

/// The number and the hash of the last event that retention removed. Verification begins after it.
const SHORTENED: &str = "
ALTER TABLE trail ADD COLUMN shortened_seq INTEGER;
ALTER TABLE trail ADD COLUMN shortened_hash BLOB;
";

/// The programs to which events are forwarded, and the number of the last event that each has received.
const RECEIVERS: &str =
    "CREATE TABLE receivers (name TEXT PRIMARY KEY, seq INTEGER NOT NULL) STRICT, WITHOUT ROWID;";

/// The writers of journals. `seq` and `hash` are those of the last record of the writer's journal whose event is in the tables, and the next
/// record begins at `position` in the segment `segment`. A writer is `ended` once all its events are in the tables.
const WRITERS: &str = "
CREATE TABLE writers (
    id BLOB PRIMARY KEY,
    seq INTEGER NOT NULL,
    hash BLOB NOT NULL,
    segment INTEGER NOT NULL,
    position INTEGER NOT NULL,
    ended INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
";

/// Moves the events before a number to the table with indexes.
pub(super) const MOVE: [&str; 2] = [
    "INSERT INTO older_events (seq, at, event_type, actor_id, server_id, trace_id, event, hash)
        SELECT seq, at, event_type, actor_id, server_id, trace_id, event, hash FROM events WHERE seq < ?",
    "DELETE FROM events WHERE seq < ?",
];

/// Makes the newest event the anchor, unless the previous anchor is missing.
pub(super) const ANCHOR: &str = "
UPDATE trail SET (anchor_seq, anchor_hash) = (SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1)
WHERE anchor_seq IS NULL
    OR EXISTS (SELECT 1 FROM events WHERE seq = anchor_seq AND hash = anchor_hash)
    OR EXISTS (SELECT 1 FROM older_events WHERE seq = anchor_seq AND hash = anchor_hash)
";

/// Returns the migrations from before the table of events was split.
#[cfg(test)]
pub(super) fn before_the_split() -> Migrations<'static> {
    Migrations::new(vec![M::up(EVENTS), M::up(FILTERED), M::up(MARKED)])
}

pub(super) fn migrations() -> Migrations<'static> {
    Migrations::new(
        [EVENTS, FILTERED, MARKED, SPLIT, CHAINED, SHORTENED, RECEIVERS, WRITERS].map(M::up).to_vec(),
    )
}
