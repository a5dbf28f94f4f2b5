//! Tests of trails whose writers were killed.

use super::support::{BASE, Trail, WRITER, and, events, numbers, record};
use crate::audit::log::{AuditLog, AuditLogConfig, journal::Journal};
use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead, BufReader, Write},
    process::{Command, Stdio},
};

#[tokio::test]
async fn events_of_a_killed_writer_are_recovered_at_the_start() {
    for segment_bytes in [u64::MAX, 1000] {
        let trail = Trail::killed_with(3000, segment_bytes);
        let log = trail.open();
        let count = "SELECT count(*) FROM all_events";
        let count: i64 = trail.sqlite().query_row(count, [], |row| row.get(0)).unwrap();
        assert_eq!((count, trail.files()), (3000, Vec::new()), "before anything is read");
        assert_eq!(events(&log).await, numbers(3000));
        let writers = "SELECT count(*) FROM writers";
        assert_eq!(trail.sqlite().query_row(writers, [], |row| row.get::<_, i64>(0)).unwrap(), 0);
        assert!(log.verify(None).await.unwrap().is_intact());
    }
}

#[tokio::test]
async fn a_torn_last_record_ends_the_journal_and_is_reported() {
    let whole = fs::read(Trail::killed(4).segment(0)).unwrap();
    for cut in [1, 100] {
        let trail = Trail::killed(4);
        fs::write(trail.segment(0), &whole[..whole.len() - cut]).unwrap();
        let log = trail.open();
        assert_eq!(events(&log).await, and(numbers(3), "damaged torn"));
        assert_eq!(trail.files(), [format!("{WRITER}-00000000.torn")]);
        assert!(log.verify(None).await.unwrap().is_intact(), "a kill is not an attack");
        drop(log);
        assert_eq!(events(&trail.open()).await.len(), 4, "it is reported once");
    }
}

#[tokio::test]
async fn a_writer_killed_before_its_first_event_leaves_nothing() {
    let trail = Trail::new();
    drop(Journal::create(&trail.journals(), WRITER, BASE, false).unwrap());
    let log = trail.open();
    assert_eq!((events(&log).await, trail.files()), (Vec::new(), Vec::new()));
    // Nothing is removed from a journal whose writer lives.
    let live = Journal::create(&trail.journals(), WRITER, BASE, false).unwrap();
    assert_eq!((events(&log).await, trail.files().len()), (Vec::new(), 1));
    drop(live);
}

/// Records events for ever on several threads if the test below asks for it, and prints the number of each that is stored.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn records_until_it_is_killed() {
    let Some(path) = std::env::var_os("MGP_TEST_TRAIL") else { return };
    let log = AuditLog::open(path, &AuditLogConfig::default()).unwrap();
    let mut tasks = Vec::new();
    for task in 0..8 {
        let log = log.clone();
        tasks.push(tokio::spawn(async move {
            for number in 0.. {
                let number = std::process::id() as usize * 10_000_000 + number * 8 + task;
                record(&log, number).await;
                writeln!(std::io::stdout(), "stored {number}").unwrap();
            }
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
}

#[tokio::test]
async fn killed_processes_lose_and_repeat_no_acknowledged_event() {
    let trail = Trail::new();
    let mut acknowledged = Vec::<usize>::new();
    for run in 0..4 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "--nocapture",
                "audit::log::tests_of_journals::kills::records_until_it_is_killed",
            ])
            .env("MGP_TEST_TRAIL", trail.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let mut numbers = lines.filter_map(|line| {
            line.split_once("stored ").and_then(|(_, number)| number.parse::<usize>().ok())
        });
        let before = acknowledged.len();
        // From the first events to several batches that were moved into the file.
        acknowledged.extend(numbers.by_ref().take([1_usize, 300, 3000, 8000][run]));
        child.kill().unwrap();
        acknowledged.extend(numbers);
        child.wait().unwrap();
        assert!(acknowledged.len() > before);
    }
    let log = trail.open();
    let mut found = BTreeMap::<usize, usize>::new();
    for shown in events(&log).await {
        // A torn record, which was not acknowledged, is reported.
        if let Ok(number) = shown.parse() {
            *found.entry(number).or_default() += 1;
        }
    }
    assert!(acknowledged.iter().all(|number: &usize| found.get(number) == Some(&1)));
    assert!(found.values().all(|times| *times == 1));
    assert!(log.verify(None).await.unwrap().is_intact());
}
