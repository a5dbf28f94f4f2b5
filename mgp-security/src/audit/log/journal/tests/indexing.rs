//! Tests of moving events into the tables.

use super::support::{BEGIN, WRITER, connections, head_of, journal, next, row, stored};
use crate::audit::{
    AuditLog, AuditLogConfig,
    log::{
        connections::Connections,
        journal::{Batch, Head, IndexedBy, index, register},
    },
};
use std::time::Duration;

#[tokio::test]
async fn two_processes_index_each_event_exactly_once() {
    let (folder, mut journal) = journal(10);
    let (one, other) = (connections(folder.path()), connections(folder.path()));
    let store = rusqlite::Connection::open(folder.path().join("audit.sqlite3")).unwrap();
    register(&store, WRITER, &BEGIN).unwrap();
    let index = |process: &Connections, from: &Head, batch: &Batch| {
        index(&mut process.writing.lock(), Duration::from_secs(9), WRITER, from, batch, IndexedBy::Other)
            .unwrap()
    };
    // Both read from the beginning, one of them more than the other.
    let (few, all) = (next(&journal, &BEGIN, 4), next(&journal, &BEGIN, usize::MAX));
    assert_eq!((index(&one, &BEGIN, &few), index(&other, &BEGIN, &all)), (4, 6));
    assert_eq!((index(&one, &BEGIN, &few), index(&one, &BEGIN, &all), stored(folder.path())), (0, 0, 10));
    journal.append([&row(10)]).unwrap();
    let head = head_of(&store);
    assert_eq!(head.place.seq, 10);
    assert_eq!((index(&one, &head, &next(&journal, &head, 9)), stored(folder.path())), (1, 11));
    // Events behind another event with the same number are not indexed, and neither are those behind a gap.
    journal.append([&row(11)]).unwrap();
    let head = head_of(&store);
    store.execute("UPDATE writers SET hash = zeroblob(32)", []).unwrap();
    assert_eq!((index(&one, &head, &next(&journal, &head, 9)), stored(folder.path())), (0, 11));
    store.execute("UPDATE writers SET seq = 3", []).unwrap();
    assert_eq!((index(&one, &head, &next(&journal, &head, 9)), stored(folder.path())), (0, 11));
    store.execute("DELETE FROM writers", []).unwrap();
    drop((one, other, store));
    let log = AuditLog::open(folder.path().join("audit.sqlite3"), &AuditLogConfig::default()).unwrap();
    let verified = log.verify(None).await.unwrap();
    assert!(verified.is_intact() && verified.events == 11, "{verified:?}");
}

#[test]
fn a_journal_of_an_unregistered_writer_is_not_indexed() {
    let (folder, journal) = journal(3);
    let process = connections(folder.path());
    let batch = next(&journal, &BEGIN, 9);
    let index = || {
        index(&mut process.writing.lock(), Duration::ZERO, WRITER, &BEGIN, &batch, IndexedBy::Other).unwrap()
    };
    assert_eq!((index(), stored(folder.path())), (0, 0));
    let store = rusqlite::Connection::open(folder.path().join("audit.sqlite3")).unwrap();
    register(&store, WRITER, &BEGIN).unwrap();
    store.execute("UPDATE writers SET ended = 1", []).unwrap();
    assert_eq!((index(), stored(folder.path())), (0, 0), "all its events are in the store");
    store.execute("UPDATE writers SET ended = 0", []).unwrap();
    assert_eq!((index(), stored(folder.path())), (3, 3));
}

#[test]
fn a_failed_index_leaves_the_head_where_it_was() {
    let (folder, journal) = journal(3);
    let process = connections(folder.path());
    let store = rusqlite::Connection::open(folder.path().join("audit.sqlite3")).unwrap();
    register(&store, WRITER, &BEGIN).unwrap();
    store
        .execute_batch(
            "CREATE TRIGGER full BEFORE INSERT ON events WHEN NEW.seq = 3
             BEGIN SELECT RAISE(ABORT, 'disk is full'); END",
        )
        .unwrap();
    let batch = next(&journal, &BEGIN, 9);
    let index =
        || index(&mut process.writing.lock(), Duration::ZERO, WRITER, &BEGIN, &batch, IndexedBy::Other);
    assert!(index().unwrap_err().to_string().contains("disk is full"));
    assert_eq!((head_of(&store), stored(folder.path())), (BEGIN, 0));
    store.execute_batch("DROP TRIGGER full").unwrap();
    assert_eq!((index().unwrap(), stored(folder.path())), (3, 3));
}
