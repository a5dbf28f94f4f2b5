//! Tests of the thread that writes events.

use super::*;
use crate::audit::{
    EventDraft,
    log::{AuditFilter, AuditRetention, checkpoints::Checkpointer, file::TrailFile, reader},
};
use mgp_store::sqlite::{Synchronous, set_lock_timeout};
use mgp_types::{audit::AuditEventType, context::Principal};
use rusqlite::Connection;
use std::path::Path;
use xtask_testing::block_until_some;

/// A time limit that suffices even on a slow machine.
const ANY: Option<Duration> = Some(Duration::MAX);

/// A pause after a slow transaction that lasts longer than any test.
const LONG: Duration = Duration::from_secs(3600);

/// Returns a writer, and the work of its checkpoint thread, which the tests do themselves.
fn writer(folder: &Path, quick: Option<Duration>) -> (Arc<Writer>, Checkpointer) {
    let file = TrailFile::new(&folder.join("audit.sqlite3"), Synchronous::Normal);
    let connections = Arc::new(Connections::open(file).unwrap());
    let (checkpoints, checkpointer) = Checkpoints::new();
    let writer =
        Writer { pause: LONG, ..Writer::new(connections, checkpoints, quick, folder.join("journals"), None) };
    (Arc::new(writer), checkpointer)
}

/// Runs a checkpoint if one is due. Returns whether it was.
fn checkpoint_if_due(writer: &Writer, checkpointer: &Checkpointer) -> bool {
    let due = checkpointer.due.try_recv().is_ok();
    if due {
        checkpointer.checkpoint(&writer.connections).unwrap();
    }
    due
}

fn row() -> Row {
    let event = EventDraft::new(AuditEventType::ToolExecuted, &Principal::agent("a")).finish();
    Row::new(&event).unwrap()
}

/// Stores concurrent events, as the writer's thread does.
fn by_the_thread(writer: &Arc<Writer>, events: usize) {
    let jobs: Vec<_> = (0..events).map(|_| Job::Store(row(), oneshot::channel().0, writer.hand())).collect();
    writer.store(&jobs).unwrap();
}

/// Returns a writer with a log that has had its first checkpoint.
fn begun(folder: &Path) -> (Arc<Writer>, Checkpointer) {
    let (writer, checkpointer) = writer(folder, ANY);
    for _ in 0..2 {
        assert_eq!(writer.store_alone(&row()), None);
        by_the_thread(&writer, 1);
        checkpoint_if_due(&writer, &checkpointer);
    }
    (writer, checkpointer)
}

fn stored(writer: &Writer) -> i64 {
    let count = "SELECT count(*) FROM all_events";
    writer.read(|reader| reader.connection.query_row(count, [], |row| row.get(0))).unwrap()
}

/// Returns the length of the write-ahead log, in bytes.
fn log_length(folder: &Path) -> u64 {
    std::fs::metadata(folder.join("audit.sqlite3-wal")).map_or(0, |file| file.len())
}

#[test]
fn a_single_event_is_stored_at_once_and_overtakes_none() {
    let folder = tempfile::tempdir().unwrap();
    let (writer, _) = begun(folder.path());
    assert_eq!((writer.store_alone(&row()), stored(&writer)), (Some(()), 3));
    let handed = writer.hand();
    assert_eq!((writer.store_alone(&row()), stored(&writer)), (None, 3));
    drop(handed);
    assert_eq!((writer.store_alone(&row()), stored(&writer)), (Some(()), 4));
}

#[test]
fn many_events_share_a_transaction() {
    let folder = tempfile::tempdir().unwrap();
    let (writer, _) = begun(folder.path());
    by_the_thread(&writer, 2);
    for _ in 0..LONE {
        assert_eq!(writer.store_alone(&row()), None);
        by_the_thread(&writer, 1);
    }
    assert_eq!(writer.store_alone(&row()), Some(()));
}

#[test]
fn an_event_that_would_block_is_left_to_the_thread() {
    let folder = tempfile::tempdir().unwrap();
    let (quick, _) = begun(folder.path());
    let other = Connection::open(folder.path().join("audit.sqlite3")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    // Far longer than this takes on a busy machine.
    set_lock_timeout(Duration::from_secs(120));
    let began = Instant::now();
    assert_eq!(quick.store_alone(&row()), None);
    assert!(began.elapsed() < lock_timeout(), "it waited");
    other.execute_batch("COMMIT").unwrap();
    // Not retried at once: the other process may continue.
    assert_eq!((quick.store_alone(&row()), stored(&quick)), (None, 2));
    for slow in [None, Some(Duration::ZERO)] {
        let (writer, _) = writer(folder.path(), slow);
        by_the_thread(&writer, 1);
        by_the_thread(&writer, 1);
        assert_eq!(writer.store_alone(&row()), slow.map(|_| ()));
        assert_eq!(writer.store_alone(&row()), None);
    }
}

#[test]
fn the_file_s_log_stays_small_for_any_writer() {
    let folder = tempfile::tempdir().unwrap();
    let (writer, checkpointer) = writer(folder.path(), ANY);
    let mut moved = 0;
    for _ in 0..2500 {
        if writer.store_alone(&row()).is_none() {
            by_the_thread(&writer, 1);
        }
        moved += usize::from(checkpoint_if_due(&writer, &checkpointer));
    }
    let length = log_length(folder.path());
    assert!(moved >= 4 && length < 8 * 1024 * 1024, "moved {moved} times, {length} bytes");
}

#[test]
fn many_short_processes_and_a_long_one_leave_no_long_log() {
    let folder = tempfile::tempdir().unwrap();
    let (_long, _) = begun(folder.path());
    for _ in 0..100 {
        let (short, checkpointer) = writer(folder.path(), ANY);
        for _ in 0..50 {
            if short.store_alone(&row()).is_none() {
                by_the_thread(&short, 1);
            }
            checkpoint_if_due(&short, &checkpointer);
        }
    }
    let length = log_length(folder.path());
    assert!(length < 8 * 1024 * 1024, "{length} bytes");
}

#[test]
fn an_overlong_log_is_emptied_once_nobody_reads_it() {
    let folder = tempfile::tempdir().unwrap();
    let (writer, _checkpointer) = begun(folder.path());
    // Returns whether the thread had to store the event, which waits for readers if the log is too long.
    let store = || {
        let left_to_the_thread = writer.store_alone(&row()).is_none();
        if left_to_the_thread {
            by_the_thread(&writer, 1);
        }
        left_to_the_thread
    };
    let reader = Connection::open(folder.path().join("audit.sqlite3")).unwrap();
    reader.execute_batch("BEGIN; SELECT count(*) FROM events").unwrap();
    let waits = (0..1500).filter(|_| store()).count();
    assert!((1..5).contains(&waits), "{waits} events waited for the reader");
    let long = log_length(folder.path());
    assert!(long > 4 * 1024 * 1024, "{long} bytes: it is read");
    reader.execute_batch("COMMIT").unwrap();
    for _ in 0..800 {
        store();
    }
    assert!(log_length(folder.path()) < long / 2);
    // Many callers wait only if the log is much longer.
    by_the_thread(&writer, 2);
    writer.checkpoints.count(2000);
    by_the_thread(&writer, 2);
    assert_ne!(log_length(folder.path()), 0);
    writer.checkpoints.count(16 * 1024);
    by_the_thread(&writer, 2);
    assert_eq!((log_length(folder.path()), stored(&writer)), (0, 2308));
    // The next transaction begins the log and waits for the disk, so it is left to the thread.
    by_the_thread(&writer, 1);
    assert!(!writer.checkpoints.may_wait());
}

#[test]
fn events_are_stored_while_a_checkpoint_runs() {
    let folder = tempfile::tempdir().unwrap();
    let (writer, _checkpointer) = begun(folder.path());
    let running = writer.connections.checkpointing.lock();
    assert_eq!(writer.store_alone(&row()), Some(()));
    by_the_thread(&writer, 1000);
    assert_eq!(stored(&writer), 1003);
    drop(running);
}

#[test]
fn a_failed_checkpoint_is_retried_and_one_runs_at_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let (writer, checkpointer) = begun(folder.path());
    let path = folder.path().join("audit.sqlite3");
    let unwritable = Connection::open_with_flags(&path, rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    let usable = writer.connections.checkpointing.lock().replace(unwritable);
    assert!(checkpointer.checkpoint(&writer.connections).is_err());
    // As another connection finds them in the tables if it does not read the log.
    let in_the_tables = || {
        let copy = folder.path().join("copy.sqlite3");
        std::fs::copy(&path, &copy).unwrap();
        let copy = Connection::open(copy).unwrap();
        // A copy that was made during a checkpoint may not be readable.
        copy.query_row("SELECT count(*) FROM events", [], |row| row.get::<_, i64>(0)).unwrap_or(-1)
    };
    let moves = |events| block_until_some(|| (in_the_tables() >= events).then_some(()));
    let anchor = || {
        let select = "SELECT anchor_seq FROM trail";
        let read =
            |reader: Reader<'_>| reader.connection.query_row(select, [], |row| row.get::<_, Option<i64>>(0));
        writer.read(read).unwrap()
    };
    let connections = writer.connections.clone();
    let thread = thread::spawn(move || checkpointer.run(&connections, &AuditRetention::default()));
    writer.checkpoints.count(1000);
    // The attempt that fails comes right after the anchor.
    block_until_some(anchor);
    *writer.connections.checkpointing.lock() = usable;
    moves(2);
    by_the_thread(&writer, 1);
    // The other connections stay open: SQLite itself moves the log when the last one is closed.
    let _open = writer.connections.clone();
    drop(writer);
    moves(3);
    thread.join().unwrap();
}

#[test]
fn events_moved_to_the_indexed_table_are_read_with_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let (writer, _checkpointer) = begun(folder.path());
    by_the_thread(&writer, 598);
    while writer.connections.move_older(10).unwrap() {}
    let tables = || {
        let counts = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?));
        let sql = "SELECT (SELECT count(*) FROM older_events), (SELECT count(*) FROM events)";
        writer.read(|reader| reader.connection.query_row(sql, [], counts)).unwrap()
    };
    assert_eq!(tables(), (599, 1), "the newest stays, because the next number is taken from it");
    by_the_thread(&writer, 3);
    assert!(!writer.connections.move_older(10).unwrap());
    assert_eq!((tables(), stored(&writer)), ((599, 4), 603));
    let numbers = |filter: AuditFilter| -> Vec<u64> {
        let page = writer.read(|reader| reader::latest(reader, &filter)).unwrap();
        page.events.iter().map(|event| event.seq().unwrap()).collect()
    };
    assert_eq!(numbers(AuditFilter { last: 603, ..Default::default() }), (1..=603).collect::<Vec<_>>());
    let latest = AuditFilter { actor_id: Some("a".into()), last: 5, ..Default::default() };
    assert_eq!(numbers(latest), (599..=603).collect::<Vec<_>>());
    let plan = "EXPLAIN QUERY PLAN SELECT seq FROM all_events WHERE trace_id = 'x' ORDER BY seq DESC LIMIT 9";
    let plan: Vec<String> = writer
        .read(|reader| reader.connection.prepare(plan)?.query_map([], |row| row.get(3))?.collect())
        .unwrap();
    assert!(plan.iter().any(|step| step.contains("events_by_trace")), "{plan:?}");
}

#[test]
fn events_are_moved_when_quiet_or_when_there_are_too_many() {
    let folder = tempfile::tempdir().unwrap();
    let (writer, checkpointer) = begun(folder.path());
    by_the_thread(&writer, 1200);
    let moved = || {
        let count = "SELECT count(*) FROM older_events";
        writer.read(|reader| reader.connection.query_row(count, [], |row| row.get::<_, i64>(0))).unwrap()
    };
    assert!(checkpointer.moves(&writer.connections, false), "not while events come, but later");
    assert_eq!(moved(), 0);
    assert!(!checkpointer.moves(&writer.connections, true));
    assert_eq!(moved(), 256);
}

#[test]
fn processes_with_a_replaced_file_share_the_new_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let ((one, _), (other, _)) = (writer(folder.path(), None), writer(folder.path(), None));
    by_the_thread(&one, 2);
    by_the_thread(&other, 1);
    std::fs::remove_file(folder.path().join("audit.sqlite3")).unwrap();
    // The other process opens the new file while it is empty, and writes to it later.
    other.connections.renew(&mut other.connections.writing.lock()).unwrap();
    by_the_thread(&one, 3);
    by_the_thread(&other, 1);
    let page = one.read(|reader| reader::latest(reader, &AuditFilter::default())).unwrap();
    let numbers: Vec<_> = page.events.iter().map(|event| event.seq().unwrap()).collect();
    assert_eq!(numbers, [3, 4, 5, 6, 7, 8]);
}

#[test]
fn after_a_slow_write_single_events_are_soon_stored_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let (writer, _) = begun(folder.path());
    let other = Connection::open(folder.path().join("audit.sqlite3")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert_eq!(writer.store_alone(&row()), None);
    other.execute_batch("COMMIT").unwrap();
    assert_eq!(writer.store_alone(&row()), None);
    // The pause passes.
    writer.slow_until.fetch_sub(micros(LONG), Ordering::AcqRel);
    assert_eq!(writer.store_alone(&row()), Some(()));
}

#[test]
fn events_move_to_the_indexed_table_while_too_many_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let (writer, _) = writer(folder.path(), ANY);
    by_the_thread(&writer, 5);
    let older = || {
        let count = "SELECT count(*) FROM older_events";
        writer.read(|reader| reader.connection.query_row(count, [], |row| row.get::<_, i64>(0))).unwrap()
    };
    assert_eq!((writer.connections.move_older(5).unwrap(), older()), (false, 0));
    assert_eq!((writer.connections.move_older(4).unwrap(), older()), (false, 4));
}

#[test]
fn a_checkpoint_is_due_after_pages_of_any_writer() {
    let (checkpoints, checkpointer) = Checkpoints::new();
    let due = |pages| {
        checkpoints.count(pages);
        checkpointer.due.try_recv().is_ok()
    };
    assert!(due(1), "another process may have left a long log");
    assert!(!due(999) && due(1) && due(1000) && !due(1));
    let large = EventDraft::new(AuditEventType::ToolExecuted, &Principal::agent("a"));
    let large = Row::new(&large.detail("text", &"x".repeat(PAGE * 10)).finish()).unwrap();
    assert!((11..15).contains(&pages(std::iter::once(&large))));
}

#[test]
fn events_waiting_after_an_outage_are_stored_without_a_caller() {
    let folder = tempfile::tempdir().unwrap();
    let (writer, _) = begun(folder.path());
    writer.health.fails("full", 1);
    let (jobs, receiver) = mpsc::channel(8);
    let mut outcomes = Vec::new();
    for _ in 0..2 {
        let (done, outcome) = oneshot::channel();
        assert!(jobs.try_send(Job::Store(row(), done, writer.hand())).is_ok());
        outcomes.push(outcome);
    }
    drop(jobs);
    writer.run(receiver, 8);
    assert!(outcomes.iter_mut().all(|outcome| matches!(outcome.try_recv(), Ok(Ok(())))));
    assert_eq!(stored(&writer), 5, "with the event of the outage");
}

#[test]
fn a_closed_connection_is_opened_again() {
    let folder = tempfile::tempdir().unwrap();
    let (writer, _) = begun(folder.path());
    let mut writing = writer.connections.writing.lock();
    writing.close();
    assert!(!writer.connections.is_current(&writing));
    drop(writing);
    by_the_thread(&writer, 1);
    assert_eq!(stored(&writer), 3);
}
