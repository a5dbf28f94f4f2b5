//! Reads and writes hosts' files.

use crate::{error::CliError, exit::Exit};
use std::{
    fs::{self, File},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

/// The largest file that is read, in bytes.
const MAX_SIZE: u64 = 32 * 1024 * 1024;

/// The content of a host's file, as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::command) struct HostFile {
    /// The path, which may be a link.
    pub(super) path: PathBuf,
    /// The path without links, where the file is written.
    real: PathBuf,
    /// The content; `None` if there is no file.
    pub(super) content: Option<Vec<u8>>,
}

impl HostFile {
    /// Reads a file that can be written, through any number of links.
    ///
    /// # Errors
    /// An error with advice if the file cannot be read, or could not be written.
    pub(in crate::command) fn read(path: &Path) -> Result<Self, CliError> {
        let failed = |error: &io::Error| refused(path, &format!("failed to read it: {error}"));
        match path.symlink_metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Self { path: path.to_owned(), real: path.to_owned(), content: None });
            }
            other => other.map_err(|error| failed(&error))?,
        };
        let real = path.canonicalize().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => refused(path, "it is a link to a file that does not exist")
                .help("make that file, or remove the link"),
            _ => failed(&error),
        })?;
        let metadata = real.metadata().map_err(|error| failed(&error))?;
        if !metadata.is_file() {
            return Err(refused(path, "expected a file, found something else"));
        }
        if metadata.permissions().readonly() {
            return Err(refused(&real, "it is read-only").help(
                "a program that makes this file may overwrite it: put the entry there, or make the file writable with `chmod u+w`",
            ));
        }
        if metadata.len() > MAX_SIZE {
            let size = metadata.len();
            return Err(refused(path, &format!("it holds {size} bytes: expected at most {MAX_SIZE}")));
        }
        let mut content = Vec::new();
        let read = File::open(&real).and_then(|file| file.take(MAX_SIZE).read_to_end(&mut content));
        read.map_err(|error| failed(&error))?;
        Ok(Self { path: path.to_owned(), real, content: Some(content) })
    }

    /// Returns the content as bytes; no file is an empty one.
    pub(in crate::command) fn bytes(&self) -> &[u8] {
        self.content.as_deref().unwrap_or_default()
    }

    /// Replaces the file, or removes it with `None`, unless it has changed since it was read. Returns false if it has. Its mode stays, and
    /// links to it stay links.
    pub(in crate::command) fn replace(&self, content: Option<&[u8]>) -> Result<bool, CliError> {
        self.try_replace(content).map_err(|error| {
            refused(&self.real, &format!("failed to write it: {error}"))
                .help("nothing was changed in this file")
        })
    }

    fn try_replace(&self, content: Option<&[u8]>) -> io::Result<bool> {
        let Some(content) = content else {
            if self.is_unchanged()? {
                fs::remove_file(&self.real)?;
                return Ok(true);
            }
            return Ok(false);
        };
        let folder = self.real.parent().unwrap_or(Path::new("/"));
        if self.content.is_none() {
            fs::create_dir_all(folder)?;
        }
        let mut fresh = tempfile::Builder::new().prefix(".mgp-").tempfile_in(folder)?;
        fresh.write_all(content)?;
        if self.content.is_some() {
            fs::set_permissions(fresh.path(), self.real.metadata()?.permissions())?;
        }
        fresh.as_file().sync_all()?;
        if !self.is_unchanged()? {
            return Ok(false);
        }
        fresh.persist(&self.real).map_err(|error| error.error)?;
        Ok(true)
    }

    fn is_unchanged(&self) -> io::Result<bool> {
        match fs::read(&self.real) {
            Ok(now) => Ok(self.content.as_ref() == Some(&now)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(self.content.is_none()),
            Err(error) => Err(error),
        }
    }
}

/// Returns the error of a file in which nothing is changed.
pub(super) fn refused(path: &Path, reason: &str) -> CliError {
    CliError::new(Exit::Configuration, format!("{}: {reason}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_changed_since_it_was_read_is_not_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/mcp.json");
        let absent = HostFile::read(&path).unwrap();
        assert!(absent.replace(Some(b"new")).unwrap());
        assert!(!absent.replace(Some(b"again")).unwrap(), "somebody else made the file");
        let file = HostFile::read(&path).unwrap();
        fs::write(&path, "other").unwrap();
        assert!(!file.replace(Some(b"mine")).unwrap() && !file.replace(None).unwrap());
        assert_eq!(fs::read(&path).unwrap(), b"other");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "no temporary file is left");
        assert!(HostFile::read(&path).unwrap().replace(None).unwrap() && !path.exists());
    }

    #[cfg(unix)]
    #[test]
    fn links_stay_links_and_the_mode_stays() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("dotfiles")).unwrap();
        fs::write(at("dotfiles/real"), "old").unwrap();
        fs::set_permissions(at("dotfiles/real"), fs::Permissions::from_mode(0o640)).unwrap();
        symlink("real", at("dotfiles/second")).unwrap();
        symlink(at("dotfiles/second"), at("first")).unwrap();
        assert!(HostFile::read(&at("first")).unwrap().replace(Some(b"new")).unwrap());
        assert_eq!(fs::read(at("dotfiles/real")).unwrap(), b"new");
        assert_eq!(at("dotfiles/real").metadata().unwrap().permissions().mode() & 0o777, 0o640);
        for link in ["first", "dotfiles/second"] {
            assert!(at(link).symlink_metadata().unwrap().is_symlink(), "{link}");
        }
        symlink("nowhere", at("dangling")).unwrap();
        assert!(HostFile::read(&at("dangling")).unwrap_err().message().contains("does not exist"));
        fs::set_permissions(at("dotfiles/real"), fs::Permissions::from_mode(0o440)).unwrap();
        assert!(HostFile::read(&at("first")).unwrap_err().message().contains("read-only"));
    }
}
