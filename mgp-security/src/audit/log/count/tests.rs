//! Tests of counts.

use super::{AuditCountQuery, AuditCounts, CountBy, tally::Tally};
use crate::audit::{AuditFilter, AuditLog, AuditLogConfig, AuditReader, AuditSink, EventDraft, TOOL_CHECKED};
use jiff::Timestamp;
use mgp_types::{
    audit::{AuditEventType, AuditResult},
    context::Principal,
};
use std::time::Duration;

/// The time at which events are counted, and the length of a span, in seconds.
const NOW: i64 = 1_000_000;
const SPAN: u64 = 100;

fn query(by: CountBy, last: u32) -> AuditCountQuery {
    let since = Timestamp::from_second(NOW - 1000).ok();
    let until = Timestamp::from_second(NOW).ok();
    let filter = AuditFilter { since, until, last, ..AuditFilter::default() };
    AuditCountQuery { filter, by, span: Duration::from_secs(SPAN), groups: 2 }
}

/// An event that happened some seconds ago.
fn event(ago: i64, event_type: &str, result: &str, tool: &str, details: &str) -> (i64, String) {
    let json = format!(
        r#"{{"timestamp":"x","event_type":"{event_type}","actor":{{"type":"agent","id":"ann"}},"result":"{result}",
        "target":{{"server_id":"notes","tool_name":"{tool}"}},"details":{details}}}"#
    );
    ((NOW - ago) * 1_000_000, json)
}

fn counted(query: AuditCountQuery, events: &[(i64, String)]) -> AuditCounts {
    let mut tally = Tally::new(query, Timestamp::from_second(NOW).unwrap());
    let _ = events.iter().all(|(at, json)| tally.add(*at, json));
    tally.finish()
}

fn calls() -> Vec<(i64, String)> {
    let mut events: Vec<_> = (1..=100)
        .map(|n| {
            event(
                n,
                "TOOL_EXECUTED",
                "SUCCESS",
                "add",
                &format!(r#"{{"duration_ms":{n},"result_bytes":{n}}}"#),
            )
        })
        .collect();
    events.push(event(150, "TOOL_EXECUTED", "FAILURE", "list", r#"{"duration_ms":"x"}"#));
    events.push(event(160, "TOOL_BLOCKED", "BLOCKED", "drop", "null"));
    events.push(event(165, TOOL_CHECKED, "BLOCKED", "drop", "null"));
    events.push((NOW * 1_000_000 - 170_000_000, "not an event".to_owned()));
    events
}

#[test]
fn calls_failures_and_refusals_are_counted_apart() {
    let found = counted(query(CountBy::Tool, 1000), &calls());
    let total = &found.total;
    assert_eq!((total.events, total.calls, total.failed, total.refused), (103, 101, 1, 1));
    assert_eq!((total.p50_ms, total.p95_ms), (Some(50.0), Some(95.0)));
    // The results have 5,050 bytes.
    assert_eq!((total.tokens, found.groups[1].counts.tokens), (Some(1263), None));
    assert!(found.complete && found.read == 104);
    let names: Vec<_> = found.groups.iter().map(|group| (&*group.name, group.server_id.as_deref())).collect();
    assert_eq!((names, found.left_out), (vec![("add", Some("notes")), ("drop", Some("notes"))], 1));
    assert_eq!((found.buckets.len(), found.bucket_secs), (10, 100.0));
    let counts: Vec<_> = found.buckets.iter().map(|bucket| bucket.counts.events).collect();
    assert_eq!(counts, [0, 0, 0, 0, 0, 0, 0, 0, 3, 100]);
    let filter = AuditFilter { result: Some(AuditResult::Failure), ..query(CountBy::Agent, 1000).filter };
    let failed = counted(AuditCountQuery { filter, ..query(CountBy::Agent, 1000) }, &calls());
    assert_eq!((failed.total.events, &*failed.groups[0].name), (1, "ann"));
}

#[test]
fn an_answer_of_too_many_events_begins_at_the_oldest_read() {
    let found = counted(query(CountBy::Type, 50), &calls());
    assert_eq!((found.complete, found.read, found.total.calls), (false, 50, 50));
    assert_eq!(found.since, Timestamp::from_second(NOW - 50).unwrap());
    assert_eq!(found.buckets.len(), 1);
    assert_eq!(found.buckets[0].from, found.since);
    let exactly = counted(query(CountBy::Type, 104), &calls());
    assert!(exactly.complete);
}

#[test]
fn a_question_never_has_more_than_a_thousand_spans() {
    let asked = AuditCountQuery { span: Duration::from_micros(1), ..query(CountBy::Type, 1) };
    let found = counted(asked, &[]);
    assert!((990..=1000).contains(&found.buckets.len()), "{}", found.buckets.len());
    assert_eq!((found.total.p50_ms, found.groups.len()), (None, 0));
}

#[tokio::test]
async fn the_file_is_counted_with_events_that_were_just_stored() {
    let folder = tempfile::tempdir().unwrap();
    let log = AuditLog::open(folder.path().join("audit.sqlite3"), &AuditLogConfig::default()).unwrap();
    for (agent, result) in
        [("a", AuditResult::Success), ("a", AuditResult::Failure), ("b", AuditResult::Success)]
    {
        let draft = EventDraft::new(AuditEventType::ToolExecuted, &Principal::agent(agent));
        log.record(draft.server("s").tool("t").result(result).detail("duration_ms", &7).finish())
            .await
            .unwrap();
    }
    let filter = AuditFilter { last: 100, ..AuditFilter::default() };
    let query = AuditCountQuery { filter, ..query(CountBy::Agent, 100) };
    let found = AuditReader::count(&log, query).await.unwrap();
    assert_eq!((found.total.calls, found.total.failed, found.total.p95_ms), (3, 1, Some(7.0)));
    let groups: Vec<_> = found.groups.iter().map(|group| (&*group.name, group.counts.calls)).collect();
    assert_eq!(groups, [("a", 2), ("b", 1)]);
}
