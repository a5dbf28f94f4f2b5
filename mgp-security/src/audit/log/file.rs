//! The file of the trail: opening it, and telling whether another one stands in its place.

use super::schema::migrations;
use crate::sqlite::{BUSY, Synchronous, open};
use rusqlite::Connection;
use std::{
    fs::{self, File, TryLockError},
    io::ErrorKind,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

/// The pause between two tries to lock the file.
const LOCK_PAUSE: Duration = Duration::from_millis(5);

/// The path of the trail, and how safely it is written.
#[derive(Debug)]
pub(super) struct TrailFile {
    path: PathBuf,
    synchronous: Synchronous,
}

/// Identifies a file among those that stand at a path one after another, as long as it is open: after that, its number may be given
/// to another one. Where the operating system gives no numbers, all of them count as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileId(u64, u64);

/// The connections to a file.
pub(super) struct Connected {
    pub(super) writing: Connection,
    pub(super) reading: Connection,
    pub(super) id: FileId,
    /// The mark in the file.
    pub(super) mark: String,
    /// The number of the last event that was ever stored in it.
    pub(super) last_seq: i64,
}

impl TrailFile {
    pub(super) fn new(path: &Path, synchronous: Synchronous) -> Self {
        Self { path: path.to_owned(), synchronous }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the identity of the file that stands at the path, where there is one.
    pub(super) fn id(&self) -> Option<FileId> {
        let found = fs::metadata(&self.path).ok()?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            Some(FileId(found.dev(), found.ino()))
        }
        #[cfg(not(unix))]
        {
            let _ = found;
            Some(FileId(0, 0))
        }
    }

    /// Opens the file, and makes it where it is missing. The process must have no other connection to a file at this path: SQLite
    /// would share what lies beside the old file with the new one.
    pub(super) fn connect(&self) -> Result<Connected, String> {
        let _turn = self.turn()?;
        if self.id().is_none() {
            // Left of a file that was removed; they would be taken for the new one's.
            for end in ["-wal", "-shm"] {
                let beside = self.beside(end);
                match fs::remove_file(&beside) {
                    Err(error) if error.kind() != ErrorKind::NotFound => {
                        return Err(format!("failed to remove {}: {error}", beside.display()));
                    }
                    _ => {}
                }
            }
        }
        let connect = || open(&self.path, self.synchronous, &migrations()).map_err(|error| error.to_string());
        let (writing, reading) = (connect()?, connect()?);
        // Moving the log waits for the disk, so the writer's thread does it, and nobody who happens to come then.
        writing.pragma_update(None, "wal_autocheckpoint", 0).map_err(|error| error.to_string())?;
        let last_seq = writing
            .query_row("SELECT max(seq) FROM sqlite_sequence WHERE name = 'events'", [], |row| row.get(0))
            .map_err(|error| error.to_string())?;
        let mark = writing
            .query_row("SELECT id FROM trail", [], |row| row.get(0))
            .map_err(|error| error.to_string())?;
        let id = self.id().ok_or_else(|| format!("{} was removed", self.path.display()))?;
        Ok(Connected { writing, reading, id, mark, last_seq: Option::unwrap_or_default(last_seq) })
    }

    /// Waits until no other process opens the file, and keeps others from it until the value is dropped.
    fn turn(&self) -> Result<Option<File>, String> {
        let path = self.beside(".lock");
        // Where that is not possible, opening the trail says why.
        let Ok(file) = File::options().create(true).append(true).open(&path) else { return Ok(None) };
        let failed = |reason: &str| format!("failed to lock {}: {reason}", path.display());
        let give_up = Instant::now() + BUSY;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Some(file)),
                Err(TryLockError::WouldBlock) if Instant::now() < give_up => thread::sleep(LOCK_PAUSE),
                Err(TryLockError::WouldBlock) => return Err(failed("another process holds it")),
                // Such a file system has no locks; SQLite's own are what is left.
                Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(failed(&error.to_string())),
            }
        }
    }

    fn beside(&self, end: &str) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        name.push(end);
        name.into()
    }
}
