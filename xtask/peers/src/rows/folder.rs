//! A row's own folder.

use crate::workspace;
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// A row's own folder: its files, its records and its logs.
#[derive(Debug, Clone)]
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// Makes an empty folder. The files of an earlier run are removed.
    pub(crate) fn of_row(name: &str) -> Result<Self, String> {
        Self::empty(&workspace::runs().join(name.replace('/', "-")))
    }

    fn empty(path: &Path) -> Result<Self, String> {
        let failed = |error| format!("failed to make {}: {error}", path.display());
        match fs::remove_dir_all(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
        fs::create_dir_all(path).map_err(failed)?;
        // The system reports a process's folder without links.
        path.canonicalize().map(Self).map_err(failed)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Returns the path of a file in the folder.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Returns the path of a tap's record.
    pub(crate) fn record(&self, name: &str) -> PathBuf {
        self.file(&format!("{name}.jsonl"))
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> Result<PathBuf, String> {
        let path = self.file(name);
        let written = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, text));
        written.map_err(|error| format!("failed to write {}: {error}", path.display()))?;
        Ok(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prepared_folder_is_always_empty() {
        let path = std::env::temp_dir().join(format!("mgp-folder-{}", std::process::id()));
        let folder = Folder::empty(&path).unwrap();
        folder.write("a/b", "x").unwrap();
        let again = Folder::empty(&path).unwrap();
        assert!(!again.file("a").exists());
        fs::remove_dir_all(path).unwrap();
    }
}
