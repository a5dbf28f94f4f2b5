//! Tests of writers that end.

use super::support::{BASE, WRITER, journal, read, row};
use crate::audit::log::journal::{End, Journal, segment};
use std::{
    fs::File,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Command, Stdio},
};

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

#[test]
fn a_killed_writer_loses_no_acknowledged_event() {
    for run in 0..5 {
        let folder = tempfile::tempdir().unwrap();
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "--nocapture", "audit::log::journal::tests::kills::appends_until_it_is_killed"])
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
