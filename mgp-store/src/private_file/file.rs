//! A file that only its user can read.

use super::{
    FileLock, make_private_folder,
    owner::{open_own, own_metadata, private_permissions},
};
use std::{
    ffi::OsString,
    fs::{self, Metadata},
    io::{self, Read, Write},
    path::{Path, PathBuf},
    time::Duration,
};

/// The time limit for waiting for another change, which is one small write.
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);

/// A file that only its user can read.
///
/// ```
/// use mgp_store::private_file::PrivateFile;
/// # let folder = tempfile::tempdir()?;
/// # let folder = folder.path().join("state");
/// let file = PrivateFile::new(folder.join("notes.json"));
/// let lock = file.lock()?;
/// assert_eq!(file.read(1024)?, None);
/// file.replace(b"[1]")?;
/// drop(lock);
/// assert_eq!(file.read(1024)?.as_deref(), Some(&b"[1]"[..]));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrivateFile {
    path: PathBuf,
}

impl PrivateFile {
    /// Creates a handle to the file at a path. Nothing is read or written yet.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Returns the path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Creates an empty file, or removes other accounts' access to an existing one. The folder must exist.
    ///
    /// # Errors
    /// If the file cannot be created or belongs to another account, if its path is a symbolic link, or if its permissions cannot be changed.
    pub fn create(&self) -> io::Result<()> {
        let mut options = fs::OpenOptions::new();
        match open_own(options.write(true).create_new(true), &self.path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => self.make_private(),
            created => created.map(drop),
        }
    }

    /// Removes other accounts' access to the file.
    ///
    /// # Errors
    /// `NotFound` if there is no file; other errors as [`PrivateFile::create`].
    pub fn make_private(&self) -> io::Result<()> {
        let found = own_metadata(&self.path)?;
        match private_permissions(&found) {
            // By its path: the file may be a database, and closing a descriptor of it would end the locks of SQLite in this process.
            Some(permissions) if found.is_file() => fs::set_permissions(&self.path, permissions),
            // Anything other than a file is refused when it is read.
            _ => Ok(()),
        }
    }

    /// Reads the file. Returns `None` if there is no file.
    ///
    /// # Errors
    /// `FileTooLarge` if the file has more than `max` bytes; other errors if it belongs to another account, if its path is a symbolic link,
    /// or if it cannot be read.
    pub fn read(&self, max: usize) -> io::Result<Option<Vec<u8>>> {
        self.read_if(max, |_| Ok(()))
    }

    fn read_if(
        &self,
        max: usize,
        check: impl FnOnce(&Metadata) -> io::Result<()>,
    ) -> io::Result<Option<Vec<u8>>> {
        let (file, found) = match open_own(fs::OpenOptions::new().read(true), &self.path) {
            Ok(opened) => opened,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        check(&found)?;
        let mut content = Vec::new();
        file.take((max as u64).saturating_add(1)).read_to_end(&mut content)?;
        if content.len() > max {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("longer than {max} bytes")));
        }
        Ok(Some(content))
    }

    /// Reads the file like [`read`](Self::read), but refuses a file that other accounts can read or write, and anything that is not a file.
    ///
    /// # Errors
    /// As [`PrivateFile::read`]. On platforms other than Unix, the permissions are not checked.
    pub fn read_private(&self, max: usize) -> io::Result<Option<Vec<u8>>> {
        self.read_if(max, |found| match found.is_file() {
            false => Err(io::Error::other("expected a file, found something else")),
            true if private_permissions(found).is_some() => Err(io::Error::other(
                "other accounts can read or write it: expected access only for its owner, as after `chmod 600`",
            )),
            true => Ok(()),
        })
    }

    /// Prevents other changes of the file: makes its folder private, and holds the lock of a second file next to it, with the
    /// extension `.lock`. Waits ten seconds at most, and blocks the thread.
    ///
    /// # Errors
    /// As [`FileLock::acquire`], and if the folder cannot be made private.
    pub fn lock(&self) -> io::Result<FileLock> {
        make_private_folder(self.folder())?;
        FileLock::acquire(&self.path.with_extension("lock"), LOCK_TIMEOUT)
    }

    /// Replaces the content of the file: a new file is written next to it and renamed. The folder must exist.
    ///
    /// # Errors
    /// If the new content cannot be written; the old content remains.
    pub fn replace(&self, content: &[u8]) -> io::Result<()> {
        let mut fresh = OsString::from(self.path.as_os_str());
        fresh.push(format!(".{}", std::process::id()));
        let fresh = PathBuf::from(fresh);
        // Left behind by a killed process with the same id.
        let _ = fs::remove_file(&fresh);
        let mut options = fs::OpenOptions::new();
        let written = open_own(options.write(true).create_new(true), &fresh)
            .and_then(|(mut file, _)| file.write_all(content).and_then(|()| file.sync_all()))
            .and_then(|()| fs::rename(&fresh, &self.path));
        if written.is_err() {
            let _ = fs::remove_file(&fresh);
        }
        written
    }

    fn folder(&self) -> &Path {
        match self.path.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_within_its_bound_and_replaced_whole() {
        let folder = tempfile::tempdir().unwrap();
        let file = PrivateFile::new(folder.path().join("a.json"));
        assert_eq!(file.read(3).unwrap(), None);
        file.replace(b"abc").unwrap();
        assert_eq!(file.read(3).unwrap().unwrap(), b"abc");
        assert_eq!(file.read(2).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        file.replace(b"").unwrap();
        assert_eq!(file.read(2).unwrap().unwrap(), b"");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
    }

    #[test]
    fn a_failed_replacement_leaves_only_the_old_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::create_dir(&path).unwrap();
        assert!(PrivateFile::new(&path).replace(b"x").is_err());
        assert!(path.is_dir());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn only_the_user_can_read_the_file_and_enter_its_folder() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("state");
        let file = PrivateFile::new(state.join("a.json"));
        drop(file.lock().unwrap());
        file.replace(b"x").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&state), mode(file.path()), mode(&state.join("a.lock"))), (0o700, 0o600, 0o600));
        fs::set_permissions(file.path(), fs::Permissions::from_mode(0o644)).unwrap();
        file.create().unwrap();
        assert_eq!((mode(file.path()), file.read(1).unwrap().unwrap()), (0o600, b"x".to_vec()));
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_others_can_read_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let file = PrivateFile::new(folder.path().join("a"));
        assert_eq!(file.read_private(9).unwrap(), None);
        file.replace(b"x").unwrap();
        for (mode, is_private) in
            [(0o600, true), (0o400, true), (0o640, false), (0o604, false), (0o602, false)]
        {
            fs::set_permissions(file.path(), fs::Permissions::from_mode(mode)).unwrap();
            match file.read_private(9) {
                Ok(content) => assert!(is_private && content.as_deref() == Some(b"x"), "{mode:o}"),
                Err(error) => {
                    assert!(!is_private && error.to_string().contains("chmod 600"), "{mode:o}: {error}");
                }
            }
        }
        let error = PrivateFile::new(folder.path()).read_private(9).unwrap_err();
        assert!(error.to_string().contains("expected a file"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_instead_of_a_file_or_its_lock_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (elsewhere, link) = (folder.path().join("elsewhere"), folder.path().join("a.json"));
        fs::write(&elsewhere, "theirs").unwrap();
        for name in ["a.json", "a.lock"] {
            std::os::unix::fs::symlink(&elsewhere, folder.path().join(name)).unwrap();
        }
        let file = PrivateFile::new(link);
        for refused in [file.read(9).map(drop), file.create(), file.lock().map(drop)] {
            let error = refused.unwrap_err().to_string();
            assert!(error.contains("is a symbolic link"), "{error}");
        }
        file.replace(b"ours").unwrap();
        assert_eq!(fs::read(&elsewhere).unwrap(), b"theirs");
    }
}
