//! Tests of a trail whose events are stored in journals: kills, damaged files, and several processes.

use super::{
    connections::Connections,
    file::TrailFile,
    journal::{self, Head, Journal, Place, WriterId, register},
    row::Row,
    *,
};
use crate::audit::{AuditSink, EventDraft};
use mgp_store::sqlite::{Synchronous, set_lock_timeout};
use mgp_types::{
    audit::{AuditEvent, AuditEventType},
    context::Principal,
};
use rusqlite::Connection;
use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::Duration,
};
use tempfile::TempDir;
use xtask_testing::until;

const WRITER: WriterId = WriterId([7; 16]);
const BASE: Place = Place { seq: 0, hash: [9; 32] };
/// The length of a header.
const HEADER: usize = 104;

/// A trail in a folder.
struct Trail {
    folder: TempDir,
}

impl Trail {
    fn new() -> Self {
        // On a busy machine, another connection may keep the file for longer than usual.
        set_lock_timeout(Duration::from_secs(120));
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// Returns a trail with the journal of a writer that was killed before its events were moved into the file.
    fn killed(events: usize) -> Self {
        Self::killed_with(events, u64::MAX)
    }

    fn killed_with(events: usize, segment_bytes: u64) -> Self {
        let trail = Self::new();
        let store = Connections::open(TrailFile::new(&trail.path(), Synchronous::Normal)).unwrap();
        let mut journal = Journal::create(&trail.journals(), WRITER, BASE, false).unwrap();
        let head = Head { place: BASE, segment: 0, position: HEADER as u64 };
        register(store.writing.lock().connection(Duration::ZERO).unwrap(), WRITER, &head).unwrap();
        journal.segment_bytes = segment_bytes;
        (0..events).for_each(|number| journal.append([&Row::new(&event(number)).unwrap()]).unwrap());
        trail
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("audit.sqlite3")
    }

    fn journals(&self) -> PathBuf {
        journal::folder(&self.path())
    }

    /// Returns the path of a segment of the killed writer.
    fn segment(&self, number: u64) -> PathBuf {
        self.journals().join(format!("{WRITER}-{number:08}"))
    }

    fn open(&self) -> AuditLog {
        AuditLog::open(self.path(), &AuditLogConfig::default()).unwrap()
    }

    fn sqlite(&self) -> Connection {
        Connection::open(self.path()).unwrap()
    }

    /// Returns the names of the files in the folder of journals.
    fn files(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.journals()) else { return Vec::new() };
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

fn event(number: usize) -> AuditEvent {
    EventDraft::new(AuditEventType::ToolExecuted, &Principal::agent("a")).detail("n", &number).finish()
}

async fn record(log: &AuditLog, number: usize) {
    log.record(event(number)).await.unwrap();
}

/// Returns all events that a process reads, the calls by their numbers, and the events of journals by their reasons.
async fn events(log: &AuditLog) -> Vec<String> {
    let events = log.latest(AuditFilter { last: 100_000, ..Default::default() }).await.unwrap();
    let numbers: Vec<_> = events.iter().map(|event| event.seq().unwrap()).collect();
    assert!(numbers.is_sorted_by(|one, next| one + 1 == *next), "{numbers:?}");
    let show = |event: &AuditEvent| {
        let details = event.details.as_ref().unwrap();
        match details.decode::<usize>("n") {
            Ok(Some(number)) => number.to_string(),
            _ => {
                let name =
                    event.event_type.as_str().rsplit(['.', '_']).next().unwrap_or_default().to_lowercase();
                details.text("reason").map_or(name.clone(), |reason| format!("{name} {reason}"))
            }
        }
    };
    events.iter().map(show).collect()
}

/// Returns the texts of the numbers below one.
fn numbers(below: usize) -> Vec<String> {
    (0..below).map(|number| number.to_string()).collect()
}

/// Returns numbers, and another event behind them.
fn and(mut numbers: Vec<String>, other: &str) -> Vec<String> {
    numbers.push(other.to_owned());
    numbers
}

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

#[tokio::test]
async fn a_missing_segment_is_reported() {
    let trail = Trail::killed(4);
    fs::remove_file(trail.segment(0)).unwrap();
    let log = trail.open();
    assert_eq!(events(&log).await, ["damaged missing"]);
    assert_eq!(events(&log).await.len(), 1, "it is reported once");
    // One of several: the others do not follow.
    let trail = Trail::killed_with(12, 1000);
    fs::remove_file(trail.segment(1)).unwrap();
    let log = trail.open();
    let shown = events(&log).await;
    assert!((2..7).contains(&shown.len()), "{shown:?}");
    assert_eq!(shown, and(numbers(shown.len() - 1), "damaged missing"));
    let aside = log.verify(None).await.unwrap().problem_count;
    assert_eq!((aside as usize, trail.segment(2).exists()), (trail.files().len(), false));
}

#[cfg(unix)]
#[tokio::test]
async fn a_journal_that_cannot_be_read_keeps_back_no_other() {
    let trail = Trail::killed(3);
    // Before and behind the other one. Opening a pipe would wait for ever if nobody else had it open.
    let pipes = [WriterId([1; 16]), WriterId([8; 16])].map(|writer| {
        let path = trail.journals().join(format!("{writer}-00000000"));
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        fs::File::options().read(true).write(true).open(&path).unwrap()
    });
    let log = trail.open();
    assert_eq!(events(&log).await, numbers(3));
    let error = log.verify(None).await.unwrap_err().message;
    assert!(error.contains("is not a file"), "{error}");
    assert_eq!(trail.files().len(), pipes.len());
}

#[tokio::test]
async fn damage_is_reported_once_its_journal_is_kept_aside() {
    let trail = Trail::killed(2);
    let mut changed = fs::read(trail.segment(0)).unwrap();
    *changed.last_mut().unwrap() ^= 4;
    fs::write(trail.segment(0), &changed).unwrap();
    // A folder has the name under which the journal is kept.
    let aside = trail.segment(0).with_extension("damaged");
    fs::create_dir_all(aside.join("inner")).unwrap();
    let log = trail.open();
    assert_eq!(events(&log).await, numbers(1));
    assert!(log.verify(None).await.is_err());
    assert_eq!(fs::read(trail.segment(0)).unwrap(), changed);
    fs::remove_dir_all(&aside).unwrap();
    assert_eq!(events(&log).await, and(numbers(1), "damaged changed"));
    assert_eq!(fs::read(aside).unwrap(), changed);
}

#[tokio::test]
async fn a_writer_killed_before_its_first_event_leaves_nothing() {
    let trail = Trail::new();
    drop(Journal::create(&trail.journals(), WRITER, BASE, false).unwrap());
    let log = trail.open();
    assert_eq!((events(&log).await, trail.files()), (Vec::new(), Vec::new()));
    // A live one is left alone.
    let live = Journal::create(&trail.journals(), WRITER, BASE, false).unwrap();
    assert_eq!((events(&log).await, trail.files().len()), (Vec::new(), 1));
    drop(live);
}

#[tokio::test]
async fn events_are_stored_while_another_process_locks_the_file() {
    let trail = Trail::new();
    let log = trail.open();
    record(&log, 0).await;
    let other = trail.sqlite();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    for number in 1..50 {
        record(&log, number).await;
    }
    assert!(log.admit().is_ok());
    other.execute_batch("COMMIT").unwrap();
    assert_eq!(events(&trail.open()).await, numbers(50), "as another process sees them");
}

#[tokio::test]
async fn each_process_sees_every_event_at_once() {
    let trail = Trail::new();
    let logs = [trail.open(), trail.open()];
    for number in 0..40 {
        record(&logs[number % 2], number).await;
        assert_eq!(events(&logs[(number + 1) % 2]).await, numbers(number + 1));
    }
    assert_eq!(trail.files().len(), 2);
    drop(logs);
    until(|| trail.files().is_empty()).await;
    assert_eq!(events(&trail.open()).await, numbers(40));
}

#[tokio::test]
async fn a_reader_alone_leaves_no_journal() {
    let trail = Trail::new();
    assert!(events(&trail.open()).await.is_empty());
    assert!(!trail.journals().exists());
}

#[cfg(unix)]
#[tokio::test]
async fn a_removed_journal_loses_no_event_and_another_one_is_begun() {
    let trail = Trail::new();
    let log = trail.open();
    record(&log, 0).await;
    let other = trail.sqlite();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    record(&log, 1).await;
    fs::remove_dir_all(trail.journals()).unwrap();
    // It waits for the file, because the events of the removed journal go there first.
    let waiting = log.record(event(2));
    other.execute_batch("COMMIT").unwrap();
    waiting.await.unwrap();
    assert_eq!(events(&log).await, numbers(3));
    assert_eq!(trail.files().len(), 1);
    assert!(log.verify(None).await.unwrap().is_intact());
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

#[cfg(unix)]
#[tokio::test]
async fn events_that_wait_in_the_journal_go_to_a_replaced_file() {
    let trail = Trail::new();
    let log = trail.open();
    for number in 0..3 {
        record(&log, number).await;
    }
    log.flush().await.unwrap();
    for end in ["", "-wal", "-shm"] {
        fs::remove_file(format!("{}{end}", trail.path().display())).unwrap();
    }
    record(&log, 3).await;
    record(&log, 4).await;
    assert_eq!(events(&log).await, ["replaced", "3", "4"]);
    let first = log.latest(AuditFilter::default()).await.unwrap().remove(0);
    assert_eq!(first.seq(), Some(4), "the numbers continue");
    assert_eq!(first.details.unwrap().decode("events_stored").unwrap(), Some(3));
    assert!(log.verify(None).await.unwrap().is_intact());
}

#[cfg(unix)]
#[tokio::test]
async fn an_older_copy_of_the_file_gets_only_later_events() {
    let trail = Trail::new();
    let log = trail.open();
    record(&log, 0).await;
    log.flush().await.unwrap();
    let copy = trail.folder.path().join("copy");
    trail.sqlite().execute("VACUUM INTO ?", [copy.to_str().unwrap()]).unwrap();
    record(&log, 1).await;
    log.flush().await.unwrap();
    for end in ["-wal", "-shm"] {
        fs::remove_file(format!("{}{end}", trail.path().display())).unwrap();
    }
    fs::rename(copy, trail.path()).unwrap();
    record(&log, 2).await;
    let shown = log.latest(AuditFilter::default()).await.unwrap();
    let types: Vec<_> = shown.iter().map(|event| event.event_type.as_str()).collect();
    assert_eq!(types, ["TOOL_EXECUTED", "dev.cloto.mgp.AUDIT_FILE_REPLACED", "TOOL_EXECUTED"]);
    assert!(log.verify(None).await.unwrap().is_intact());
}

#[tokio::test]
async fn a_file_that_cannot_take_events_stops_calls_until_it_can() {
    let trail = Trail::new();
    let log = trail.open();
    record(&log, 0).await;
    log.flush().await.unwrap();
    let other = trail.sqlite();
    let full = "CREATE TRIGGER full BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'disk is full'); END";
    other.execute_batch(full).unwrap();
    record(&log, 1).await;
    until(|| log.writer().is_failing()).await;
    assert!(log.admit().unwrap_err().to_string().contains("disk is full"));
    assert!(log.record(event(2)).await.is_err(), "no event is stored during an outage");
    assert_eq!(events(&log).await, numbers(1), "the file can still be read");
    assert!(log.verify(None).await.unwrap_err().message.contains("disk is full"));
    other.execute_batch("DROP TRIGGER full").unwrap();
    until(|| !log.writer().is_failing()).await;
    record(&log, 3).await;
    assert_eq!(events(&log).await, ["0", "1", "interrupted disk is full", "3"]);
}

#[cfg(unix)]
#[tokio::test]
async fn a_journal_that_cannot_be_written_stops_calls_until_it_can() {
    let trail = Trail::new();
    fs::write(trail.journals(), "no folder").unwrap();
    let log = AuditLog::open(trail.path(), &AuditLogConfig::default()).unwrap();
    let error = log.record(event(0)).await.unwrap_err().to_string();
    assert!(error.contains("journal"), "{error}");
    assert!(log.admit().is_err());
    fs::remove_file(trail.journals()).unwrap();
    until(|| !log.writer().is_failing()).await;
    record(&log, 1).await;
    let shown = log.latest(AuditFilter::default()).await.unwrap();
    let told = shown[0].details.as_ref().unwrap();
    let counts = ["events_failed", "calls_refused"].map(|name| told.decode::<u64>(name).unwrap().unwrap());
    assert_eq!((shown.len(), counts), (2, [1, 1]));
}

#[tokio::test]
async fn the_store_mode_reads_journals_too_and_writes_none() {
    let trail = Trail::killed(3);
    let config = AuditLogConfig { journal: JournalMode::Store, ..AuditLogConfig::default() };
    let log = AuditLog::open(trail.path(), &config).unwrap();
    record(&log, 3).await;
    assert_eq!((events(&log).await, trail.files()), (numbers(4), Vec::new()));
}

#[tokio::test]
async fn an_event_that_survives_a_loss_of_power_is_read_back() {
    let trail = Trail::new();
    let config = AuditLogConfig { durability: Durability::Power, ..AuditLogConfig::default() };
    let log = AuditLog::open(trail.path(), &config).unwrap();
    for number in 0..20 {
        record(&log, number).await;
    }
    assert_eq!((events(&log).await, trail.files().len()), (numbers(20), 1));
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
            .args(["--exact", "--nocapture", "audit::log::tests_of_journals::records_until_it_is_killed"])
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

#[test]
fn two_processes_recover_a_journal_together_exactly_once() {
    let trail = Trail::killed_with(5000, 20_000);
    let path: &Path = &trail.path();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| AuditLog::open(path, &AuditLogConfig::default()).unwrap());
        }
    });
    let count = "SELECT count(*) FROM all_events";
    let count: i64 = trail.sqlite().query_row(count, [], |row| row.get(0)).unwrap();
    assert_eq!((count, trail.files()), (5000, Vec::new()));
}
