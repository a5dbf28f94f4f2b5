//! Locks of a section or of its subjects: rows that a transaction locks until it ends.
//!
//! They replace advisory locks, which not every database that speaks PostgreSQL's protocol has.

use super::connection::PostgresConnection;
use crate::{StoreError, sql::params};
use std::collections::BTreeSet;

/// The number of locks that the subjects of a section share.
const LOCKS: i64 = 64;

/// The tables of the sections' versions and locks.
pub(super) const TABLES: [&str; 2] = [
    "CREATE TABLE IF NOT EXISTS mgp_sections (section TEXT PRIMARY KEY, tables BIGINT NOT NULL, version BIGINT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS mgp_locks (section TEXT NOT NULL, lock BIGINT NOT NULL, PRIMARY KEY (section, lock))",
];

/// Adds the rows of a section.
pub(super) fn add(connection: &PostgresConnection<'_>, section: &str) -> Result<(), StoreError> {
    connection.execute(
        "INSERT INTO mgp_sections (section, tables, version) VALUES ($1, 0, 0) ON CONFLICT (section) DO NOTHING",
        &params![section],
    )?;
    let rows: Vec<_> = (0..LOCKS).map(|lock| format!("($1, {lock})")).collect();
    let sql = format!(
        "INSERT INTO mgp_locks (section, lock) VALUES {} ON CONFLICT (section, lock) DO NOTHING",
        rows.join(", ")
    );
    connection.execute(&sql, &params![section]).map(drop)
}

/// Locks a whole section, and gives it another version.
pub(super) fn lock_section(connection: &PostgresConnection<'_>, section: &str) -> Result<(), StoreError> {
    let sql = "UPDATE mgp_sections SET version = version + 1 WHERE section = $1";
    match connection.execute(sql, &params![section])? {
        0 => Err(StoreError::new(format!("the database has lost the section {section:?} of mgp_sections"))),
        _ => Ok(()),
    }
}

/// Locks the rows of some subjects. All transactions lock in the same order, so none waits for one that waits for it.
pub(super) fn lock_subjects(
    connection: &PostgresConnection<'_>,
    section: &str,
    subjects: &[String],
) -> Result<(), StoreError> {
    let locks: BTreeSet<i64> = subjects.iter().map(|subject| lock_of(subject)).collect();
    for lock in locks {
        let sql = "SELECT lock FROM mgp_locks WHERE section = $1 AND lock = $2 FOR UPDATE";
        if connection.rows(sql, &params![section, lock])?.is_empty() {
            let problem =
                format!("the database has lost the lock {lock} of section {section:?} in mgp_locks");
            return Err(StoreError::new(problem));
        }
    }
    Ok(())
}

/// Returns the lock of a subject. Every version of this program has to return the same one.
fn lock_of(subject: &str) -> i64 {
    // FNV-1a, which needs no dependency and is fixed.
    let hash = subject.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    (hash % LOCKS.unsigned_abs()).cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_keeps_its_lock() {
        assert_eq!(["", "agent", "agent-2"].map(lock_of), [37, 38, 25]);
    }
}
