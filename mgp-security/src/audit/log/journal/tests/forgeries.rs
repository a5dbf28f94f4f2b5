//! Tests of segments that were cut or changed.

use super::support::{BASE, WRITER, journal, read};
use crate::audit::log::journal::{End, Header, Place, batch, segment::HEADER};
use std::fs::{self, File};

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
