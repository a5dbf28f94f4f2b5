//! The table of notes, and its version.

use super::NotesError;
use rusqlite::{Connection, TransactionBehavior};

/// Each step migrates from the version before it, and the first one from an empty file.
const STEPS: &[&str] = &["
CREATE TABLE notes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    title TEXT NOT NULL,
    text TEXT NOT NULL
) STRICT;
"];

/// Migrates a file to the current version.
pub(super) fn migrate(connection: &mut Connection) -> Result<(), NotesError> {
    let known = i64::try_from(STEPS.len()).unwrap_or(i64::MAX);
    // The write lock is taken at once, so that only one of two processes migrates.
    let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found: i64 = change.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    let done = usize::try_from(found).ok().filter(|done| *done <= STEPS.len());
    let done = done.ok_or(NotesError::Version { found, known })?;
    for step in &STEPS[done..] {
        change.execute_batch(step)?;
    }
    change.pragma_update(None, "user_version", known)?;
    Ok(change.commit()?)
}
