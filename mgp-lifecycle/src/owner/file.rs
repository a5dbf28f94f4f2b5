//! Marks in a folder, for processes that share a file.

use mgp_store::private_file::{FileLock, make_private_folder};
use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

/// A locked file in a folder next to the shared file. The lock ends with the process, so the others also detect a killed process.
#[derive(Debug)]
pub(super) struct FileMark {
    folder: PathBuf,
    id: String,
    /// `None` on a file system without locks, where no process counts as dead.
    lock: Option<FileLock>,
}

impl FileMark {
    /// Creates the mark of this store. No one else may open a store at the same time.
    pub(super) fn enter(shared: &Path, id: &str) -> io::Result<Self> {
        let folder = shared.with_extension("owners");
        make_private_folder(&folder)?;
        let lock = match FileLock::acquire(&folder.join(id), Duration::ZERO) {
            Ok(lock) => Some(lock),
            Err(error) if error.kind() == io::ErrorKind::Unsupported => None,
            Err(error) => return Err(error),
        };
        Ok(Self { folder, id: id.to_owned(), lock })
    }

    pub(super) fn is_alive(&self, id: &str) -> bool {
        // The id comes from a file that others may have edited: it must not lead out of the folder.
        let is_id = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        self.lock.is_none() || is_id && FileLock::is_held(&self.folder.join(id)).unwrap_or(true)
    }

    /// Removes the marks of processes that are gone. No one else may open a store at the same time.
    pub(super) fn bury(&self) -> io::Result<()> {
        for file in fs::read_dir(&self.folder)? {
            let name = file?.file_name().to_string_lossy().into_owned();
            if name != self.id && !self.is_alive(&name) {
                match fs::remove_file(self.folder.join(&name)) {
                    // Its store was dropped meanwhile and removed the mark, which takes no turn.
                    Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                    _ => {}
                }
            }
        }
        Ok(())
    }
}

/// Returns whether a process that runs has a mark for a shared file. Changes nothing.
pub(super) fn is_marked(shared: &Path) -> io::Result<bool> {
    let marks = match fs::read_dir(shared.with_extension("owners")) {
        Ok(marks) => marks,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    };
    for mark in marks {
        match FileLock::is_held(&mark?.path()) {
            Ok(false) => {}
            Ok(true) => return Ok(true),
            // Its process has removed it meanwhile.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(false)
}

impl Drop for FileMark {
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
        assert!(!is_marked(&shared).unwrap());
        let here = FileMark::enter(&shared, "01").unwrap();
        // An unlocked mark, as a killed process leaves it.
        fs::write(here.folder.join("0a"), "").unwrap();
        let there = FileMark::enter(&shared, "02").unwrap();
        here.bury().unwrap();
        let owners = here.folder.clone();
        let marks = || fs::read_dir(&owners).unwrap().count();
        assert!(marks() == 2 && here.is_alive("02") && !here.is_alive("0a"));
        drop(there);
        assert_eq!(marks(), 1);
        assert!(is_marked(&shared).unwrap());
        drop(here);
        assert!(!is_marked(&shared).unwrap());
    }

    #[test]
    fn a_store_is_opened_while_others_are_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let shared = folder.path().join("keys.sqlite3");
        let here = FileMark::enter(&shared, "fa").unwrap();
        let enter = |number: i32| FileMark::enter(&shared, &format!("{number:04}")).unwrap();
        let others: Vec<_> = (0..500).map(enter).collect();
        std::thread::scope(|scope| {
            let dropping = scope.spawn(|| drop(others));
            while !dropping.is_finished() {
                here.bury().unwrap();
            }
        });
        assert_eq!(fs::read_dir(&here.folder).unwrap().count(), 1);
    }
}
