//! The appending of events to the journal of this writer.

use super::{
    super::row::Row,
    Place, file, record,
    segment::{HEADER, Header, WriterId},
};
use mgp_store::private_file::make_private_folder;
use std::{
    fmt,
    fs::File,
    io,
    path::{Path, PathBuf},
};

/// The length from which a segment gets no further events, in bytes.
const SEGMENT: u64 = 16 * 1024 * 1024;

/// The journal of this writer, open for appending.
#[derive(Debug)]
pub(crate) struct Journal {
    folder: PathBuf,
    header: Header,
    pub(super) segment: File,
    /// The position after the last event, in bytes.
    end: u64,
    last: Place,
    /// The encoded records of one append.
    buffer: Vec<u8>,
    segment_bytes: u64,
    /// True once an append has failed. Another process may have indexed some of its records, so their numbers must not be used again.
    is_broken: bool,
}

/// The error returned when events cannot be appended. Some of them may be in the journal, and no further events can be appended to it.
#[derive(Debug)]
pub(crate) enum AppendError {
    /// An event is too long for a record.
    TooLong,
    /// The file at the segment's path is gone or another one, so the events would not survive this process.
    Vanished,
    /// An earlier append has failed. A journal of another writer must be created.
    Broken,
    Io(io::Error),
}

impl Journal {
    /// Creates a journal in a folder, which is created if it is missing. Blocks on the disk.
    pub(crate) fn create(folder: &Path, writer: WriterId, base: Place) -> io::Result<Self> {
        make_private_folder(folder)?;
        let header = Header { writer, number: 0, base };
        let segment = header.create(folder)?;
        Ok(Self {
            folder: folder.to_owned(),
            header,
            segment,
            end: HEADER as u64,
            last: base,
            buffer: Vec::new(),
            segment_bytes: SEGMENT,
            is_broken: false,
        })
    }

    #[cfg(test)]
    pub(super) fn with_segment_bytes(self, segment_bytes: u64) -> Self {
        Self { segment_bytes, ..self }
    }

    /// Appends events with one write. They survive the end of the process once this returns, and a loss of power if `flush` is set.
    pub(crate) fn append<'a>(
        &mut self,
        rows: impl IntoIterator<Item = &'a Row>,
        flush: bool,
    ) -> Result<(), AppendError> {
        if self.is_broken {
            return Err(AppendError::Broken);
        }
        if self.end >= self.segment_bytes {
            self.begin_segment()?;
        }
        self.buffer.clear();
        let mut last = self.last;
        for row in rows {
            last = record::encode(&mut self.buffer, row, &last).ok_or(AppendError::TooLong)?;
        }
        let written = file::write_all_at(&self.segment, &self.buffer, self.end);
        let written = written.and_then(|()| if flush { self.segment.sync_data() } else { Ok(()) });
        let outcome = match written {
            Ok(()) if !self.is_in_place() => Err(AppendError::Vanished),
            Ok(()) => Ok(()),
            Err(error) => Err(AppendError::Io(error)),
        };
        match outcome {
            Ok(()) => (self.last, self.end) = (last, self.end + self.buffer.len() as u64),
            Err(_) => {
                self.is_broken = true;
                // Part of a record would be reported as the last record of a writer that was killed.
                drop(self.segment.set_len(self.end));
            }
        }
        outcome
    }

    /// Returns the place of the last event.
    pub(crate) fn last(&self) -> Place {
        self.last
    }

    /// Returns the path of the segment that events are appended to.
    pub(crate) fn path(&self) -> PathBuf {
        self.header.path(&self.folder)
    }

    fn begin_segment(&mut self) -> io::Result<()> {
        let header = Header { number: self.header.number + 1, base: self.last, ..self.header };
        self.segment = header.create(&self.folder)?;
        (self.header, self.end) = (header, HEADER as u64);
        Ok(())
    }

    /// Returns whether the file at the segment's path is the one that is written.
    fn is_in_place(&self) -> bool {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            let id = |found: std::fs::Metadata| (found.dev(), found.ino());
            let own = self.segment.metadata().map(id).ok();
            own.is_some() && std::fs::metadata(self.path()).map(id).ok() == own
        }
        #[cfg(not(unix))]
        self.path().exists()
    }
}

impl From<io::Error> for AppendError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl fmt::Display for AppendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong => f.write_str("the event is too long for the journal"),
            Self::Broken => f.write_str("an earlier append to the journal failed"),
            Self::Vanished => f.write_str("the journal was removed or replaced"),
            Self::Io(error) => write!(f, "failed to append to the journal: {error}"),
        }
    }
}
