//! A segment of a journal: a file whose name and header say which writer it belongs to, and after which place it begins.

use super::{Place, file};
use mgp_store::private_file::PrivateFile;
use sha2::{Digest, Sha256};
use std::{
    fmt,
    fs::{self, File, TryLockError},
    io,
    path::{Path, PathBuf},
};

/// The random id of a writer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct WriterId(pub(crate) [u8; 16]);

impl fmt::Display for WriterId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for WriterId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The header of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) writer: WriterId,
    /// The number of the segment among those of its writer, from 0.
    pub(crate) number: u64,
    /// The place of the last record of the segment before.
    pub(crate) base: Place,
}

/// The beginning of each segment: its format and version.
const MAGIC: [u8; 8] = *b"MGPAUDJ1";
/// The length of a header in bytes, which is the position of the first record.
pub(crate) const HEADER: usize = MAGIC.len() + 16 + 8 + 8 + 32 + 32;

impl Header {
    fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEADER);
        bytes.extend_from_slice(&MAGIC);
        bytes.extend_from_slice(&self.writer.0);
        bytes.extend_from_slice(&self.number.to_le_bytes());
        bytes.extend_from_slice(&self.base.seq.to_le_bytes());
        bytes.extend_from_slice(&self.base.hash);
        let checksum = Sha256::digest(&bytes);
        bytes.extend_from_slice(&checksum);
        bytes
    }

    /// Reads the header of a file. Returns `None` if the file does not begin with one.
    pub(crate) fn read(from: &File) -> io::Result<Option<Self>> {
        let bytes = file::read_at(from, 0, HEADER)?;
        let decode = || {
            let rest = bytes.strip_prefix(&MAGIC)?;
            let (writer, rest) = rest.split_first_chunk()?;
            let (number, rest) = rest.split_first_chunk()?;
            let (seq, rest) = rest.split_first_chunk()?;
            let (hash, _) = rest.split_first_chunk()?;
            let base = Place { seq: i64::from_le_bytes(*seq), hash: *hash };
            let header = Self { writer: WriterId(*writer), number: u64::from_le_bytes(*number), base };
            (header.encode() == bytes).then_some(header)
        };
        Ok(decode())
    }

    /// Returns the path of the segment in the folder of journals.
    pub(crate) fn path(&self, folder: &Path) -> PathBuf {
        folder.join(format!("{}-{:08}", self.writer, self.number))
    }

    /// Creates the segment, locked until the returned file is closed. It gets its name last, so that no other process finds it unlocked or
    /// without its header.
    pub(crate) fn create(&self, folder: &Path) -> io::Result<File> {
        let path = self.path(folder);
        let unnamed = path.with_extension("new");
        PrivateFile::new(&unnamed).create()?;
        let segment = File::options().read(true).write(true).open(&unnamed)?;
        segment.try_lock().map_err(|error| match error {
            TryLockError::Error(error) => error,
            TryLockError::WouldBlock => {
                io::Error::new(io::ErrorKind::ResourceBusy, "the new segment is locked")
            }
        })?;
        segment.set_len(0)?;
        file::write_all_at(&segment, &self.encode(), 0)?;
        fs::rename(&unnamed, &path)?;
        Ok(segment)
    }
}
