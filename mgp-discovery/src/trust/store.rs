//! Records and checks trust.

use super::{
    FileHash, hash,
    record::{MAX_FILES, Record, VERSION},
};
use crate::locate::{ConfigFile, Origin};
use std::{
    collections::BTreeMap,
    fs, io,
    io::{Read, Write},
    path::{Path, PathBuf},
};
use thiserror::Error;

/// The name of the file in the state folder.
const FILE_NAME: &str = "trust.json";

/// The largest record that is read, in bytes.
const MAX_SIZE: u64 = 8 * 1024 * 1024;

/// What was trusted, in the kernel's state folder.
#[derive(Debug, Clone)]
pub struct TrustStore {
    path: PathBuf,
}

/// Whether the commands of a file may run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trust {
    /// They may.
    Trusted,
    /// They may not.
    Untrusted {
        /// The hash that would have to be recorded.
        hash: FileHash,
        /// Why not, in words.
        reason: String,
    },
}

/// Why trust could not be read or recorded. Nothing is trusted then.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TrustError {
    /// The record cannot be read or written.
    #[error("failed to access {path}")]
    Io {
        /// The record.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The record is not one of ours.
    #[error("{path} is no record of trusted files: {problem}")]
    Broken {
        /// The record.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// A newer program wrote the record.
    #[error("{path} has version {found}: expected at most {VERSION}")]
    Newer {
        /// The record.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
    /// The record is full.
    #[error("{path} holds {MAX_FILES} files already")]
    Full {
        /// The record.
        path: PathBuf,
    },
}

impl TrustStore {
    /// The record in a state folder. Nothing is read yet.
    #[must_use]
    pub fn in_folder(state_dir: &Path) -> Self {
        Self { path: state_dir.join(FILE_NAME) }
    }

    /// Whether the commands of a file may run. `bytes` is what was read of it, so that what is checked is what runs.
    ///
    /// # Errors
    /// [`TrustError`]; the file is then not to be trusted.
    pub fn check(&self, file: &ConfigFile, bytes: &[u8]) -> Result<Trust, TrustError> {
        if matches!(file.origin, Origin::Named | Origin::User) {
            return Ok(Trust::Trusted);
        }
        let found = hash(bytes);
        let reason = match self.read()?.files.get(&key(&file.path)) {
            Some(recorded) if *recorded == found => return Ok(Trust::Trusted),
            Some(_) => "it changed since it was trusted",
            None => "it was never trusted",
        };
        Ok(Trust::Untrusted { hash: found, reason: format!("{}: {reason}", file.path.display()) })
    }

    /// Trusts a file with this content, and no other content.
    ///
    /// # Errors
    /// [`TrustError`]; nothing is recorded then.
    pub fn trust(&self, path: &Path, bytes: &[u8]) -> Result<FileHash, TrustError> {
        let mut record = self.read()?;
        let hash = hash(bytes);
        record.files.insert(key(path), hash.clone());
        if record.files.len() > MAX_FILES {
            return Err(TrustError::Full { path: self.path.clone() });
        }
        self.write(&record)?;
        Ok(hash)
    }

    /// No longer trusts a file. Returns whether it was trusted.
    ///
    /// # Errors
    /// [`TrustError`]; the record is then as it was.
    pub fn forget(&self, path: &Path) -> Result<bool, TrustError> {
        let mut record = self.read()?;
        let known = record.files.remove(&key(path)).is_some();
        if known {
            self.write(&record)?;
        }
        Ok(known)
    }

    /// The trusted files by path, each with the hash of the content that is trusted.
    ///
    /// # Errors
    /// [`TrustError`] where the record cannot be read.
    pub fn files(&self) -> Result<BTreeMap<String, FileHash>, TrustError> {
        Ok(self.read()?.files)
    }

    fn read(&self) -> Result<Record, TrustError> {
        let mut text = Vec::new();
        match fs::File::open(&self.path) {
            Ok(file) => file.take(MAX_SIZE + 1).read_to_end(&mut text).map_err(self.io())?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Record::default()),
            Err(error) => return Err(self.io()(error)),
        };
        let broken = |problem: String| TrustError::Broken { path: self.path.clone(), problem };
        if text.len() as u64 > MAX_SIZE {
            return Err(broken(format!("larger than {MAX_SIZE} bytes")));
        }
        let record: Record = serde_json::from_slice(&text).map_err(|error| broken(error.to_string()))?;
        match record.version {
            VERSION => Ok(record),
            0 => Err(broken("version 0".to_owned())),
            found => Err(TrustError::Newer { path: self.path.clone(), found }),
        }
    }

    /// Writes a new file beside the old one and renames it, so that a reader sees one or the other, whole.
    fn write(&self, record: &Record) -> Result<(), TrustError> {
        let text = serde_json::to_vec_pretty(record)
            .map_err(|error| TrustError::Broken { path: self.path.clone(), problem: error.to_string() })?;
        let folder = self.path.parent().unwrap_or(Path::new("."));
        create_private_folder(folder).map_err(self.io())?;
        let fresh = self.path.with_extension(format!("json.{}", std::process::id()));
        let written = write_private(&fresh, &text).and_then(|()| fs::rename(&fresh, &self.path));
        if written.is_err() {
            let _ = fs::remove_file(&fresh);
        }
        written.map_err(self.io())
    }

    fn io(&self) -> impl Fn(io::Error) -> TrustError + '_ {
        |source| TrustError::Io { path: self.path.clone(), source }
    }
}

/// The path as it is recorded: links resolved, so that one file has one name.
fn key(path: &Path) -> String {
    path.canonicalize().unwrap_or_else(|_| path.to_owned()).to_string_lossy().into_owned()
}

fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // What a process of the same number left behind when it was killed.
    let _ = fs::remove_file(path);
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

fn create_private_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project(path: &Path) -> ConfigFile {
        ConfigFile { path: path.to_owned(), origin: Origin::Project }
    }

    #[test]
    fn a_project_file_is_trusted_only_with_the_content_that_was_recorded() {
        let folder = tempfile::tempdir().unwrap();
        let store = TrustStore::in_folder(&folder.path().join("state"));
        let path = folder.path().join("mgp.toml");
        let check = |bytes: &[u8]| store.check(&project(&path), bytes).unwrap();
        assert!(matches!(check(b"a"), Trust::Untrusted { reason, .. } if reason.ends_with("never trusted")));
        let recorded = store.trust(&path, b"a").unwrap();
        assert_eq!(check(b"a"), Trust::Trusted);
        let Trust::Untrusted { hash, reason } = check(b"b") else { panic!("a changed file is trusted") };
        assert!(hash != recorded && reason.ends_with("it changed since it was trusted"));
        let files = store.files().unwrap();
        assert_eq!(files.iter().collect::<Vec<_>>(), [(&key(&path), &recorded)]);
        assert!(store.forget(&path).unwrap() && !store.forget(&path).unwrap());
        assert!(matches!(check(b"a"), Trust::Untrusted { .. }));
    }

    #[test]
    fn the_user_s_own_files_need_no_record() {
        let folder = tempfile::tempdir().unwrap();
        let store = TrustStore::in_folder(folder.path());
        for origin in [Origin::User, Origin::Named] {
            let file = ConfigFile { path: "/x".into(), origin };
            assert_eq!(store.check(&file, b"a").unwrap(), Trust::Trusted);
        }
    }

    #[test]
    fn a_broken_or_newer_record_trusts_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let store = TrustStore::in_folder(folder.path());
        let file = project(&folder.path().join("mgp.toml"));
        for text in ["", "[]", r#"{"version":1}"#, r#"{"version":0,"files":{}}"#] {
            fs::write(folder.path().join(FILE_NAME), text).unwrap();
            assert!(matches!(store.check(&file, b""), Err(TrustError::Broken { .. })), "{text}");
            assert!(matches!(store.files(), Err(TrustError::Broken { .. })), "{text}");
            assert!(
                store.trust(&file.path, b"").is_err(),
                "a record that is not understood is not overwritten"
            );
        }
        fs::write(folder.path().join(FILE_NAME), r#"{"version":2,"files":{}}"#).unwrap();
        assert!(matches!(store.check(&file, b""), Err(TrustError::Newer { found: 2, .. })));
    }

    #[cfg(unix)]
    #[test]
    fn only_the_user_can_read_the_record() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("state");
        TrustStore::in_folder(&state).trust(Path::new("/x"), b"a").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&state), mode(&state.join(FILE_NAME))), (0o700, 0o600));
    }
}
