//! The tables of replicas and sessions.

use mgp_store::{sql::Schema, sqlite::Synchronous};

/// The tables of replicas, of their sessions, and of the authority by which they recognize each other.
pub(super) const SCHEMA: Schema = Schema {
    section: "replica",
    synchronous: Synchronous::Normal,
    sqlite: &["
CREATE TABLE replicas (id TEXT NOT NULL PRIMARY KEY, address TEXT NOT NULL, seen_at INTEGER NOT NULL) STRICT;
CREATE TABLE replica_authority (id INTEGER NOT NULL PRIMARY KEY, certificate BLOB NOT NULL, secret BLOB NOT NULL) STRICT;
CREATE TABLE sessions (
    id TEXT NOT NULL PRIMARY KEY,
    owner TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    released INTEGER NOT NULL,
    principal TEXT NOT NULL,
    initialize TEXT,
    level TEXT,
    subscriptions TEXT NOT NULL,
    revision INTEGER NOT NULL,
    opened_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sessions_by_owner ON sessions (owner);
", "
ALTER TABLE replicas ADD COLUMN report TEXT;
ALTER TABLE replicas ADD COLUMN reported_at INTEGER;
"],
    postgres: None,
};
