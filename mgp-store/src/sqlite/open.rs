//! Opens a file that several processes share.

use super::{Turn, lock_timeout};
use crate::{StoreError, private_file::PrivateFile};
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};
use rusqlite_migration::Migrations;
use std::{
    fmt,
    io::{self, ErrorKind},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

/// The durability of a committed transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Synchronous {
    /// The transaction survives the end of the process.
    Normal,
    /// The transaction survives the loss of power.
    Full,
}

/// The error returned when a file cannot be opened.
#[derive(Debug)]
pub struct OpenError {
    path: PathBuf,
    reason: String,
}

impl From<OpenError> for StoreError {
    fn from(error: OpenError) -> Self {
        Self::new(error.to_string())
    }
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "failed to open {}: {}", self.path.display(), self.reason)
    }
}

/// Opens a file in WAL mode and migrates its tables. Only one process at a time migrates a file, because the pending
/// migrations are read before the transaction that runs them.
///
/// # Errors
/// [`OpenError`], which names the file.
pub fn open(
    path: &Path,
    synchronous: Synchronous,
    migrations: &Migrations<'_>,
) -> Result<Connection, OpenError> {
    open_with(path, |path| {
        let mut connection = connect(path, synchronous)?;
        if migrations.pending_migrations(&connection)? != 0 {
            let _turn = Turn::at(path).map_err(|reason| Failure { busy: false, reason })?;
            migrate(&mut connection, migrations)?;
        }
        Ok(connection)
    })
}

/// Opens a file as [`open`] does, for a caller that already has its turn at the file.
///
/// # Errors
/// [`OpenError`].
pub fn open_in_turn(
    path: &Path,
    _turn: &Turn,
    synchronous: Synchronous,
    migrations: &Migrations<'_>,
) -> Result<Connection, OpenError> {
    open_with(path, |path| {
        let mut connection = connect(path, synchronous)?;
        migrate(&mut connection, migrations)?;
        Ok(connection)
    })
}

fn open_with(
    path: &Path,
    try_open: impl Fn(&Path) -> Result<Connection, Failure>,
) -> Result<Connection, OpenError> {
    let give_up = Instant::now() + lock_timeout();
    loop {
        match try_open(path) {
            Ok(connection) => return Ok(connection),
            // Two processes that create the same file at the same time conflict, and SQLite does not wait
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

fn connect(path: &Path, synchronous: Synchronous) -> Result<Connection, Failure> {
    make_private(path)?;
    let connection = open_file(path)?;
    connection.busy_timeout(lock_timeout())?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    let synchronous = match synchronous {
        Synchronous::Normal => "NORMAL",
        Synchronous::Full => "FULL",
    };
    connection.pragma_update(None, "synchronous", synchronous)?;
    Ok(connection)
}

/// Opens a file. Refuses a symbolic link that replaced the file after the check in [`make_private`].
fn open_file(path: &Path) -> rusqlite::Result<Connection> {
    Connection::open_with_flags(in_real_folder(path), OpenFlags::default() | OpenFlags::SQLITE_OPEN_NOFOLLOW)
}

/// Returns the path with the links in its folder resolved. SQLite would refuse these links too, and a folder such as `/tmp` or a home may
/// well be one.
fn in_real_folder(path: &Path) -> PathBuf {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    match (folder.canonicalize(), path.file_name()) {
        // On other platforms SQLite has no notion of links, and a canonical path has a special form.
        (Ok(folder), Some(name)) if cfg!(unix) => folder.join(name),
        // SQLite reports the problem with the folder.
        _ => path.to_owned(),
    }
}

/// Creates the file as private before SQLite would create it with access for everyone, and removes access that an earlier version left open.
/// Refuses a file of another account and a symbolic link.
fn make_private(path: &Path) -> Result<(), Failure> {
    let refused = |error: io::Error| Failure { busy: false, reason: error.to_string() };
    match PrivateFile::new(path).create() {
        // SQLite reports the problem with the folder.
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(()),
        created => created.map_err(refused)?,
    }
    for end in ["-wal", "-shm"] {
        let mut beside = path.to_owned().into_os_string();
        beside.push(end);
        // SQLite creates and removes this file while other processes start and stop.
        match PrivateFile::new(beside).make_private() {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(refused(error)),
            _ => {}
        }
    }
    Ok(())
}

fn migrate(connection: &mut Connection, migrations: &Migrations<'_>) -> Result<(), Failure> {
    // Immediate, so that the migration waits for the writes of another process.
    connection.set_transaction_behavior(TransactionBehavior::Immediate);
    migrations.to_latest(connection)?;
    connection.set_transaction_behavior(TransactionBehavior::Deferred);
    Ok(())
}

/// Returns `true` if a transaction of another connection blocks this one.
pub fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

/// Returns the text of an error. If another process caused it, the text names the time limit.
pub(crate) fn reason(error: &rusqlite::Error) -> String {
    if is_busy(error) {
        return format!(
            "another process is writing the file, for longer than {:?} (kernel.lock_timeout_ms): {error}",
            lock_timeout()
        );
    }
    error.to_string()
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self { busy: is_busy(&error), reason: reason(&error) }
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
    use crate::sqlite::set_lock_timeout;
    use rusqlite_migration::M;

    #[test]
    fn an_older_file_is_migrated_and_a_newer_one_left_alone() {
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

    #[cfg(unix)]
    #[test]
    fn only_the_user_can_read_a_file_even_if_it_was_open() {
        use std::{fs, os::unix::fs::PermissionsExt};
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.sqlite3");
        let migrations = Migrations::new(vec![M::up("CREATE TABLE a (x INTEGER);")]);
        let first = open(&path, Synchronous::Normal, &migrations).unwrap();
        let files = ["", "-wal", "-shm"].map(|end| folder.path().join(format!("state.sqlite3{end}")));
        let modes = || files.each_ref().map(|file| fs::metadata(file).unwrap().permissions().mode() & 0o777);
        assert_eq!(modes(), [0o600; 3]);
        for file in &files {
            fs::set_permissions(file, fs::Permissions::from_mode(0o644)).unwrap();
        }
        let _second = open(&path, Synchronous::Normal, &migrations).unwrap();
        assert_eq!(modes(), [0o600; 3]);
        drop(first);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_instead_of_a_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let migrations = Migrations::new(vec![M::up("CREATE TABLE a (x INTEGER);")]);
        let (theirs, link) = (folder.path().join("theirs.sqlite3"), folder.path().join("state.sqlite3"));
        std::os::unix::fs::symlink(&theirs, &link).unwrap();
        let error = open(&link, Synchronous::Normal, &migrations).unwrap_err().to_string();
        assert!(error.contains("state.sqlite3 is a symbolic link"), "{error}");
        assert!(!theirs.exists());
    }

    #[cfg(unix)]
    #[test]
    fn sqlite_itself_refuses_a_link_but_not_one_above_its_folder() {
        use std::os::unix::fs::symlink;
        let parent = tempfile::tempdir().unwrap();
        let (folder, linked) = (parent.path().join("folder"), parent.path().join("linked"));
        std::fs::create_dir(&folder).unwrap();
        symlink(&folder, &linked).unwrap();
        let migrations = Migrations::new(vec![M::up("CREATE TABLE a (x INTEGER);")]);
        drop(open(&linked.join("real.sqlite3"), Synchronous::Normal, &migrations).unwrap());
        symlink(folder.join("real.sqlite3"), folder.join("state.sqlite3")).unwrap();
        let error = open_file(&folder.join("state.sqlite3")).unwrap_err();
        assert_eq!(error.sqlite_error_code(), Some(ErrorCode::CannotOpen), "{error}");
    }

    /// Opens a file as many processes that start at once, and returns the number of rows that each of them finds in `a`.
    fn open_at_once(path: &Path, migrations: &Migrations<'_>) -> Vec<Result<i64, String>> {
        let ready = std::sync::Barrier::new(16);
        thread::scope(|scope| {
            let open = || {
                ready.wait();
                let connection =
                    open(path, Synchronous::Normal, migrations).map_err(|error| error.to_string())?;
                connection
                    .query_row("SELECT count(*) FROM a", [], |row| row.get(0))
                    .map_err(|error| error.to_string())
            };
            let threads: Vec<_> = (0..16).map(|_| scope.spawn(open)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        })
    }

    #[test]
    fn concurrent_opens_migrate_once_and_all_succeed() {
        // On a busy machine, the turns of fifteen others take longer than the usual limit.
        set_lock_timeout(Duration::from_secs(120));
        // Both can run twice, and the second one must not.
        let first = M::up("CREATE TABLE IF NOT EXISTS a (x INTEGER); INSERT INTO a VALUES (7);");
        let second = M::up("INSERT INTO a VALUES (8);");
        let third = M::up("CREATE TABLE b (y INTEGER);");
        let old = Migrations::new(vec![first.clone()]);
        let new = Migrations::new(vec![first, second, third]);
        for round in 0..5 {
            let folder = tempfile::tempdir().unwrap();
            let (fresh, older) = (folder.path().join("fresh.sqlite3"), folder.path().join("older.sqlite3"));
            drop(open(&older, Synchronous::Normal, &old).unwrap());
            for path in [fresh, older] {
                let found = open_at_once(&path, &new);
                assert!(
                    found.iter().all(|rows| *rows == Ok(2)),
                    "round {round}, {}: {found:?}",
                    path.display()
                );
            }
        }
    }
}
