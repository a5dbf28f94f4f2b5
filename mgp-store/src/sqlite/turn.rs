//! Exclusive turns of processes at one file.

use super::lock_timeout;
use crate::private_file::FileLock;
use std::{io::ErrorKind, path::Path, time::Duration};

/// An exclusive turn at a file. Until the turn is dropped, nobody else has one, in this process or in another.
///
/// The lock is on a second file, whose name has `.lock` appended, because SQLite's own locks end with a transaction.
#[derive(Debug)]
pub struct Turn {
    _lock: Option<FileLock>,
}

impl Turn {
    /// Waits until nobody else has a turn at the file. If the file system has no locks, or if the lock file cannot be created, only
    /// SQLite's own locks protect the file.
    ///
    /// # Errors
    /// The reason, if another process keeps its turn for longer than [`lock_timeout`], or if the lock file cannot be locked.
    pub fn at(path: &Path) -> Result<Self, String> {
        Self::within(path, lock_timeout())
    }

    fn within(path: &Path, limit: Duration) -> Result<Self, String> {
        let mut name = path.to_owned().into_os_string();
        name.push(".lock");
        match FileLock::acquire(Path::new(&name), limit) {
            Ok(lock) => Ok(Self { _lock: Some(lock) }),
            Err(error) if is_without_locks(error.kind()) => Ok(Self { _lock: None }),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// Returns whether an error means that the file system has no locks, or that the lock file cannot be created. In the second case,
/// opening the database next to it reports the reason.
fn is_without_locks(kind: ErrorKind) -> bool {
    use ErrorKind::{
        NotADirectory, NotFound, PermissionDenied, ReadOnlyFilesystem, StorageFull, Unsupported,
    };
    matches!(
        kind,
        NotADirectory | NotFound | PermissionDenied | ReadOnlyFilesystem | StorageFull | Unsupported
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{thread, time::Instant};

    #[test]
    fn a_turn_waits_for_another_and_works_without_a_lock_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = &folder.path().join("state.sqlite3");
        let first = Turn::at(path).unwrap();
        let second = thread::scope(|scope| {
            let long = Duration::from_secs(120);
            let second = scope.spawn(move || Turn::within(path, long).map(|_| Instant::now()));
            // Time for the wait to begin. A second turn that is requested later is still granted.
            thread::sleep(Duration::from_millis(50));
            let dropped = Instant::now();
            drop(first);
            second.join().unwrap().unwrap() >= dropped
        });
        assert!(second, "two had a turn at once");
        assert!(Turn::at(&folder.path().join("no folder/x")).unwrap()._lock.is_none());
    }

    #[test]
    fn an_existing_lock_file_that_cannot_be_locked_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.sqlite3");
        std::fs::create_dir(folder.path().join("state.sqlite3.lock")).unwrap();
        assert!(Turn::at(&path).is_err());
    }

    #[test]
    fn a_turn_that_is_held_too_long_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.sqlite3");
        let _first = Turn::at(&path).unwrap();
        let error = Turn::within(&path, Duration::from_millis(20)).unwrap_err();
        assert!(error.contains("state.sqlite3.lock was locked"), "{error}");
    }
}
