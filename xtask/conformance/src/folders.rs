//! The folders of everything that is installed and written.

use std::{
    fs, io,
    path::{Path, PathBuf},
};
use xtask_install::workspace;

/// Returns the folder of everything that is installed and written here.
pub(crate) fn home() -> PathBuf {
    workspace::target().join("conformance")
}

/// Returns the folder of one run of the suite, emptied: `server-2025-11-25`, for example.
pub(crate) fn of_run(name: &str) -> Result<PathBuf, String> {
    let path = runs().join(name);
    remove(&path)?;
    fs::create_dir_all(&path).map_err(|error| format!("failed to make {}: {error}", path.display()))?;
    Ok(path)
}

/// Removes the folders of all runs.
pub(crate) fn remove_runs() -> Result<(), String> {
    remove(&runs())
}

/// Returns the folder of the runs.
pub(crate) fn runs() -> PathBuf {
    home().join("run")
}

fn remove(path: &Path) -> Result<(), String> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(format!("failed to remove {}: {error}", path.display()))
        }
        _ => Ok(()),
    }
}
