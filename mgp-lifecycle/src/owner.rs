//! The processes that share a file, and which of them still run.

use mgp_store::private_file::{FileLock, make_private_folder};
use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

/// The mark of one opened store: a locked file in a folder next to the shared file. The lock ends with the process, so the others also detect
/// a killed process.
#[derive(Debug)]
pub(crate) struct Owner {
    folder: PathBuf,
    id: String,
    /// `None` on a file system without locks, where no process counts as dead.
    lock: Option<FileLock>,
}

impl Owner {
    /// Creates the mark of this store. No one else may open a store at the same time.
    pub(crate) fn enter(shared: &Path) -> io::Result<Self> {
        let folder = shared.with_extension("owners");
        make_private_folder(&folder)?;
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
        let id: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let lock = match FileLock::acquire(&folder.join(&id), Duration::ZERO) {
            Ok(lock) => Some(lock),
            Err(error) if error.kind() == io::ErrorKind::Unsupported => None,
            Err(error) => return Err(error),
        };
        Ok(Self { folder, id, lock })
    }

    /// Returns the id by which rows name the store.
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// Returns whether the process of an owner still runs. An owner whose state is unknown counts as running, because its call must
    /// not be made twice.
    pub(crate) fn is_alive(&self, id: &str) -> bool {
        // The id comes from a file that others may have edited: it must not lead out of the folder.
        let is_id = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        self.lock.is_none() || is_id && FileLock::is_held(&self.folder.join(id)).unwrap_or(true)
    }

    /// Removes the marks of processes that are gone, and returns their ids. No one else may open a store at the same time.
    pub(crate) fn bury(&self) -> io::Result<Vec<String>> {
        let mut gone = Vec::new();
        for file in fs::read_dir(&self.folder)? {
            let name = file?.file_name().to_string_lossy().into_owned();
            if name != self.id && !self.is_alive(&name) {
                match fs::remove_file(self.folder.join(&name)) {
                    Ok(()) => {}
                    // Its store was dropped meanwhile and removed the mark, which takes no turn.
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    Err(error) => return Err(error),
                }
                gone.push(name);
            }
        }
        Ok(gone)
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        let _ = fs::remove_file(self.folder.join(&self.id));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_marks_of_dead_processes_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let shared = folder.path().join("keys.sqlite3");
        let (here, there) = (Owner::enter(&shared).unwrap(), Owner::enter(&shared).unwrap());
        // An unlocked mark, as a killed process leaves it.
        fs::write(here.folder.join("0a"), "").unwrap();
        assert_eq!(here.bury().unwrap(), ["0a"]);
        let marks = || fs::read_dir(&here.folder).unwrap().count();
        assert!(marks() == 2 && here.is_alive(there.id()));
        drop(there);
        assert_eq!(marks(), 1);
    }

    #[test]
    fn a_store_is_opened_while_others_are_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let shared = folder.path().join("keys.sqlite3");
        let here = Owner::enter(&shared).unwrap();
        let others: Vec<_> = (0..500).map(|_| Owner::enter(&shared).unwrap()).collect();
        std::thread::scope(|scope| {
            let dropping = scope.spawn(|| drop(others));
            while !dropping.is_finished() {
                here.bury().unwrap();
            }
        });
        assert_eq!(fs::read_dir(&here.folder).unwrap().count(), 1);
    }
}
