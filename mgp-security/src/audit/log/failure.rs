//! The failure of a write.

use super::connections::WriteConnection;
use mgp_store::sqlite::is_busy;
use rusqlite::ErrorCode;

/// The failure of a write.
#[derive(Debug)]
pub(super) struct Failure {
    /// True if another process has locked the file.
    pub(super) busy: bool,
    pub(super) reason: String,
}

impl Failure {
    /// Returns the failure of a statement, and closes the connection if it is of no further use.
    pub(super) fn of(error: &rusqlite::Error, writing: &mut WriteConnection) -> Self {
        if is_broken(error) {
            writing.close();
        }
        Self { busy: is_busy(error), reason: error.to_string() }
    }

    /// Returns the failure to read or write a file of a journal.
    pub(super) fn of_journal(error: &impl std::fmt::Display) -> Self {
        format!("the journal of the audit trail failed: {error}").into()
    }
}

impl From<String> for Failure {
    fn from(reason: String) -> Self {
        Self { busy: false, reason }
    }
}

/// Returns `true` if the connection is of no further use after this error.
fn is_broken(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(
            ErrorCode::SystemIoFailure
                | ErrorCode::DatabaseCorrupt
                | ErrorCode::NotADatabase
                | ErrorCode::CannotOpen
                | ErrorCode::ReadOnly
        )
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_persistent_error_breaks_the_connection() {
        let error = |code| rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(code), None);
        for (code, expected) in [
            (rusqlite::ffi::SQLITE_CORRUPT, true),
            (rusqlite::ffi::SQLITE_IOERR, true),
            (rusqlite::ffi::SQLITE_READONLY, true),
            (rusqlite::ffi::SQLITE_BUSY, false),
            (rusqlite::ffi::SQLITE_FULL, false),
            (rusqlite::ffi::SQLITE_CONSTRAINT, false),
        ] {
            assert_eq!(is_broken(&error(code)), expected, "{code}");
        }
    }
}
