//! The appending of events to the journal of this writer.

use super::{
    super::{file::FileId, row::Row},
    Place, file, record,
    segment::{self, HEADER, Header, WriterId},
};
use mgp_store::private_file::make_private_folder;
use std::{
    collections::VecDeque,
    fmt,
    fs::File,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

/// The length from which a segment gets no further events, in bytes.
const SEGMENT: u64 = 16 * 1024 * 1024;

/// The most bytes that are kept allocated for the records of the next append.
const KEPT_BUFFER: usize = 1024 * 1024;

/// The journal of this writer, open for appending.
#[derive(Debug)]
pub(crate) struct Journal {
    folder: PathBuf,
    header: Header,
    /// The segment that events are appended to.
    pub(crate) segment: Arc<File>,
    path: PathBuf,
    id: FileId,
    /// The position after the last event, in bytes.
    end: u64,
    last: Place,
    /// The segments that get no further events, oldest first.
    finished: VecDeque<Segment>,
    /// True if events must survive a loss of power.
    flush: bool,
    /// The encoded records of one append.
    buffer: Vec<u8>,
    pub(crate) segment_bytes: u64,
    /// True once an append has failed. Another process may have indexed some of its records, so their numbers must not be used again.
    is_broken: bool,
}

/// A segment of this writer, open for reading.
#[derive(Debug, Clone)]
pub(crate) struct Segment {
    pub(crate) number: u64,
    pub(crate) file: Arc<File>,
    /// The position after its last event, in bytes.
    pub(crate) end: u64,
    /// True if the segment gets no further events.
    pub(crate) is_finished: bool,
}

/// The error returned when events cannot be appended. Some of them may be in the journal, and no further events can be appended to it.
#[derive(Debug)]
pub(crate) enum AppendError {
    /// An event is too long for a record.
    TooLong,
    /// The file at the segment's path is gone or another one, so the events would not survive this process.
    Vanished,
    /// An earlier append has failed, there is no journal yet, or too many of its events are not in the store.
    NotReady,
    Io(io::Error),
}

impl Journal {
    /// Creates a journal in a folder, which is created if it is missing. With `flush`, its events survive a loss of power. Blocks on the disk.
    pub(crate) fn create(folder: &Path, writer: WriterId, base: Place, flush: bool) -> io::Result<Self> {
        make_private_folder(folder)?;
        if flush && let Some(parent) = folder.parent() {
            file::sync_folder(parent)?;
        }
        let header = Header { writer, number: 0, base };
        let segment = header.create(folder, flush)?;
        Ok(Self {
            folder: folder.to_owned(),
            header,
            path: segment::path(folder, writer, 0),
            id: FileId::of(&segment.metadata()?),
            segment: Arc::new(segment),
            end: HEADER as u64,
            last: base,
            finished: VecDeque::new(),
            flush,
            buffer: Vec::new(),
            segment_bytes: SEGMENT,
            is_broken: false,
        })
    }

    /// Appends events with one write. They survive the end of the process once this returns.
    pub(crate) fn append<'a>(&mut self, rows: impl IntoIterator<Item = &'a Row>) -> Result<(), AppendError> {
        if self.is_broken {
            return Err(AppendError::NotReady);
        }
        if self.end >= self.segment_bytes {
            self.begin_segment().inspect_err(|_| self.is_broken = true)?;
        }
        self.buffer.clear();
        let mut last = self.last;
        for row in rows {
            last = record::encode(&mut self.buffer, row, &last).ok_or(AppendError::TooLong)?;
        }
        let written = file::write_all_at(&self.segment, &self.buffer, self.end);
        let written = written.and_then(|()| if self.flush { self.segment.sync_data() } else { Ok(()) });
        let outcome = match written {
            Ok(()) if FileId::at(&self.path) != Some(self.id) => Err(AppendError::Vanished),
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
        self.buffer.shrink_to(KEPT_BUFFER);
        outcome
    }

    /// Refuses all further events.
    pub(crate) fn refuse_events(&mut self) {
        self.is_broken = true;
    }

    /// Returns whether an append has failed.
    pub(crate) fn is_broken(&self) -> bool {
        self.is_broken
    }

    /// Returns the id of the writer.
    pub(crate) fn writer(&self) -> WriterId {
        self.header.writer
    }

    /// Returns the number of segments.
    pub(crate) fn segments(&self) -> usize {
        self.finished.len() + 1
    }

    /// Returns a segment by its number, unless it was taken.
    pub(crate) fn segment(&self, number: u64) -> Option<Segment> {
        let last = || self.current(false);
        let finished = self.finished.iter().find(|segment| segment.number == number).cloned();
        finished.or_else(|| Some(last()).filter(|segment| segment.number == number))
    }

    /// Takes a finished segment before a number, which is closed once the returned value is dropped.
    pub(crate) fn take_before(&mut self, number: u64) -> Option<Segment> {
        self.finished.pop_front_if(|segment| segment.number < number)
    }

    /// Returns the place of the last event.
    pub(crate) fn last(&self) -> Place {
        self.last
    }

    /// Returns the path of the segment that events are appended to.
    #[cfg(test)]
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    fn begin_segment(&mut self) -> io::Result<()> {
        let header = Header { number: self.header.number + 1, base: self.last, ..self.header };
        let fresh = header.create(&self.folder, self.flush)?;
        let id = FileId::of(&fresh.metadata()?);
        let finished = self.current(true);
        self.finished.push_back(finished);
        self.path = segment::path(&self.folder, header.writer, header.number);
        (self.header, self.segment, self.id, self.end) = (header, Arc::new(fresh), id, HEADER as u64);
        Ok(())
    }

    fn current(&self, is_finished: bool) -> Segment {
        Segment { number: self.header.number, file: self.segment.clone(), end: self.end, is_finished }
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
            Self::NotReady => f.write_str("the journal takes no events"),
            Self::Vanished => f.write_str("the journal was removed or replaced"),
            Self::Io(error) => write!(f, "failed to append to the journal: {error}"),
        }
    }
}
