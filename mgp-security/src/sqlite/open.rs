//! Opening a file that several processes share.

use rusqlite::{Connection, ErrorCode};
use rusqlite_migration::Migrations;
use std::{
    fmt,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

/// How long a process waits for another one's transaction.
pub(crate) const BUSY: Duration = Duration::from_secs(5);

/// When a transaction counts as stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Synchronous {
    /// Survives the end of the process.
    Normal,
    /// Survives the loss of power.
    Full,
}

/// Why a file could not be opened.
#[derive(Debug)]
pub(crate) struct OpenError {
    path: PathBuf,
    reason: String,
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "failed to open {}: {}", self.path.display(), self.reason)
    }
}

/// Opens a file in WAL mode and brings its tables up to date.
pub(crate) fn open(
    path: &Path,
    synchronous: Synchronous,
    migrations: &Migrations<'_>,
) -> Result<Connection, OpenError> {
    let give_up = Instant::now() + BUSY;
    loop {
        match try_open(path, synchronous, migrations) {
            Ok(connection) => return Ok(connection),
            // Two processes that make the same file at the same time get in each other's way, and SQLite does not wait
            // by itself while the journal mode changes.
            Err(Failure { busy: true, .. }) if Instant::now() < give_up => {
                thread::sleep(Duration::from_millis(5));
            }
            Err(Failure { reason, .. }) => return Err(OpenError { path: path.to_owned(), reason }),
        }
    }
}

struct Failure {
    busy: bool,
    reason: String,
}

fn try_open(
    path: &Path,
    synchronous: Synchronous,
    migrations: &Migrations<'_>,
) -> Result<Connection, Failure> {
    let mut connection = Connection::open(path)?;
    connection.busy_timeout(BUSY)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    let synchronous = match synchronous {
        Synchronous::Normal => "NORMAL",
        Synchronous::Full => "FULL",
    };
    connection.pragma_update(None, "synchronous", synchronous)?;
    migrations.to_latest(&mut connection)?;
    Ok(connection)
}

/// Whether another connection's transaction is in the way.
pub(crate) fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self { busy: is_busy(&error), reason: error.to_string() }
    }
}

impl From<rusqlite_migration::Error> for Failure {
    fn from(error: rusqlite_migration::Error) -> Self {
        match error {
            rusqlite_migration::Error::RusqliteError { err, .. } => err.into(),
            other => Self { busy: false, reason: other.to_string() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite_migration::M;

    #[test]
    fn an_older_file_is_brought_up_to_date_and_a_newer_one_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.sqlite3");
        let first = M::up("CREATE TABLE a (x INTEGER); INSERT INTO a VALUES (7);");
        let second = M::up("ALTER TABLE a ADD COLUMN y INTEGER NOT NULL DEFAULT 8;");
        let (old, new) = (Migrations::new(vec![first.clone()]), Migrations::new(vec![first, second]));
        drop(open(&path, Synchronous::Normal, &old).unwrap());
        let row = |connection: &Connection| {
            connection.query_row("SELECT x, y FROM a", [], |row| Ok((row.get(0)?, row.get(1)?)))
        };
        let connection = open(&path, Synchronous::Normal, &new).unwrap();
        assert_eq!(row(&connection), Ok((7, 8)));
        drop(connection);
        let error = open(&path, Synchronous::Normal, &old).unwrap_err().to_string();
        assert!(error.starts_with(&format!("failed to open {}: ", path.display())), "{error}");
        assert_eq!(row(&Connection::open(&path).unwrap()), Ok((7, 8)));
    }
}
