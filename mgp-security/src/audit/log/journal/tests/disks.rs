//! Tests of disks and folders that take no events.

use super::support::{BASE, WRITER, journal, read, row};
use crate::audit::log::journal::{AppendError, End, Journal, WriterId, segment};
use std::{
    fs::{self, File},
    io::Write,
    path::Path,
    process::Command,
};

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
        .args(["--exact", "--nocapture", "audit::log::journal::tests::disks::appends_until_it_fails"])
        .env("MGP_TEST_SMALL_DISK", folder.path())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let stored = text.lines().find_map(|line| line.split_once("stored ")?.1.parse::<i64>().ok());
    let batch = read(&segment::path(folder.path(), WRITER, 0));
    assert_eq!((Some(batch.place.seq), batch.end), (stored, End::Complete), "{text}");
    assert!(batch.place.seq > 20);
}
