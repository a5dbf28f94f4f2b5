//! Attacks on a journal.

use super::{
    batch,
    segment::{self, HEADER},
    *,
};
use crate::audit::{
    AuditLog, AuditLogConfig, EventDraft,
    log::{connections::Connections, file::TrailFile, row::Row},
};
use mgp_store::sqlite::Synchronous;
use mgp_types::{audit::AuditEventType, context::Principal};
use std::{
    fs::{self, File},
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Command, Stdio},
    time::Duration,
};
use tempfile::TempDir;

const BASE: Place = Place { seq: 0, hash: [9; 32] };
const WRITER: WriterId = WriterId([7; 16]);

fn row(number: usize) -> Row {
    let draft = EventDraft::new(AuditEventType::ToolExecuted, &Principal::agent("ä")).server("s");
    Row::new(&draft.detail("number", &number).finish()).unwrap()
}

/// Returns a journal with some events, each appended singly.
fn journal(events: usize) -> (TempDir, Journal) {
    let folder = tempfile::tempdir().unwrap();
    let mut journal = Journal::create(folder.path(), WRITER, BASE, false).unwrap();
    (0..events).for_each(|number| journal.append([&row(number)]).unwrap());
    (folder, journal)
}

fn read(path: &Path) -> Batch {
    let file = File::open(path).unwrap();
    batch::read(&file, BASE, HEADER as u64, u64::MAX, usize::MAX).unwrap()
}

#[test]
fn events_are_read_as_they_were_appended() {
    let (_folder, mut journal) = journal(0);
    let rows: Vec<_> = (0..10).map(row).collect();
    journal.append(&rows[..7]).unwrap();
    journal.append(&rows[7..]).unwrap();
    let batch = read(journal.path());
    assert_eq!(format!("{:?}", batch.rows), format!("{rows:?}"));
    assert_eq!((batch.end, batch.place), (End::Complete, journal.last()));
}

#[test]
fn a_cut_segment_has_exactly_its_whole_records() {
    let (_folder, journal) = journal(4);
    let whole = fs::read(journal.path()).unwrap();
    let ends: Vec<_> = (0..=4)
        .map(|most| {
            let file = File::open(journal.path()).unwrap();
            batch::read(&file, BASE, HEADER as u64, u64::MAX, most).unwrap().position as usize
        })
        .collect();
    for length in HEADER..whole.len() {
        fs::write(journal.path(), &whole[..length]).unwrap();
        let batch = read(journal.path());
        let expected = ends.iter().filter(|end| **end <= length).count() - 1;
        let end = if ends.contains(&length) { End::Complete } else { End::Cut };
        assert_eq!((batch.rows.len(), batch.end), (expected, end), "{length}");
    }
}

#[test]
fn a_flipped_byte_is_not_accepted_and_events_before_it_are_read() {
    let (_folder, journal) = journal(4);
    let whole = fs::read(journal.path()).unwrap();
    let genuine = format!("{:?}", read(journal.path()).rows);
    for position in HEADER..whole.len() {
        let mut changed = whole.clone();
        changed[position] ^= 0x10;
        fs::write(journal.path(), &changed).unwrap();
        let batch = read(journal.path());
        assert!(batch.rows.len() < 4 && batch.end != End::Complete, "{position}: {:?}", batch.end);
        let accepted = format!("{:?}", batch.rows);
        assert!(genuine.starts_with(accepted.trim_end_matches(']')), "{position}");
    }
}

#[test]
fn a_repeated_swapped_or_missing_record_is_foreign() {
    let (_folder, journal) = journal(3);
    let whole = fs::read(journal.path()).unwrap();
    let record = (whole.len() - HEADER) / 3;
    let part = |number: usize| &whole[HEADER + number * record..HEADER + (number + 1) * record];
    for (order, accepted) in [(&[0, 0, 1][..], 1), (&[1, 0], 0), (&[0, 2], 1), (&[0, 1, 2, 0], 3)] {
        let mut forged = whole[..HEADER].to_vec();
        order.iter().for_each(|number| forged.extend_from_slice(part(*number)));
        fs::write(journal.path(), forged).unwrap();
        let batch = read(journal.path());
        assert_eq!((batch.rows.len(), batch.end), (accepted, End::Foreign), "{order:?}");
    }
}

#[test]
fn records_after_another_place_are_not_accepted() {
    let (_folder, journal) = journal(2);
    let file = File::open(journal.path()).unwrap();
    for before in [Place { seq: 1, ..BASE }, Place { hash: [8; 32], ..BASE }] {
        let batch = batch::read(&file, before, HEADER as u64, u64::MAX, usize::MAX).unwrap();
        assert_eq!((batch.rows.len(), batch.end), (0, End::Foreign));
    }
}

#[test]
fn a_header_with_a_changed_byte_is_not_read() {
    let (_folder, journal) = journal(1);
    let whole = fs::read(journal.path()).unwrap();
    let header = |bytes: &[u8]| {
        fs::write(journal.path(), bytes).unwrap();
        Header::read(&File::open(journal.path()).unwrap()).unwrap()
    };
    assert_eq!(header(&whole), Some(Header { writer: WRITER, number: 0, base: BASE }));
    for position in 0..HEADER {
        let mut changed = whole.clone();
        changed[position] ^= 1;
        assert_eq!(header(&changed), None, "{position}");
        assert_eq!(header(&whole[..position]), None, "{position}");
    }
}

#[test]
fn the_chain_continues_in_the_next_segment() {
    let (folder, mut journal) = journal(0);
    journal.segment_bytes = 1000;
    (0..12).for_each(|number| journal.append([&row(number)]).unwrap());
    let mut paths: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().path()).collect();
    paths.sort();
    assert!(paths.len() > 2, "{paths:?}");
    let mut place = BASE;
    for path in &paths {
        let file = File::open(path).unwrap();
        assert_eq!(Header::read(&file).unwrap().unwrap().base, place);
        let batch = batch::read(&file, place, HEADER as u64, u64::MAX, usize::MAX).unwrap();
        assert_eq!(batch.end, End::Complete);
        assert!(batch.position < 3000);
        place = batch.place;
    }
    assert_eq!((place, place.seq), (journal.last(), 12));
}

#[test]
fn a_long_segment_is_read_in_batches_without_a_gap() {
    let (_folder, mut journal) = journal(0);
    let rows: Vec<_> = (0..5000).map(row).collect();
    journal.append(&rows).unwrap();
    let large = EventDraft::new(AuditEventType::ToolExecuted, &Principal::agent("a"));
    let large = Row::new(&large.detail("text", &"x".repeat(3_000_000)).finish()).unwrap();
    journal.append([&large]).unwrap();
    let file = File::open(journal.path()).unwrap();
    let (mut place, mut position, mut events) = (BASE, HEADER as u64, 0);
    loop {
        let batch = batch::read(&file, place, position, u64::MAX, 1000).unwrap();
        events += batch.rows.len();
        (place, position) = (batch.place, batch.position);
        match batch.end {
            End::More => assert!(!batch.rows.is_empty()),
            end => {
                assert_eq!(end, End::Complete);
                break;
            }
        }
    }
    assert_eq!((events, place), (5001, journal.last()));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_refuses_events_and_keeps_the_earlier_ones() {
    let (_folder, mut journal) = journal(2);
    let full = File::options().read(true).write(true).open("/dev/full").unwrap();
    let segment = std::mem::replace(&mut journal.segment, full.into());
    let before = journal.last();
    assert!(matches!(journal.append([&row(2)]), Err(AppendError::Io(_))));
    assert_eq!(journal.last(), before);
    journal.segment = segment;
    // Another process may have indexed part of what was refused: its numbers are not used again.
    assert!(matches!(journal.append([&row(3)]), Err(AppendError::NotReady)));
    let batch = read(journal.path());
    assert_eq!((batch.rows.len(), batch.end, batch.place), (2, End::Complete, before));
}

#[cfg(target_os = "linux")]
#[test]
fn an_event_that_must_reach_the_disk_and_does_not_is_refused() {
    // Writes to this device succeed, and a request that they reach the disk fails.
    let null = || File::options().read(true).write(true).open("/dev/null").unwrap().into();
    for flush in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let mut journal = Journal::create(folder.path(), WRITER, BASE, flush).unwrap();
        journal.append([&row(0)]).unwrap();
        let segment = std::mem::replace(&mut journal.segment, null());
        let appended = journal.append([&row(1)]);
        assert_eq!(matches!(appended, Err(AppendError::Io(_))), flush, "{appended:?}");
        journal.segment = segment;
        let next = journal.append([&row(2)]);
        assert_eq!(matches!(next, Err(AppendError::NotReady)), flush, "{next:?}");
        assert_eq!(journal.last().seq, if flush { 1 } else { 3 });
    }
}

#[test]
fn no_event_follows_one_for_which_there_is_no_segment() {
    let (folder, mut journal) = journal(1);
    journal.segment_bytes = 0;
    // A folder has the name of the next segment.
    let taken = segment::path(folder.path(), WRITER, 1);
    fs::create_dir_all(taken.join("inner")).unwrap();
    assert!(matches!(journal.append([&row(1)]), Err(AppendError::Io(_))));
    assert!(!taken.with_extension("new").exists(), "no file is left");
    fs::remove_dir_all(taken).unwrap();
    assert!(matches!(journal.append([&row(2)]), Err(AppendError::NotReady)));
    assert_eq!(read(journal.path()).place.seq, 1);
}

#[test]
fn only_names_that_a_writer_gives_are_segments() {
    let (folder, _journal) = journal(1);
    let letters = segment::path(folder.path(), WriterId([0xab; 16]), 3);
    let names = letters.file_name().unwrap().to_str().unwrap();
    fs::write(&letters, "").unwrap();
    for name in [
        names.to_uppercase(),
        names.replace("-00000003", "-4"),
        names.replace("-00000003", "-00000003.torn"),
        names[1..].to_owned(),
        "notes".to_owned(),
    ] {
        fs::write(folder.path().join(name), "").unwrap();
    }
    let found = segment::list(folder.path()).unwrap();
    let found: Vec<_> = found
        .into_iter()
        .map(|(writer, numbers)| (writer, numbers.into_iter().collect::<Vec<_>>()))
        .collect();
    assert_eq!(found, [(WRITER, vec![0]), (WriterId([0xab; 16]), vec![3])]);
}

#[test]
fn events_after_the_given_end_are_not_read() {
    let (_folder, journal) = journal(4);
    let file = File::open(journal.path()).unwrap();
    let two = batch::read(&file, BASE, HEADER as u64, u64::MAX, 2).unwrap();
    let batch = batch::read(&file, BASE, HEADER as u64, two.position, usize::MAX).unwrap();
    assert_eq!((batch.rows.len(), batch.place, batch.end), (2, two.place, End::Complete));
}

#[cfg(unix)]
#[test]
fn an_event_is_not_acknowledged_in_a_file_that_is_gone() {
    let (folder, mut journal) = journal(1);
    fs::rename(journal.path(), folder.path().join("aside")).unwrap();
    assert!(matches!(journal.append([&row(1)]), Err(AppendError::Vanished)));
    assert_eq!(journal.last().seq, 1);
    let mut other = Journal::create(folder.path(), WriterId([8; 16]), BASE, false).unwrap();
    fs::remove_file(other.path()).unwrap();
    fs::write(other.path(), "another file").unwrap();
    assert!(matches!(other.append([&row(1)]), Err(AppendError::Vanished)));
}

#[test]
fn a_visible_segment_is_locked_until_its_writer_ends() {
    let (_folder, journal) = journal(0);
    let other = File::open(journal.path()).unwrap();
    assert!(other.try_lock().is_err());
    drop(journal);
    other.try_lock().unwrap();
}

/// Appends events for ever if the test below asks for it, and prints the number of each that is stored.
#[test]
fn appends_until_it_is_killed() {
    let Some(folder) = std::env::var_os("MGP_TEST_JOURNAL") else { return };
    let mut journal = Journal::create(Path::new(&folder), WRITER, BASE, false).unwrap();
    let mut out = std::io::stdout();
    for number in 0.. {
        journal.append([&row(number)]).unwrap();
        writeln!(out, "stored {}", journal.last().seq).unwrap();
    }
}

/// Appends events until it fails if the test below asks for it, and prints the number of each that is stored.
#[test]
fn appends_until_it_fails() {
    let Some(folder) = std::env::var_os("MGP_TEST_SMALL_DISK") else { return };
    let mut journal = Journal::create(Path::new(&folder), WRITER, BASE, false).unwrap();
    let failed = (0..).find_map(|number| journal.append([&row(number)]).err()).unwrap();
    assert!(matches!(failed, AppendError::Io(_)), "{failed}");
    writeln!(std::io::stdout(), "stored {}", journal.last().seq).unwrap();
}

#[cfg(target_os = "linux")]
#[test]
fn a_write_that_ends_halfway_leaves_whole_records() {
    let folder = tempfile::tempdir().unwrap();
    // The limit of a file's size ends a write like a disk that becomes full.
    let limited = "trap '' XFSZ; ulimit -f 64; exec \"$0\" \"$@\"";
    let output = Command::new("sh")
        .args(["-c", limited, std::env::current_exe().unwrap().to_str().unwrap()])
        .args(["--exact", "--nocapture", "audit::log::journal::tests::appends_until_it_fails"])
        .env("MGP_TEST_SMALL_DISK", folder.path())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let stored = text.lines().find_map(|line| line.split_once("stored ")?.1.parse::<i64>().ok());
    let batch = read(&segment::path(folder.path(), WRITER, 0));
    assert_eq!((Some(batch.place.seq), batch.end), (stored, End::Complete), "{text}");
    assert!(batch.place.seq > 20);
}

#[test]
fn a_killed_writer_loses_no_acknowledged_event() {
    for run in 0..5 {
        let folder = tempfile::tempdir().unwrap();
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "--nocapture", "audit::log::journal::tests::appends_until_it_is_killed"])
            .env("MGP_TEST_JOURNAL", folder.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        // The test harness may print before the first number.
        let number =
            |line: &str| line.split_once("stored ").and_then(|(_, number)| number.parse::<i64>().ok());
        let mut acknowledged = 0;
        while acknowledged < 300 + run * 37 {
            acknowledged = number(&lines.next().unwrap().unwrap()).unwrap_or(acknowledged);
        }
        child.kill().unwrap();
        child.wait().unwrap();
        acknowledged =
            lines.map_while(Result::ok).filter_map(|line| number(&line)).max().unwrap_or(acknowledged);
        let batch = read(&segment::path(folder.path(), WRITER, 0));
        assert!(batch.place.seq >= acknowledged, "{} of {acknowledged}", batch.place.seq);
        assert!(matches!(batch.end, End::Complete | End::Cut));
    }
}

/// Returns the connections of a process to the trail in a folder.
fn connections(folder: &Path) -> Connections {
    Connections::open(TrailFile::new(&folder.join("audit.sqlite3"), Synchronous::Normal)).unwrap()
}

fn stored(folder: &Path) -> i64 {
    let store = rusqlite::Connection::open(folder.join("audit.sqlite3")).unwrap();
    store.query_row("SELECT count(*) FROM all_events", [], |row| row.get(0)).unwrap()
}

const BEGIN: Head = Head { place: BASE, segment: 0, position: HEADER as u64 };

/// Returns the head of the writer.
fn head_of(store: &rusqlite::Connection) -> Head {
    Registration::read(store, WRITER).unwrap().unwrap().head
}

/// Reads some events of a journal after a head, as a process that indexes does.
fn next(journal: &Journal, head: &Head, most: usize) -> Batch {
    let file = File::open(journal.path()).unwrap();
    batch::read(&file, head.place, head.position, u64::MAX, most).unwrap()
}

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

#[test]
fn only_a_writer_that_has_ended_is_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let process = connections(folder.path());
    let writing = process.writing.lock();
    let store = writing.connection(Duration::ZERO).unwrap();
    register(store, WRITER, &BEGIN).unwrap();
    index::forget(store, WRITER).unwrap();
    assert_eq!(head_of(store), BEGIN);
    index::end(store, WRITER).unwrap();
    index::forget(store, WRITER).unwrap();
    assert_eq!(Registration::read(store, WRITER).unwrap(), None);
}

#[test]
fn only_the_end_that_the_store_knows_ends_a_journal() {
    let (folder, journal) = journal(2);
    let process = connections(folder.path());
    let index = Index { connections: &process, folder: folder.path(), busy: Duration::ZERO };
    let mut writing = process.writing.lock();
    register(writing.connection(Duration::ZERO).unwrap(), WRITER, &BEGIN).unwrap();
    let batch = next(&journal, &BEGIN, 1);
    assert!(index.insert(&mut writing, WRITER, &BEGIN, &batch, IndexedBy::Other).unwrap());
    let head = head_of(writing.connection(Duration::ZERO).unwrap());
    // Another process moved the first event, and the segment that seemed to be missing is there.
    for (head, damage) in [
        (&BEGIN, None),
        (&BEGIN, Some(Damage::Torn)),
        (&BEGIN, Some(Damage::Changed)),
        (&head, Some(Damage::Missing)),
    ] {
        let ended = index.end(&mut writing, WRITER, head, damage, IndexedBy::Other).unwrap();
        assert!(!ended, "{head:?} {damage:?}");
        assert_eq!(head_of(writing.connection(Duration::ZERO).unwrap()).place.seq, 1);
        assert!(journal.path().exists() && stored(folder.path()) == 1, "{damage:?}");
    }
    assert!(index.end(&mut writing, WRITER, &head, Some(Damage::Changed), IndexedBy::Other).unwrap());
    assert!(!journal.path().exists() && stored(folder.path()) == 2, "with the event of the damage");
}

#[test]
fn segments_after_a_damaged_one_are_kept_aside_too() {
    let (folder, mut journal) = journal(0);
    journal.segment_bytes = 1000;
    (0..12).for_each(|number| journal.append([&row(number)]).unwrap());
    let segments: Vec<_> =
        segment::list(folder.path()).unwrap().remove(&WRITER).unwrap().into_iter().collect();
    assert!(segments.len() > 2, "{segments:?}");
    let process = connections(folder.path());
    let index = Index { connections: &process, folder: folder.path(), busy: Duration::ZERO };
    let mut writing = process.writing.lock();
    let head = Head { segment: segments[1], ..BEGIN };
    register(writing.connection(Duration::ZERO).unwrap(), WRITER, &head).unwrap();
    assert!(index.end(&mut writing, WRITER, &head, Some(Damage::Changed), IndexedBy::Other).unwrap());
    for number in segments {
        let path = segment::path(folder.path(), WRITER, number);
        let is_kept = path.with_extension("damaged").exists();
        // The events of the first one are in the store.
        assert_eq!((path.exists(), is_kept), (false, number >= head.segment), "{number}");
    }
}
