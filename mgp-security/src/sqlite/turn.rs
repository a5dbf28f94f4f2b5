//! Turns of processes at one file.

use super::BUSY;
use std::{
    fs::{File, TryLockError},
    io::ErrorKind,
    path::Path,
    thread,
    time::{Duration, Instant},
};

/// The pause between two tries to lock the file.
const LOCK_PAUSE: Duration = Duration::from_millis(5);

/// A turn at a file. No other process, and nothing else in this one, has a turn until it is dropped.
///
/// It locks a file beside it, of the same name with `.lock` behind it, because SQLite's own locks end with a transaction.
#[derive(Debug)]
pub(crate) struct Turn {
    /// None where the file system has no locks, or the file cannot be made there.
    _lock: Option<File>,
}

impl Turn {
    /// Waits until nobody else has a turn at the file. Where there can be none, SQLite's own locks are what is left.
    ///
    /// # Errors
    /// The reason, where another process has its turn for longer than [`BUSY`].
    pub(crate) fn at(path: &Path) -> Result<Self, String> {
        let mut name = path.to_owned().into_os_string();
        name.push(".lock");
        // Where that is not possible, opening the file beside it says why.
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
