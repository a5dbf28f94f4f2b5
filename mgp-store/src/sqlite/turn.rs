//! Exclusive turns of processes at one file.

use super::BUSY;
use std::{
    fs::{File, TryLockError},
    io::ErrorKind,
    path::Path,
    thread,
    time::{Duration, Instant},
};

/// The pause between two attempts to lock the file.
const LOCK_PAUSE: Duration = Duration::from_millis(5);

/// An exclusive turn at a file. Until the turn is dropped, nobody else has one, in this process or in another.
///
/// The lock is on a second file, whose name has `.lock` appended, because SQLite's own locks end with a transaction.
#[derive(Debug)]
pub struct Turn {
    /// `None` if the file system has no locks, or if the lock file cannot be created.
    _lock: Option<File>,
}

impl Turn {
    /// Waits until nobody else has a turn at the file. If turns are not possible there, only SQLite's own locks protect the file.
    ///
    /// # Errors
    /// The reason, if the lock fails, or if another process keeps its turn for longer than [`BUSY`].
    pub fn at(path: &Path) -> Result<Self, String> {
        let mut name = path.to_owned().into_os_string();
        name.push(".lock");
        // If that is not possible, opening the database next to it reports the reason.
        let Ok(file) = File::options().create(true).append(true).open(&name) else {
            return Ok(Self { _lock: None });
        };
        let failed = |reason: &str| format!("failed to lock {}: {reason}", Path::new(&name).display());
        let give_up = Instant::now() + BUSY;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _lock: Some(file) }),
                Err(TryLockError::WouldBlock) if Instant::now() < give_up => thread::sleep(LOCK_PAUSE),
                Err(TryLockError::WouldBlock) => return Err(failed("another process holds it")),
                Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => {
                    return Ok(Self { _lock: None });
                }
                Err(TryLockError::Error(error)) => return Err(failed(&error.to_string())),
            }
        }
    }
}
