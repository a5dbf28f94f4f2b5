//! Records and checks trust.

use super::{
    FileHash, hash,
    record::{MAX_FILES, Record, VERSION},
};
use crate::locate::{ConfigFile, Origin};
use mgp_store::private_file::PrivateFile;
use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
};
use thiserror::Error;

/// The name of the file in the state folder.
const FILE_NAME: &str = "trust.json";

/// The largest record that is read, in bytes.
const MAX_SIZE: usize = 8 * 1024 * 1024;

/// The record of trusted files, in the kernel's state folder.
#[derive(Debug, Clone)]
pub struct TrustStore {
    file: PrivateFile,
}

/// The result of [`TrustStore::check`]: whether the commands of a file may run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trust {
    /// The commands may run.
    Trusted,
    /// The commands may not run.
    Untrusted {
        /// The hash that would have to be recorded.
        hash: FileHash,
        /// The reason, in words.
        reason: String,
    },
}

/// The error of a record that could not be read or written. In this case no file is trusted.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TrustError {
    /// The record cannot be read or written.
    #[error("failed to access {path}")]
    Io {
        /// The path of the record.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The file is not a record of trusted files.
    #[error("{path} is not a record of trusted files: {problem}")]
    Broken {
        /// The path of the record.
        path: PathBuf,
        /// The problem with the record.
        problem: String,
    },
    /// A newer program wrote the record.
    #[error("{path} has version {found}: expected at most {VERSION}")]
    Newer {
        /// The path of the record.
        path: PathBuf,
        /// The version of the record.
        found: u32,
    },
    /// The record is full.
    #[error("{path} holds {MAX_FILES} files already")]
    Full {
        /// The path of the record.
        path: PathBuf,
    },
}

impl TrustStore {
    /// Creates a handle to the record in a state folder. Nothing is read yet. The folder is created, and made private, when
    /// something is recorded.
    #[must_use]
    pub fn in_folder(state_dir: &Path) -> Self {
        Self { file: PrivateFile::new(state_dir.join(FILE_NAME)) }
    }

    /// Checks whether the commands of a file may run. `bytes` is the content that was read, so that the checked content is what
    /// runs.
    ///
    /// # Errors
    /// [`TrustError`], after which the file must not be trusted.
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

    /// Trusts a file with this content, and with no other.
    ///
    /// # Errors
    /// [`TrustError`], after which nothing is recorded.
    pub fn trust(&self, path: &Path, bytes: &[u8]) -> Result<FileHash, TrustError> {
        let _lock = self.file.lock().map_err(self.io())?;
        let mut record = self.read()?;
        let hash = hash(bytes);
        record.files.insert(key(path), hash.clone());
        if record.files.len() > MAX_FILES {
            return Err(TrustError::Full { path: self.path() });
        }
        self.write(&record)?;
        Ok(hash)
    }

    /// Stops trusting a file. Returns whether the file was trusted.
    ///
    /// # Errors
    /// [`TrustError`], after which the record is unchanged.
    pub fn forget(&self, path: &Path) -> Result<bool, TrustError> {
        if !self.read()?.files.contains_key(&key(path)) {
            return Ok(false);
        }
        let _lock = self.file.lock().map_err(self.io())?;
        let mut record = self.read()?;
        let known = record.files.remove(&key(path)).is_some();
        if known {
            self.write(&record)?;
        }
        Ok(known)
    }

    /// Returns the trusted files by path, each with the hash of the content that is trusted.
    ///
    /// # Errors
    /// [`TrustError`] if the record cannot be read.
    pub fn files(&self) -> Result<BTreeMap<String, FileHash>, TrustError> {
        Ok(self.read()?.files)
    }

    fn read(&self) -> Result<Record, TrustError> {
        let broken = |problem: String| TrustError::Broken { path: self.path(), problem };
        let text = match self.file.read(MAX_SIZE) {
            Ok(Some(text)) => text,
            Ok(None) => return Ok(Record::default()),
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                return Err(broken(error.to_string()));
            }
            Err(error) => return Err(self.io()(error)),
        };
        let record: Record = serde_json::from_slice(&text).map_err(|error| broken(error.to_string()))?;
        match record.version {
            VERSION => Ok(record),
            0 => Err(broken("version 0".to_owned())),
            found => Err(TrustError::Newer { path: self.path(), found }),
        }
    }

    /// Writes the record. The caller has held the lock since it read the record.
    fn write(&self, record: &Record) -> Result<(), TrustError> {
        let text = serde_json::to_vec_pretty(record)
            .map_err(|error| TrustError::Broken { path: self.path(), problem: error.to_string() })?;
        self.file.replace(&text).map_err(self.io())
    }

    fn path(&self) -> PathBuf {
        self.file.path().to_owned()
    }

    fn io(&self) -> impl Fn(io::Error) -> TrustError + '_ {
        |source| TrustError::Io { path: self.path(), source }
    }
}

/// Returns the path as it is recorded: with links resolved, so that one file has one name.
fn key(path: &Path) -> String {
    path.canonicalize().unwrap_or_else(|_| path.to_owned()).to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, thread};

    fn project(path: &Path) -> ConfigFile {
        ConfigFile { path: path.to_owned(), origin: Origin::Project }
    }

    #[test]
    fn a_project_file_is_trusted_only_with_its_recorded_content() {
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

    #[test]
    fn concurrent_records_of_trust_are_all_kept() {
        let folder = tempfile::tempdir().unwrap();
        let store = || TrustStore::in_folder(folder.path());
        let paths: Vec<_> = (0..16).map(|n| folder.path().join(n.to_string())).collect();
        thread::scope(|scope| {
            for path in &paths {
                scope.spawn(|| store().trust(path, b"a").unwrap());
            }
        });
        assert_eq!(store().files().unwrap().len(), paths.len());
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
