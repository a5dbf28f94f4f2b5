//! The file of the trail, and its identity, which changes if the file is replaced.

use super::schema::migrations;
use mgp_store::sqlite::{Synchronous, Turn, open_in_turn};
use rusqlite::Connection;
use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

/// The path of the trail, and the durability of its writes.
#[derive(Debug)]
pub(super) struct TrailFile {
    path: PathBuf,
    synchronous: Synchronous,
}

/// The identity of a file among those that successively exist at one path. It is valid only while the file is open: after that, the
/// operating system may give its numbers to another file. On systems without such numbers, all files count as the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileId(u64, u64);

/// The connections to a file.
pub(super) struct FileConnections {
    pub(super) writing: Connection,
    pub(super) reading: Connection,
    pub(super) checkpointing: Connection,
    pub(super) id: FileId,
    /// The mark of the file.
    pub(super) mark: String,
    /// The number of the last event that was ever stored in the file.
    pub(super) last_seq: i64,
}

impl FileId {
    /// Returns the identity of the file at a path, if there is one.
    pub(super) fn at(path: &Path) -> Option<Self> {
        fs::metadata(path).ok().map(|found| Self::of(&found))
    }

    /// Returns the identity of the file with this metadata.
    pub(super) fn of(found: &fs::Metadata) -> Self {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            Self(found.dev(), found.ino())
        }
        #[cfg(not(unix))]
        {
            let _ = found;
            Self(0, 0)
        }
    }
}

impl TrailFile {
    pub(super) fn new(path: &Path, synchronous: Synchronous) -> Self {
        Self { path: path.to_owned(), synchronous }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the identity of the file at the path, if there is one.
    pub(super) fn id(&self) -> Option<FileId> {
        FileId::at(&self.path)
    }

    /// Opens the file, and creates it if it is missing. The process must have no other connection to a file at this path: SQLite would
    /// share the `-wal` and `-shm` files of the old file with the new one.
    pub(super) fn connect(&self) -> Result<FileConnections, String> {
        let turn = Turn::at(&self.path)?;
        if self.id().is_none() {
            // Leftovers of a removed file, which SQLite would take for those of the new one.
            for end in ["-wal", "-shm"] {
                let beside = self.beside(end);
                match fs::remove_file(&beside) {
                    Err(error) if error.kind() != ErrorKind::NotFound => {
                        return Err(format!("failed to remove {}: {error}", beside.display()));
                    }
                    _ => {}
                }
            }
        }
        let connect = || {
            open_in_turn(&self.path, &turn, self.synchronous, &migrations())
                .map_err(|error| error.to_string())
        };
        let (writing, reading, checkpointing) = (connect()?, connect()?, connect()?);
        // A checkpoint waits for the disk, so it runs on its own connection, not on that of the events.
        writing.pragma_update(None, "wal_autocheckpoint", 0).map_err(|error| error.to_string())?;
        let last_seq = writing
            .query_row("SELECT max(seq) FROM events", [], |row| row.get(0))
            .map_err(|error| error.to_string())?;
        let mark = writing
            .query_row("SELECT id FROM trail", [], |row| row.get(0))
            .map_err(|error| error.to_string())?;
        let id = self.id().ok_or_else(|| format!("{} was removed", self.path.display()))?;
        Ok(FileConnections {
            writing,
            reading,
            checkpointing,
            id,
            mark,
            last_seq: Option::unwrap_or_default(last_seq),
        })
    }

    fn beside(&self, end: &str) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        name.push(end);
        name.into()
    }
}
