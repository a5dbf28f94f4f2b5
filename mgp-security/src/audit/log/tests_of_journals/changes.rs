//! Tests of journals that were changed, repeated or brought from elsewhere.

use super::support::{BASE, HEADER, Trail, and, event, events, numbers, record};
use crate::audit::log::{
    AuditProblem,
    journal::{Journal, WriterId},
    row::Row,
};
use std::fs;

#[tokio::test]
async fn from_a_changed_byte_on_no_record_is_accepted() {
    let whole = fs::read(Trail::killed(4).segment(0)).unwrap();
    let record = (whole.len() - HEADER) / 4;
    // In the header, in a hash, and in an event.
    for (position, accepted) in [(10, 0), (HEADER + record + 20, 1), (HEADER + 2 * record + 60, 2)] {
        let trail = Trail::killed(4);
        let mut changed = fs::read(trail.segment(0)).unwrap();
        changed[position] ^= 4;
        fs::write(trail.segment(0), changed).unwrap();
        let log = trail.open();
        assert_eq!(events(&log).await, and(numbers(accepted), "damaged changed"), "{position}");
        let aside = trail.segment(0).with_extension("damaged");
        let found = log.verify(None).await.unwrap();
        assert_eq!(
            (found.problem_count, &found.problems),
            (1, &vec![AuditProblem::Journal { file: aside.clone() }])
        );
        assert!(found.problems[0].to_string().contains("AUDIT_JOURNAL_DAMAGED"));
        fs::remove_file(aside).unwrap();
        assert!(log.verify(None).await.unwrap().is_intact());
    }
}

#[tokio::test]
async fn repeated_records_and_segments_are_not_accepted() {
    let trail = Trail::killed(4);
    let whole = fs::read(trail.segment(0)).unwrap();
    let record = (whole.len() - HEADER) / 4;
    fs::write(trail.segment(0), [&whole[..], &whole[whole.len() - record..]].concat()).unwrap();
    let log = trail.open();
    let mut expected = and(numbers(4), "damaged changed");
    assert_eq!(events(&log).await, expected);
    // The same journal comes back, once all its events are in the file.
    fs::write(trail.segment(0), &whole).unwrap();
    expected.push("damaged unregistered".to_owned());
    assert_eq!(events(&log).await, expected);
    assert_eq!(log.verify(None).await.unwrap().problem_count, 1, "both are kept under one name");
    // A copy of the first segment as the second one.
    let trail = Trail::killed(4);
    fs::copy(trail.segment(0), trail.segment(1)).unwrap();
    assert_eq!(events(&trail.open()).await, and(numbers(4), "damaged changed"));
}

#[tokio::test]
async fn a_journal_of_another_trail_is_reported_and_not_accepted() {
    let (one, other) = (Trail::killed(2), Trail::killed(3));
    let foreign = one.journals().join(format!("{}-00000000", WriterId([8; 16])));
    fs::copy(other.segment(0), &foreign).unwrap();
    let log = one.open();
    let expected = and(numbers(2), "damaged unregistered");
    assert_eq!(events(&log).await, expected);
    assert_eq!(events(&log).await, expected, "it is reported once");
    // Under the name of a writer that the trail knows.
    let trail = Trail::killed(2);
    let mut foreign = Journal::create(&other.journals(), WriterId([8; 16]), BASE, false).unwrap();
    foreign.append([&Row::new(&event(7)).unwrap()]).unwrap();
    fs::copy(other.journals().join(format!("{}-00000000", WriterId([8; 16]))), trail.segment(0)).unwrap();
    assert_eq!(events(&trail.open()).await, ["damaged changed"]);
}

#[cfg(unix)]
#[tokio::test]
async fn a_journal_that_is_cut_under_its_writer_is_reported() {
    let trail = Trail::new();
    let log = trail.open();
    record(&log, 0).await;
    log.flush().await.unwrap();
    let other = trail.sqlite();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    record(&log, 1).await;
    let path = trail.journals().join(trail.files().remove(0));
    let cut = fs::File::options().write(true).open(path).unwrap();
    cut.set_len(HEADER as u64).unwrap();
    other.execute_batch("COMMIT").unwrap();
    assert_eq!(events(&log).await, ["0", "damaged changed"]);
    record(&log, 2).await;
    assert_eq!(events(&log).await, ["0", "damaged changed", "2"]);
    assert_eq!(log.verify(None).await.unwrap().problem_count, 1);
}
