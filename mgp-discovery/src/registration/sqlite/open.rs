//! Opens the file. Each section has a file of its own, and with it the few lines that open it.

use rusqlite::{Connection, ErrorCode};
use rusqlite_migration::Migrations;
use std::{
    path::Path,
    thread,
    time::{Duration, Instant},
};

/// The time limit for waiting for another process's transaction.
const BUSY: Duration = Duration::from_secs(5);

/// Opens a file in WAL mode and brings its tables up to date. Stored rows survive a loss of power.
pub(super) fn open(path: &Path, migrations: &Migrations<'_>) -> Result<Connection, String> {
    let give_up = Instant::now() + BUSY;
    loop {
        match try_open(path, migrations) {
            Ok(connection) => return Ok(connection),
            // SQLite does not wait by itself while two processes create the same file.
            Err(failure) if failure.busy && Instant::now() < give_up => {
                thread::sleep(Duration::from_millis(5));
            }
            Err(failure) => return Err(format!("failed to open {}: {}", path.display(), failure.reason)),
        }
    }
}

struct Failure {
    busy: bool,
    reason: String,
}

fn try_open(path: &Path, migrations: &Migrations<'_>) -> Result<Connection, Failure> {
    let mut connection = Connection::open(path)?;
    connection.busy_timeout(BUSY)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    migrations.to_latest(&mut connection)?;
    Ok(connection)
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        let busy =
            matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked));
        Self { busy, reason: error.to_string() }
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
