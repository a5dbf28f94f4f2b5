//! One run at a time, because runs share folders.

use std::{
    fs::{self, File, TryLockError},
    path::Path,
};

/// Waits until no other run uses a folder. The lock ends with the file, or with the process.
///
/// # Errors
/// The folder or the file cannot be made.
pub fn lock(folder: &Path) -> Result<File, String> {
    let path = folder.join("lock");
    let failed = |error| format!("failed to lock {}: {error}", path.display());
    fs::create_dir_all(folder).map_err(failed)?;
    let file = File::create(&path).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::Error(error)) => Err(failed(error)),
        Err(TryLockError::WouldBlock) => {
            eprintln!("another run is in progress: waiting for its end");
            file.lock().map_err(failed)?;
            Ok(file)
        }
    }
}
