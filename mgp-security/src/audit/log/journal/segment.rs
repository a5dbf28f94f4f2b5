//! A segment of a journal: a file whose name and header say which writer it belongs to, and after which place it begins.

use super::{Place, file};
use mgp_store::private_file::PrivateFile;
use sha2::{Digest, Sha256};
use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsString,
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

impl WriterId {
    /// Reads the text that [`Display`](fmt::Display) writes.
    fn parse(text: &str) -> Option<Self> {
        if text.len() != 32 || !text.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f')) {
            return None;
        }
        let mut id = [0; 16];
        for (byte, at) in id.iter_mut().zip((0..).step_by(2)) {
            *byte = u8::from_str_radix(text.get(at..at + 2)?, 16).ok()?;
        }
        Some(Self(id))
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

    /// Creates the segment, locked until the returned file is closed. It gets its name last, so that no other process finds it unlocked or
    /// without its header. With `flush`, its name survives a loss of power.
    pub(crate) fn create(&self, folder: &Path, flush: bool) -> io::Result<File> {
        let path = path(folder, self.writer, self.number);
        let unnamed = path.with_extension("new");
        let created = self.create_at(&unnamed).and_then(|segment| {
            fs::rename(&unnamed, &path)?;
            if flush {
                file::sync_folder(folder)?;
            }
            Ok(segment)
        });
        if created.is_err() {
            // An unlocked segment would look like that of a writer that is gone.
            let _ = (fs::remove_file(&unnamed), fs::remove_file(&path));
        }
        created
    }

    fn create_at(&self, path: &Path) -> io::Result<File> {
        PrivateFile::new(path).create()?;
        let segment = File::options().read(true).write(true).open(path)?;
        segment.try_lock().map_err(|error| match error {
            TryLockError::Error(error) => error,
            TryLockError::WouldBlock => {
                io::Error::new(io::ErrorKind::ResourceBusy, "the new segment is locked")
            }
        })?;
        segment.set_len(0)?;
        file::write_all_at(&segment, &self.encode(), 0)?;
        Ok(segment)
    }
}

/// Returns the folder of the journals of a trail.
pub(crate) fn folder(trail: &Path) -> PathBuf {
    let mut folder = OsString::from(trail);
    folder.push(".journals");
    folder.into()
}

/// Returns the path of a segment in the folder of journals.
pub(crate) fn path(folder: &Path, writer: WriterId, number: u64) -> PathBuf {
    folder.join(format!("{writer}-{number:08}"))
}

/// Returns the segments in the folder of journals, in the order of their numbers. A missing folder has none.
pub(crate) fn list(folder: &Path) -> io::Result<BTreeMap<WriterId, BTreeSet<u64>>> {
    let mut segments = BTreeMap::<_, BTreeSet<_>>::new();
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(segments),
        entries => entries?,
    };
    for entry in entries {
        let name = entry?.file_name();
        let parse = |name: &str| {
            let (writer, number) = name.split_once('-')?;
            let (writer, number) = (WriterId::parse(writer)?, number.parse().ok()?);
            // Only names that a writer gives, so that each is the path of its segment.
            (name == format!("{writer}-{number:08}")).then_some((writer, number))
        };
        if let Some((writer, number)) = name.to_str().and_then(parse) {
            segments.entry(writer).or_default().insert(number);
        }
    }
    Ok(segments)
}
