//! Journals in folders, and the trails that their events are moved to.

use crate::audit::{
    EventDraft,
    log::{
        connections::Connections,
        file::TrailFile,
        journal::{Batch, Head, Journal, Place, Registration, WriterId, batch, segment::HEADER},
        row::Row,
    },
};
use mgp_store::sqlite::Synchronous;
use mgp_types::{audit::AuditEventType, context::Principal};
use std::{fs::File, path::Path};
use tempfile::TempDir;

pub(super) const BASE: Place = Place { seq: 0, hash: [9; 32] };
pub(super) const WRITER: WriterId = WriterId([7; 16]);

pub(super) const BEGIN: Head = Head { place: BASE, segment: 0, position: HEADER as u64 };

pub(super) fn row(number: usize) -> Row {
    let draft = EventDraft::new(AuditEventType::ToolExecuted, &Principal::agent("ä")).server("s");
    Row::new(&draft.detail("number", &number).finish()).unwrap()
}

/// Returns a journal with some events, each appended singly.
pub(super) fn journal(events: usize) -> (TempDir, Journal) {
    let folder = tempfile::tempdir().unwrap();
    let mut journal = Journal::create(folder.path(), WRITER, BASE, false).unwrap();
    (0..events).for_each(|number| journal.append([&row(number)]).unwrap());
    (folder, journal)
}

pub(super) fn read(path: &Path) -> Batch {
    let file = File::open(path).unwrap();
    batch::read(&file, BASE, HEADER as u64, u64::MAX, usize::MAX).unwrap()
}

/// Returns the connections of a process to the trail in a folder.
pub(super) fn connections(folder: &Path) -> Connections {
    Connections::open(TrailFile::new(&folder.join("audit.sqlite3"), Synchronous::Normal)).unwrap()
}

pub(super) fn stored(folder: &Path) -> i64 {
    let store = rusqlite::Connection::open(folder.join("audit.sqlite3")).unwrap();
    store.query_row("SELECT count(*) FROM all_events", [], |row| row.get(0)).unwrap()
}

/// Returns the head of the writer.
pub(super) fn head_of(store: &rusqlite::Connection) -> Head {
    Registration::read(store, WRITER).unwrap().unwrap().head
}

/// Reads some events of a journal after a head, as a process that indexes does.
pub(super) fn next(journal: &Journal, head: &Head, most: usize) -> Batch {
    let file = File::open(journal.path()).unwrap();
    batch::read(&file, head.place, head.position, u64::MAX, most).unwrap()
}
