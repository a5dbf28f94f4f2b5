//! The originals of changed files, in the state folder.

use super::file::HostFile;
use crate::{error::CliError, setup::trust_folder};
use mgp_discovery::{
    locate::Environment,
    mcp_servers::{Host, ListEdit},
};
use mgp_store::{
    private_file::{PrivateFile, make_private_folder},
    secrets::SecretStore,
};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// The largest record that is read, in bytes.
const MAX_RECORD: usize = 4 * 1024 * 1024;

/// The largest original that is read, in bytes.
const MAX_ORIGINAL: usize = 33 * 1024 * 1024;

/// The most older originals of one file.
const MAX_OLDER: usize = 10_000;

/// The record of a file's change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) host: String,
    pub(super) file: PathBuf,
    pub(super) edits: Vec<ListEdit>,
    /// False if the file was made.
    pub(super) existed: bool,
    /// The SHA-256 of the changed content.
    pub(super) changed: String,
}

/// The folder of the records and the originals.
#[derive(Debug)]
pub(super) struct Backups {
    folder: PathBuf,
}

impl Backups {
    pub(super) fn of(environment: &Environment) -> Result<Self, CliError> {
        Ok(Self { folder: trust_folder(environment)?.join("connect") })
    }

    /// Keeps the original of a file that is about to be changed, and returns its record and its path. An older original is kept under another
    /// name. With a store, the original is encrypted.
    pub(super) fn keep(
        &self,
        host: Host,
        file: &HostFile,
        edits: &[ListEdit],
        after: &[u8],
        store: Option<&SecretStore>,
    ) -> Result<(Record, PathBuf), CliError> {
        let record = Record {
            host: host.id().to_owned(),
            file: file.path.clone(),
            edits: edits.to_vec(),
            existed: file.content.is_some(),
            changed: sum(after),
        };
        let text = serde_json::to_string_pretty(&record).map_err(CliError::failed)?;
        let kept = self.try_keep(&record, file.bytes(), &text, store).map_err(|error| {
            CliError::failed(format!("failed to keep a backup in {}: {error}", self.folder.display()))
                .help("nothing was changed in the host's file")
        });
        Ok((record, kept?))
    }

    fn try_keep(
        &self,
        record: &Record,
        original: &[u8],
        text: &str,
        store: Option<&SecretStore>,
    ) -> io::Result<PathBuf> {
        if let Some(state) = self.folder.parent() {
            make_private_folder(state)?;
        }
        make_private_folder(&self.folder)?;
        let path = self.original(record);
        if path.exists() && self.opened(fs::read(&path)?)? != original {
            fs::rename(&path, free(&path)?)?;
        }
        let sealed = store.map(|store| store.seal(original)).transpose()?;
        PrivateFile::new(&path).replace(sealed.as_deref().unwrap_or(original))?;
        PrivateFile::new(self.place(record, "json")).replace(text.as_bytes())?;
        Ok(path)
    }

    /// Keeps a copy of a file in which only the entry of the gateway is about to change. The original that `mgp disconnect` puts back stays.
    pub(super) fn keep_copy(&self, host: Host, file: &HostFile) -> Result<PathBuf, CliError> {
        let keep = || {
            make_private_folder(&self.folder)?;
            let path = free(&self.path_of(host.id(), &file.path, "original"))?;
            PrivateFile::new(&path).replace(file.bytes()).map(|()| path)
        };
        keep().map_err(|error: io::Error| {
            CliError::failed(format!("failed to keep a backup in {}: {error}", self.folder.display()))
                .help("nothing was changed in the host's file")
        })
    }

    /// Records the new content of a file that has not changed since `mgp connect`, so that `mgp disconnect` knows it.
    pub(super) fn follow(&self, host: Host, file: &HostFile, after: &[u8]) -> Result<(), CliError> {
        let before = sum(file.bytes());
        for mut record in self.records()? {
            if (record.host.as_str(), &record.file, &record.changed) == (host.id(), &file.path, &before) {
                record.changed = sum(after);
                let text = serde_json::to_string_pretty(&record).map_err(CliError::failed)?;
                PrivateFile::new(self.place(&record, "json")).replace(text.as_bytes())?;
            }
        }
        Ok(())
    }

    /// Returns the records, in the order of their names.
    pub(super) fn records(&self) -> Result<Vec<Record>, CliError> {
        let read = || -> io::Result<Vec<Record>> {
            let entries = match fs::read_dir(&self.folder) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
                other => other?,
            };
            let paths = entries.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
            let mut paths: Vec<_> =
                paths.into_iter().filter(|path| path.extension().is_some_and(|end| end == "json")).collect();
            paths.sort();
            let record = |path: &PathBuf| {
                let bytes = PrivateFile::new(path).read(MAX_RECORD)?.unwrap_or_default();
                serde_json::from_slice(&bytes)
                    .map_err(|error| io::Error::other(format!("{}: {error}", path.display())))
            };
            paths.iter().map(record).collect()
        };
        read().map_err(|error| {
            CliError::failed(format!("failed to read the backups in {}: {error}", self.folder.display()))
        })
    }

    /// Reads the original of a record.
    pub(super) fn read(&self, record: &Record) -> Result<Vec<u8>, CliError> {
        let path = self.original(record);
        let content = PrivateFile::new(&path).read(MAX_ORIGINAL);
        let content = content.and_then(|content| content.ok_or_else(|| io::ErrorKind::NotFound.into()));
        let content = content.and_then(|content| self.opened(content));
        content.map_err(|error| {
            CliError::failed(format!("failed to read the backup {}: {error}", path.display()))
        })
    }

    /// Returns an original, which is encrypted if its keys are in the store.
    fn opened(&self, content: Vec<u8>) -> io::Result<Vec<u8>> {
        match (SecretStore::is_sealed(&content), self.folder.parent()) {
            (true, Some(state)) => SecretStore::in_folder(state).open(&content),
            _ => Ok(content),
        }
    }

    /// Removes a record and its original.
    pub(super) fn remove(&self, record: &Record) -> Result<(), CliError> {
        for path in [self.place(record, "json"), self.original(record)] {
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(CliError::failed(format!("failed to remove {}: {error}", path.display())));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Returns the path of a record's original.
    pub(super) fn original(&self, record: &Record) -> PathBuf {
        self.place(record, "original")
    }

    fn place(&self, record: &Record, end: &str) -> PathBuf {
        self.path_of(&record.host, &record.file, end)
    }

    fn path_of(&self, host: &str, file: &Path, end: &str) -> PathBuf {
        let sum = sum(file.as_os_str().as_encoded_bytes());
        self.folder.join(format!("{host}-{}.{end}", &sum[..16]))
    }
}

/// Returns a free path for an older original.
fn free(path: &Path) -> io::Result<PathBuf> {
    let mut older = (1..MAX_OLDER).map(|number| path.with_extension(format!("original.{number}")));
    older.find(|older| !older.exists()).ok_or_else(|| io::Error::other("there are too many older ones"))
}

/// Returns the SHA-256 of a content, in hexadecimal digits.
pub(super) fn sum(content: &[u8]) -> String {
    Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect()
}
