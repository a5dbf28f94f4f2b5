//! Tests of the storing of events in the journal, with the threads' work done by the tests.

use super::*;
use crate::audit::{
    EventDraft,
    log::{
        checkpoints::{Checkpointer, Checkpoints},
        connections::Connections,
        file::TrailFile,
        writer::Job,
    },
};
use mgp_store::sqlite::Synchronous;
use mgp_types::{audit::AuditEventType, context::Principal};
use rusqlite::Connection;
use std::{fs::File, path::Path, sync::Arc, thread};
use tempfile::TempDir;
use tokio::sync::oneshot;

/// A writer whose journal has its first event.
struct Rig {
    folder: TempDir,
    writer: Arc<Writer>,
    _checkpointer: Checkpointer,
}

impl Rig {
    fn new() -> Self {
        Self::with_quick(Duration::MAX)
    }

    fn with_quick(quick: Duration) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.sqlite3");
        let connections = Arc::new(Connections::open(TrailFile::new(&path, Synchronous::Normal)).unwrap());
        let (checkpoints, _checkpointer) = Checkpoints::new();
        let own = Some(OwnJournal::new(false));
        let writer = Writer::new(connections, checkpoints, Some(quick), journal::folder(&path), own);
        // A pause after a slow write lasts longer than any test.
        let writer = Arc::new(Writer { pause: Duration::from_secs(3600), ..writer });
        let rig = Self { folder, writer, _checkpointer };
        assert_eq!(rig.writer.store_alone(&row()), None, "the thread creates the journal");
        rig.by_the_thread(1).unwrap();
        rig.writer.slow_until.store(0, Ordering::Release);
        rig
    }

    fn own(&self) -> &OwnJournal {
        self.writer.own.as_ref().unwrap()
    }

    fn by_the_thread(&self, events: usize) -> Result<(), String> {
        let hand = || Job::Store(row(), oneshot::channel().0, self.writer.hand());
        let jobs: Vec<_> = (0..events).map(|_| hand()).collect();
        self.writer.store(&jobs).map_err(|error| error.to_string())
    }

    fn sqlite(&self) -> Connection {
        Connection::open(self.folder.path().join("audit.sqlite3")).unwrap()
    }

    /// Returns the number of events in the file.
    fn indexed(&self) -> i64 {
        self.sqlite().query_row("SELECT count(*) FROM all_events", [], |row| row.get(0)).unwrap()
    }

    /// Returns the number of events that a reader finds.
    fn stored(&self) -> i64 {
        let count = "SELECT count(*) FROM all_events";
        self.writer.read(|reader| reader.connection.query_row(count, [], |row| row.get(0))).unwrap()
    }

    fn journals(&self) -> usize {
        std::fs::read_dir(&self.writer.journals).unwrap().count()
    }
}

fn row() -> Row {
    let event = EventDraft::new(AuditEventType::ToolExecuted, &Principal::agent("a")).finish();
    Row::new(&event).unwrap()
}

#[test]
fn a_single_event_needs_no_transaction_and_overtakes_none() {
    let rig = Rig::new();
    assert_eq!((rig.writer.store_alone(&row()), rig.indexed()), (Some(()), 0));
    let handed = rig.writer.hand();
    assert_eq!(rig.writer.store_alone(&row()), None);
    drop(handed);
    assert_eq!(rig.writer.store_alone(&row()), Some(()));
    assert_eq!((rig.indexed(), rig.stored(), rig.indexed()), (0, 3, 3));
}

#[test]
fn a_caller_does_not_wait_for_a_journal_that_is_in_use() {
    let rig = Rig::with_quick(Duration::ZERO);
    let busy = rig.own().lock();
    assert_eq!(rig.writer.store_alone(&row()), None);
    drop(busy);
    assert_eq!(rig.writer.store_alone(&row()), Some(()));
    // That took longer than no time, so the thread stores the next events.
    assert_eq!(rig.writer.store_alone(&row()), None);
}

#[cfg(target_os = "linux")]
#[test]
fn a_failed_append_replaces_the_journal_and_loses_no_event() {
    let rig = Rig::new();
    let full = || File::options().read(true).write(true).open("/dev/full").unwrap().into();
    let segment = std::mem::replace(&mut rig.own().lock().journal().segment, full());
    assert_eq!(rig.writer.store_alone(&row()), None);
    // The disk has room again, and the first event is still in the old journal.
    rig.own().lock().journal().segment = segment;
    rig.by_the_thread(1).unwrap();
    assert_eq!((rig.indexed(), rig.journals(), rig.stored()), (1, 1, 2));
    // The thread's own append fails: its callers are told, and the outage is.
    let segment = std::mem::replace(&mut rig.own().lock().journal().segment, full());
    assert!(rig.by_the_thread(3).unwrap_err().contains("journal"));
    assert!(rig.writer.admit().is_err());
    rig.own().lock().journal().segment = segment;
    rig.by_the_thread(1).unwrap();
    assert!(rig.writer.admit().is_ok());
    assert_eq!(rig.stored(), 4, "with the event of the outage");
}

#[test]
fn a_journal_that_is_too_long_waits_for_the_file() {
    let rig = Rig::new();
    rig.own().lock().journal().segment_bytes = 200;
    let other = rig.sqlite();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let appended = (0..100).take_while(|_| rig.writer.store_alone(&row()).is_some()).count();
    assert!((15..20).contains(&appended), "{appended} segments");
    let rows = row();
    let failure = rig.writer.append(rig.own(), Duration::ZERO, &[&rows]).unwrap_err();
    assert!(failure.busy, "{failure:?}");
    other.execute_batch("COMMIT").unwrap();
    rig.by_the_thread(1).unwrap();
    let stored = 2 + i64::try_from(appended).unwrap();
    assert_eq!((rig.stored(), rig.indexed()), (stored, stored));
    assert!(rig.journals() <= 2, "segments whose events are in the file are removed");
    assert_eq!(rig.writer.store_alone(&row()), Some(()));
}

#[test]
fn the_index_thread_moves_events_until_the_journal_ends() {
    let rig = Rig::new();
    assert_eq!(rig.writer.store_alone(&row()), Some(()));
    let indexing = rig.writer.clone();
    let thread = thread::spawn(move || indexing.run_index());
    xtask_testing::block_until_some(|| (rig.indexed() == 2).then_some(()));
    assert_eq!(rig.writer.store_alone(&row()), Some(()));
    rig.writer.end_journal();
    thread.join().unwrap();
    assert_eq!((rig.indexed(), rig.journals()), (3, 0));
}

#[test]
fn a_long_or_copied_journal_gathers_no_events() {
    let rig = Rig::new();
    assert_eq!(rig.writer.gathered(rig.own()), Some(1));
    rig.own().lock().journal().segment_bytes = 200;
    let appended = (0..2).filter_map(|_| rig.writer.store_alone(&row())).count();
    assert_eq!((appended, rig.writer.gathered(rig.own())), (2, None));
    assert_eq!((rig.stored(), rig.writer.gathered(rig.own())), (3, Some(3)));
    rig.writer.keep_uncopied();
    assert_eq!(rig.writer.gathered(rig.own()), None);
}

#[test]
fn the_index_thread_ends_an_outage_without_an_event() {
    let rig = Rig::new();
    let indexing = rig.writer.clone();
    // Reported while the writer's thread waits for events, and already over when the index thread looks.
    rig.writer.health.fails("disk is full", 0);
    let thread = thread::spawn(move || indexing.run_index());
    xtask_testing::block_until_some(|| rig.writer.admit().is_ok().then_some(()));
    rig.writer.end_journal();
    thread.join().unwrap();
}

#[test]
fn an_event_that_another_process_indexed_is_not_indexed_again() {
    let rig = Rig::new();
    for _ in 0..5 {
        rig.writer.store_alone(&row()).unwrap();
    }
    let other = other(rig.folder.path());
    assert_eq!(other.index_all(Duration::ZERO).map_err(|failure| failure.reason), Ok(()));
    assert_eq!(rig.indexed(), 6);
    rig.writer.store_alone(&row()).unwrap();
    assert_eq!((rig.stored(), rig.journals()), (7, 1));
}

/// Returns a writer of another process.
fn other(folder: &Path) -> Writer {
    let path = folder.join("audit.sqlite3");
    let connections = Arc::new(Connections::open(TrailFile::new(&path, Synchronous::Normal)).unwrap());
    Writer::new(connections, Checkpoints::new().0, None, journal::folder(&path), None)
}
