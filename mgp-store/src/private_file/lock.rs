//! A lock on a file, which one process at a time can hold.

use super::owner::open_own;
use std::{
    fs, io,
    path::Path,
    thread,
    time::{Duration, Instant},
};

/// The pause after which a lock that another process holds is tried again.
const PAUSE: Duration = Duration::from_millis(10);

/// A lock on a file, held until it is dropped or its process ends. The lock is advisory: it excludes only other users of the lock.
#[derive(Debug)]
#[must_use = "the lock ends when this is dropped"]
pub struct FileLock {
    _file: fs::File,
}

impl FileLock {
    /// Waits for the lock, for `limit` at most. The lock file is created if it is missing, and it stays: if it were removed
    /// while another process waits for it, it could be locked twice.
    ///
    /// Blocks the thread.
    ///
    /// # Errors
    /// `TimedOut` if another process held the lock all that time; other errors if the file cannot be created or locked, if it belongs to
    /// another account, or if its path is a symbolic link.
    pub fn acquire(path: &Path, limit: Duration) -> io::Result<Self> {
        let mut options = fs::OpenOptions::new();
        options.write(true).create(true).truncate(false);
        let (file, _) = open_own(&mut options, path)?;
        let start = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _file: file }),
                Err(fs::TryLockError::Error(error)) => return Err(error),
                Err(fs::TryLockError::WouldBlock) if start.elapsed() < limit => thread::sleep(PAUSE),
                Err(fs::TryLockError::WouldBlock) => {
                    let problem = format!("{} was locked for more than {limit:?}", path.display());
                    return Err(io::Error::new(io::ErrorKind::TimedOut, problem));
                }
            }
        }
    }

    /// Returns whether this process or another holds the lock of a file. A missing file is not locked.
    ///
    /// # Errors
    /// If the file cannot be opened, if it belongs to another account, if its path is a symbolic link, or if its file system has no locks.
    pub fn is_held(path: &Path) -> io::Result<bool> {
        let file = match open_own(fs::OpenOptions::new().read(true), path) {
            Ok((file, _)) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(error),
        };
        // Shared, so that two concurrent checks do not mistake each other for the holder.
        match file.try_lock_shared() {
            Ok(()) => Ok(false),
            Err(fs::TryLockError::WouldBlock) => Ok(true),
            Err(fs::TryLockError::Error(error)) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_process_holds_the_lock_and_the_next_waits_within_a_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let first = FileLock::acquire(&path, Duration::ZERO).unwrap();
        let error = FileLock::acquire(&path, Duration::from_millis(20)).unwrap_err();
        assert!(
            error.kind() == io::ErrorKind::TimedOut && error.to_string().contains("lock was locked"),
            "{error}"
        );
        assert!(FileLock::is_held(&path).unwrap());
        drop(first);
        assert!(!FileLock::is_held(&path).unwrap());
        assert!(!FileLock::is_held(&folder.path().join("none")).unwrap());
        assert!(FileLock::acquire(&path, Duration::ZERO).is_ok());
    }
}
