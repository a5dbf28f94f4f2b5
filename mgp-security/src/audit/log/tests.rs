//! Tests of the trail in SQLite.

use super::*;
use crate::{
    audit::{AuditLayer, AuditSink, EventDraft},
    testing::{Inner, TestCall, code},
};
use mgp_store::sqlite::set_lock_timeout;
use mgp_transport::seam::Incoming;
use mgp_types::{
    audit::{AuditEvent, AuditEventType, AuditReplayParams, AuditResult, ReplayAudit},
    context::{Principal, TraceId},
    rpc::{Call, RawParams},
};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};
use tempfile::TempDir;
use tower::{Layer, ServiceExt};
use xtask_testing::until;

fn file() -> (TempDir, PathBuf) {
    // On a busy machine, another connection may keep the file for longer than usual.
    set_lock_timeout(Duration::from_secs(120));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("audit.sqlite3");
    (folder, path)
}

fn event(id: &str, event_type: AuditEventType) -> EventDraft {
    EventDraft::new(event_type, &Principal::agent(id)).server("s").tool("t")
}

fn in_store() -> AuditLogConfig {
    AuditLogConfig { journal: JournalMode::Store, ..AuditLogConfig::default() }
}

/// Returns the number of events of a trace that a second connection sees in the file.
fn stored(path: &PathBuf, trace: &str) -> i64 {
    rusqlite::Connection::open(path)
        .unwrap()
        .query_row("SELECT count(*) FROM all_events WHERE trace_id = ?", [trace], |row| row.get(0))
        .unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_reply_precedes_its_event_and_numbers_are_dense() {
    const CALLERS: usize = 64;
    const CALLS: usize = 10;
    let (_folder, path) = file();
    let log = AuditLog::open(&path, &in_store()).unwrap();
    let service = AuditLayer::new(Arc::new(log.clone())).layer(Inner::new());
    let callers: Vec<_> = (0..CALLERS)
        .map(|caller| {
            let (service, path) = (service.clone(), path.clone());
            tokio::spawn(async move {
                for number in 0..CALLS {
                    let trace = format!("trace-{caller}-{number}");
                    let mut call = TestCall::new("{}").principal("a").identified();
                    call.trace = TraceId::new(&trace);
                    service.clone().oneshot(call).await.unwrap();
                    assert_eq!(stored(&path, &trace), 1, "{trace}");
                }
            })
        })
        .collect();
    for caller in callers {
        caller.await.unwrap();
    }
    let page = log.replay(AuditReplayParams { limit: Some(1000), ..Default::default() }).await.unwrap();
    let numbers: Vec<_> = page.events.iter().map(|event| event.seq().unwrap()).collect();
    assert_eq!(numbers, (1..=(CALLERS * CALLS) as u64).collect::<Vec<_>>());
    assert!(!page.has_more);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_keep_the_order_in_which_one_caller_recorded_them() {
    let (_folder, path) = file();
    let log = AuditLog::open(&path, &AuditLogConfig::default()).unwrap();
    for number in 0..600 {
        let recorded = log.record(event("a", AuditEventType::ToolExecuted).detail("n", &number).finish());
        // The test waits for some of them, so that the next event can be stored by its caller, and not for the others.
        if number % 20 < 10 {
            recorded.await.unwrap();
        }
    }
    log.flush().await.unwrap();
    let events = log.latest(AuditFilter { last: 600, ..Default::default() }).await.unwrap();
    let numbers: Vec<u64> =
        events.iter().map(|event| event.details.as_ref().unwrap().decode("n").unwrap().unwrap()).collect();
    assert_eq!(numbers, (0..600).collect::<Vec<_>>());
}

#[tokio::test]
async fn the_file_s_log_stays_small_while_events_arrive_singly() {
    let (folder, path) = file();
    let log = AuditLog::open(&path, &AuditLogConfig::default()).unwrap();
    for _ in 0..2000 {
        log.record(event("a", AuditEventType::ToolExecuted).finish()).await.unwrap();
    }
    log.flush().await.unwrap();
    let length = std::fs::metadata(folder.path().join("audit.sqlite3-wal")).unwrap().len();
    assert!(length < 8 * 1024 * 1024, "{length} bytes");
}

#[tokio::test]
async fn two_processes_share_one_file_and_its_numbers() {
    let (_folder, path) = file();
    let logs: Vec<_> = (0..2).map(|_| AuditLog::open(&path, &AuditLogConfig::default()).unwrap()).collect();
    for round in 0..20 {
        logs[round % 2].record(event("a", AuditEventType::AccessGranted).finish()).await.unwrap();
    }
    let page = logs[0].replay(AuditReplayParams::default()).await.unwrap();
    let numbers: Vec<_> = page.events.iter().map(|event| event.seq().unwrap()).collect();
    assert_eq!(numbers, (1..=20).collect::<Vec<_>>());
}

#[tokio::test]
async fn replay_continues_page_by_page_by_number_and_by_time() {
    let (_folder, path) = file();
    let log = AuditLog::open(&path, &AuditLogConfig::default()).unwrap();
    for second in 0..5 {
        let mut event = event("a", AuditEventType::ToolExecuted).finish();
        event.timestamp = format!("2026-02-27T12:00:0{second}.000Z");
        log.record(event).await.unwrap();
    }
    let page = |since_seq, since_timestamp: Option<&str>| {
        let params = AuditReplayParams {
            since_seq,
            since_timestamp: since_timestamp.map(Into::into),
            limit: Some(2),
            trail: None,
        };
        log.replay(params)
    };
    let first = page(None, None).await.unwrap();
    assert_eq!((first.events.len(), first.has_more, first.next_seq), (2, true, 2));
    let last = page(Some(4), None).await.unwrap();
    assert_eq!((last.events.len(), last.has_more, last.next_seq), (1, false, 5));
    let none = page(Some(5), None).await.unwrap();
    assert_eq!((none.events.len(), none.has_more, none.next_seq), (0, false, 5));
    let late = page(None, Some("2026-02-27T12:00:03Z")).await.unwrap();
    assert_eq!((late.events.len(), late.has_more, late.next_seq), (2, false, 5));
    let error = page(None, Some("yesterday")).await.unwrap_err();
    assert!(error.code == -32602 && error.message.contains("since_timestamp \"yesterday\""), "{error}");
}

#[tokio::test]
async fn the_latest_events_are_filtered_by_each_field() {
    let (_folder, path) = file();
    let log = AuditLog::open(&path, &AuditLogConfig::default()).unwrap();
    let trace = TraceId::new("trace").unwrap();
    let drafts = [
        event("a", AuditEventType::ToolExecuted),
        event("b", AuditEventType::ToolExecuted).trace(&trace).result(AuditResult::Failure),
        event("b", AuditEventType::ToolBlocked).server("other"),
    ];
    for draft in drafts {
        log.record(draft.finish()).await.unwrap();
    }
    let numbers = async |filter: AuditFilter| -> Vec<u64> {
        log.latest(filter).await.unwrap().iter().map(|event| event.seq().unwrap()).collect()
    };
    assert_eq!(numbers(AuditFilter::default()).await, [1, 2, 3]);
    assert_eq!(numbers(AuditFilter { last: 2, ..Default::default() }).await, [2, 3]);
    assert_eq!(numbers(AuditFilter { actor_id: Some("b".into()), ..Default::default() }).await, [2, 3]);
    assert_eq!(numbers(AuditFilter { server_id: Some("other".into()), ..Default::default() }).await, [3]);
    let executed = Some(AuditEventType::ToolExecuted);
    assert_eq!(numbers(AuditFilter { event_type: executed, ..Default::default() }).await, [1, 2]);
    assert_eq!(numbers(AuditFilter { trace: Some(trace), ..Default::default() }).await, [2]);
    for (beginning, found) in [("tra", &["trace"][..]), ("trace", &["trace"]), ("tracex", &[])] {
        assert_eq!(log.traces(beginning, 2).await.unwrap(), found, "{beginning}");
    }
    // The other events have traces of their own.
    assert_eq!(log.traces("", 2).await.unwrap().len(), 2);
    assert_eq!(log.traces("", 9).await.unwrap().len(), 3);
    assert_eq!(numbers(AuditFilter { tool_name: Some("t".into()), ..Default::default() }).await, [1, 2, 3]);
    assert_eq!(numbers(AuditFilter { tool_name: Some("x".into()), ..Default::default() }).await, [0; 0]);
    assert_eq!(numbers(AuditFilter { result: Some(AuditResult::Failure), ..Default::default() }).await, [2]);
    let since = |time: &str| Some(time.parse().unwrap());
    assert_eq!(
        numbers(AuditFilter { since: since("2101-01-01T00:00:00Z"), ..Default::default() }).await,
        [0; 0]
    );
    let all = AuditFilter { since: since("2001-01-01T00:00:00Z"), last: 2, ..Default::default() };
    assert_eq!(numbers(all).await, [2, 3]);
    let none = AuditFilter { until: since("2001-01-01T00:00:00Z"), ..Default::default() };
    assert_eq!(numbers(none).await, [0; 0]);
    let before = |seq| Some(EventPlace { trail: None, seq });
    let older = AuditFilter { before: before(3), last: 1, ..Default::default() };
    assert_eq!(numbers(older).await, [2]);
    assert_eq!(numbers(AuditFilter { before: before(u64::MAX), ..Default::default() }).await, [1, 2, 3]);
    let first = AuditFilter { before: before(3), last: 1, ..Default::default() };
    let page = log.after(AuditPosition::default(), first.clone()).await.unwrap();
    let rest = log.after(page.next, AuditFilter { last: 9, ..first }).await.unwrap();
    let seqs = page.events.iter().chain(&rest.events).map(|event| event.seq().unwrap());
    assert_eq!((seqs.collect::<Vec<_>>(), page.has_more, rest.has_more), (vec![1, 2], true, false));
}

#[tokio::test]
async fn a_full_queue_delays_the_caller_and_loses_no_event() {
    let (_folder, path) = file();
    let log = AuditLog::open(&path, &AuditLogConfig { queue: 1, ..in_store() }).unwrap();
    // Another process's transaction holds the writer up, so that the queue fills.
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let answers: Vec<_> =
        (0..10).map(|_| log.record(event("a", AuditEventType::ToolExecuted).finish())).collect();
    drop(answers);
    other.execute_batch("COMMIT").unwrap();
    // The tasks that wait for room run before this one does.
    tokio::task::yield_now().await;
    log.flush().await.unwrap();
    assert_eq!(log.latest(AuditFilter::default()).await.unwrap().len(), 10);
}

#[tokio::test]
async fn a_file_that_cannot_be_opened_or_written_is_an_error() {
    let (_folder, path) = file();
    let error = AuditLog::open(path.join("missing"), &AuditLogConfig::default()).unwrap_err().to_string();
    assert!(error.contains("missing") && error.contains("unable to open"), "{error}");
    let log = AuditLog::open(&path, &in_store()).unwrap();
    rusqlite::Connection::open(&path).unwrap().execute_batch("DROP TABLE events").unwrap();
    let error = log.record(event("a", AuditEventType::ToolExecuted).finish()).await.unwrap_err();
    assert!(error.to_string().contains("no such table"), "{error}");
}

#[tokio::test]
async fn an_event_reads_back_unchanged_with_its_number() {
    let (_folder, path) = file();
    let log = AuditLog::open(&path, &AuditLogConfig { durability: Durability::Power, ..Default::default() })
        .unwrap();
    let event = event("ä", AuditEventType::from("com.example.x")).detail("n", &1.5).finish();
    log.record(event.clone()).await.unwrap();
    let mut back = log.latest(AuditFilter::default()).await.unwrap().remove(0);
    assert_eq!(back.seq(), Some(1));
    back.mgp = None;
    assert_eq!(back, event);
    assert!(back.trace_id.get().is_some());
}

#[tokio::test]
async fn an_unreadable_event_is_named_and_hides_no_other() {
    let (_folder, path) = file();
    let log = AuditLog::open(&path, &AuditLogConfig::default()).unwrap();
    for id in ["a", "b", "c", "d"] {
        log.record(event(id, AuditEventType::ToolExecuted).finish()).await.unwrap();
    }
    log.flush().await.unwrap();
    let by_hand = rusqlite::Connection::open(&path).unwrap();
    by_hand.execute("UPDATE events SET event = 'no json' WHERE actor_id = 'b'", []).unwrap();
    by_hand.execute("UPDATE events SET event = CAST(x'ff' AS TEXT) WHERE actor_id = 'c'", []).unwrap();
    let page = log.replay(AuditReplayParams::default()).await.unwrap();
    let told = |events: &[AuditEvent]| -> Vec<_> {
        events
            .iter()
            .map(|event| (event.seq().unwrap(), event.actor.id.clone(), event.event_type.to_string()))
            .collect()
    };
    let (ran, broken) = ("TOOL_EXECUTED", "dev.cloto.mgp.EVENT_UNREADABLE");
    let expected: Vec<_> = [(1, "a", ran), (2, "kernel", broken), (3, "kernel", broken), (4, "d", ran)]
        .map(|(seq, who, what)| (seq, who.to_owned(), what.to_owned()))
        .into();
    assert_eq!((told(&page.events), page.next_seq), (expected.clone(), 4));
    assert!(page.events[1].details.as_ref().unwrap().text("reason").is_some());
    assert_eq!(page.events[1].timestamp, "1970-01-01T00:00:00Z", "its time is not known");
    let latest = log.latest(AuditFilter { last: 10, ..AuditFilter::default() }).await.unwrap();
    assert_eq!(told(&latest), expected);
}

#[tokio::test]
async fn a_trail_of_an_earlier_version_keeps_its_numbers() {
    let (_folder, path) = file();
    let mut old = rusqlite::Connection::open(&path).unwrap();
    schema::before_the_split().to_latest(&mut old).unwrap();
    let insert = "INSERT INTO events (at, event_type, actor_id, event) VALUES (?, 'TOOL_EXECUTED', ?, ?)";
    for actor in ["a", "b", "c"] {
        let event = serde_json::to_string(&event(actor, AuditEventType::ToolExecuted).finish()).unwrap();
        old.execute(insert, rusqlite::params![1, actor, event]).unwrap();
    }
    drop(old);
    let log = AuditLog::open(&path, &AuditLogConfig::default()).unwrap();
    log.record(event("a", AuditEventType::ToolExecuted).finish()).await.unwrap();
    let numbers = async |filter| -> Vec<u64> {
        log.latest(filter).await.unwrap().iter().map(|event| event.seq().unwrap()).collect()
    };
    assert_eq!(numbers(AuditFilter::default()).await, [1, 2, 3, 4]);
    assert_eq!(numbers(AuditFilter { actor_id: Some("a".into()), ..Default::default() }).await, [1, 4]);
}

#[tokio::test]
async fn only_admins_read_the_trail_if_one_is_kept() {
    let (_folder, path) = file();
    let log = AuditLog::open(&path, &AuditLogConfig::default()).unwrap();
    log.record(event("a", AuditEventType::ToolExecuted).finish()).await.unwrap();
    let answer = async |log: Option<AuditLog>, caller: Principal| {
        let mut message = Incoming::request(1, ReplayAudit::METHOD, RawParams::none());
        message.ext.insert(caller);
        AuditLog::routes().with_state(log).oneshot(message).await.unwrap()
    };
    let replayed = answer(Some(log.clone()), Principal::operator("root")).await;
    assert!(replayed.result().unwrap().as_str().contains("TOOL_EXECUTED"), "{replayed:?}");
    assert_eq!(code(&answer(Some(log), Principal::agent("a")).await), Some(1000));
    assert_eq!(code(&answer(None, Principal::operator("root")).await), Some(-32603));
}

#[tokio::test]
async fn each_receiver_continues_after_its_last_event() {
    let (_folder, path) = file();
    let log = AuditLog::open(&path, &AuditLogConfig::default()).unwrap();
    for _ in 0..4 {
        log.record(event("a", AuditEventType::ToolExecuted).finish()).await.unwrap();
    }
    let unreceived = async |receiver: &str, limit| -> Vec<u64> {
        let events = log.unreceived(receiver, limit).await.unwrap().events;
        events.iter().map(|event| event.seq().unwrap()).collect()
    };
    assert_eq!(unreceived("one", 100).await, [1, 2, 3, 4]);
    assert_eq!((unreceived("one", 2).await, unreceived("one", 0).await), (vec![1, 2], vec![1]));
    log.received("one", 3).await.unwrap();
    log.received("one", 2).await.unwrap();
    assert_eq!((unreceived("one", 100).await, unreceived("other", 100).await), (vec![4], vec![1, 2, 3, 4]));
}

#[tokio::test]
async fn one_handle_at_a_time_forwards_events() {
    let (_folder, path) = file();
    let open = || AuditLog::open(&path, &AuditLogConfig::default()).unwrap();
    let (one, other) = (open(), open());
    let turn = one.forwarding_turn().await.unwrap();
    assert!(turn.is_some() && other.forwarding_turn().await.unwrap().is_none());
    drop(turn);
    assert!(other.forwarding_turn().await.unwrap().is_some());
    assert!(ForwardingTurn::take(Path::new("/no such folder/audit.sqlite3")).is_err());
}

#[tokio::test]
async fn leftovers_of_a_removed_file_that_cannot_go_are_an_error() {
    let (folder, path) = file();
    std::fs::create_dir(folder.path().join("audit.sqlite3-wal")).unwrap();
    let error = AuditLog::open(&path, &AuditLogConfig::default()).unwrap_err().to_string();
    assert!(error.contains("failed to remove") && error.contains("audit.sqlite3-wal"), "{error}");
}

#[tokio::test]
async fn the_file_is_closed_once_the_last_handle_is_dropped() {
    let (folder, path) = file();
    let log = AuditLog::open(&path, &AuditLogConfig::default()).unwrap();
    log.record(event("a", AuditEventType::ToolExecuted).finish()).await.unwrap();
    let wal = folder.path().join("audit.sqlite3-wal");
    assert!(wal.exists());
    drop(log);
    until(|| !wal.exists()).await;
}
