//! Tests of reading what a writer appended.

use super::support::{BASE, WRITER, journal, read, row};
use crate::audit::{
    EventDraft,
    log::{
        journal::{
            End, Header, WriterId, batch,
            segment::{self, HEADER},
        },
        row::Row,
    },
};
use mgp_types::{audit::AuditEventType, context::Principal};
use std::fs::{self, File};

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

#[test]
fn events_after_the_given_end_are_not_read() {
    let (_folder, journal) = journal(4);
    let file = File::open(journal.path()).unwrap();
    let two = batch::read(&file, BASE, HEADER as u64, u64::MAX, 2).unwrap();
    let batch = batch::read(&file, BASE, HEADER as u64, two.position, usize::MAX).unwrap();
    assert_eq!((batch.rows.len(), batch.place, batch.end), (2, two.place, End::Complete));
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
