//! Tests of the end of a journal and of its writer.

use super::support::{BEGIN, WRITER, connections, head_of, journal, next, row, stored};
use crate::audit::log::journal::{Damage, Head, Index, IndexedBy, Registration, index, register, segment};
use std::time::Duration;

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
