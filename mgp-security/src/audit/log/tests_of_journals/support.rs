//! Trails in folders, and their events.

use crate::audit::{
    AuditFilter, AuditLog, AuditLogConfig, AuditSink, EventDraft,
    log::{
        connections::Connections,
        file::TrailFile,
        journal::{self, Head, Journal, Place, WriterId, register},
        row::Row,
    },
};
use mgp_store::sqlite::{Synchronous, set_lock_timeout};
use mgp_types::{
    audit::{AuditEvent, AuditEventType},
    context::Principal,
};
use rusqlite::Connection;
use std::{fs, path::PathBuf, time::Duration};
use tempfile::TempDir;

pub(super) const WRITER: WriterId = WriterId([7; 16]);
pub(super) const BASE: Place = Place { seq: 0, hash: [9; 32] };
/// The length of a header.
pub(super) const HEADER: usize = 104;

/// A trail in a folder.
pub(super) struct Trail {
    pub(super) folder: TempDir,
}

impl Trail {
    pub(super) fn new() -> Self {
        // On a busy machine, another connection may keep the file for longer than usual.
        set_lock_timeout(Duration::from_secs(120));
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// Returns a trail with the journal of a writer that was killed before its events were moved into the file.
    pub(super) fn killed(events: usize) -> Self {
        Self::killed_with(events, u64::MAX)
    }

    pub(super) fn killed_with(events: usize, segment_bytes: u64) -> Self {
        let trail = Self::new();
        let store = Connections::open(TrailFile::new(&trail.path(), Synchronous::Normal)).unwrap();
        let mut journal = Journal::create(&trail.journals(), WRITER, BASE, false).unwrap();
        let head = Head { place: BASE, segment: 0, position: HEADER as u64 };
        register(store.writing.lock().connection(Duration::ZERO).unwrap(), WRITER, &head).unwrap();
        journal.segment_bytes = segment_bytes;
        (0..events).for_each(|number| journal.append([&Row::new(&event(number)).unwrap()]).unwrap());
        trail
    }

    pub(super) fn path(&self) -> PathBuf {
        self.folder.path().join("audit.sqlite3")
    }

    pub(super) fn journals(&self) -> PathBuf {
        journal::folder(&self.path())
    }

    /// Returns the path of a segment of the killed writer.
    pub(super) fn segment(&self, number: u64) -> PathBuf {
        self.journals().join(format!("{WRITER}-{number:08}"))
    }

    pub(super) fn open(&self) -> AuditLog {
        AuditLog::open(self.path(), &AuditLogConfig::default()).unwrap()
    }

    pub(super) fn sqlite(&self) -> Connection {
        Connection::open(self.path()).unwrap()
    }

    /// Returns the names of the files in the folder of journals.
    pub(super) fn files(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.journals()) else { return Vec::new() };
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

pub(super) fn event(number: usize) -> AuditEvent {
    EventDraft::new(AuditEventType::ToolExecuted, &Principal::agent("a")).detail("n", &number).finish()
}

pub(super) async fn record(log: &AuditLog, number: usize) {
    log.record(event(number)).await.unwrap();
}

/// Returns all events that a process reads, the calls by their numbers, and the events of journals by their reasons.
pub(super) async fn events(log: &AuditLog) -> Vec<String> {
    let events = log.latest(AuditFilter { last: 100_000, ..Default::default() }).await.unwrap();
    let numbers: Vec<_> = events.iter().map(|event| event.seq().unwrap()).collect();
    assert!(numbers.is_sorted_by(|one, next| one + 1 == *next), "{numbers:?}");
    let show = |event: &AuditEvent| {
        let details = event.details.as_ref().unwrap();
        match details.decode::<usize>("n") {
            Ok(Some(number)) => number.to_string(),
            _ => {
                let name =
                    event.event_type.as_str().rsplit(['.', '_']).next().unwrap_or_default().to_lowercase();
                details.text("reason").map_or(name.clone(), |reason| format!("{name} {reason}"))
            }
        }
    };
    events.iter().map(show).collect()
}

/// Returns the texts of the numbers below one.
pub(super) fn numbers(below: usize) -> Vec<String> {
    (0..below).map(|number| number.to_string()).collect()
}

/// Returns numbers, and another event behind them.
pub(super) fn and(mut numbers: Vec<String>, other: &str) -> Vec<String> {
    numbers.push(other.to_owned());
    numbers
}
