//! Tests of the bounds.

use super::rig::{event, params, waiting};
use crate::events::{
    EventChannels, EventHub, MAX_DATA, MAX_FILTER_BYTES, MAX_NAME, MAX_PATTERNS, check_params,
    queue::{MAX_QUEUED, MAX_QUEUED_BYTES},
};
use mgp_types::events::SubscribeParams;
use std::time::Duration;

#[tokio::test(start_paused = true)]
async fn an_unread_subscription_drops_and_counts_its_oldest_events() {
    let hub = EventHub::new();
    let mut slow = hub.subscribe(SubscribeParams::new(["*"]), None);
    for _ in 0..MAX_QUEUED + 10 {
        hub.publish(event("a", "1"));
    }
    let read = waiting(&mut slow).await;
    assert_eq!((read.len(), &*read[0], &*read[1]), (MAX_QUEUED, "a 11 10", "a 12 0"));
    hub.publish(event("a", "1"));
    assert_eq!(waiting(&mut slow).await, [format!("a {} 0", MAX_QUEUED + 11)]);
}

#[tokio::test(start_paused = true)]
async fn long_events_are_dropped_before_they_fill_the_memory() {
    let hub = EventHub::new();
    let mut slow = hub.subscribe(SubscribeParams::new(["*"]), None);
    let long = format!("\"{}\"", "x".repeat(MAX_DATA - 2));
    for _ in 0..100 {
        hub.publish(event("a", &long));
    }
    let kept = waiting(&mut slow).await;
    assert!(kept.len() * MAX_DATA <= MAX_QUEUED_BYTES && kept.len() > 10, "{}", kept.len());
    assert_eq!(kept[0], format!("a {} {}", 101 - kept.len(), 100 - kept.len()));
}

#[test]
fn params_past_a_bound_are_refused_by_member_and_bound() {
    let long = "x".repeat(MAX_NAME + 1);
    let many: Vec<_> = (0..=MAX_PATTERNS).map(|n| format!("c{n}")).collect();
    let with = |filter| serde_json::json!({"channels": ["a"], "filter": filter}).to_string();
    let servers = with(serde_json::json!({"servers": many}));
    let server = with(serde_json::json!({"servers": ["s", long]}));
    // Quotes, key and value: one byte too many.
    let data = with(serde_json::json!({"key": "x".repeat(MAX_FILTER_BYTES - 4)}));
    for (text, part) in [
        (r#"{"channels":[]}"#.to_owned(), "channels: expected 1 to 64 names, found 0"),
        (serde_json::json!({"channels": many}).to_string(), "found 65"),
        (serde_json::json!({"channels": [long]}).to_string(), "at most 128 characters"),
        (r#"{"channels":["a*"]}"#.to_owned(), r#""a*": expected a channel, `prefix.*` or `*`"#),
        (r#"{"channels":["a b"]}"#.to_owned(), "without blanks"),
        (r#"{"channels":[""]}"#.to_owned(), "expected a channel"),
        (servers, "filter: servers: expected at most 64, found 65"),
        (server, "expected at most 128 characters"),
        (data, "filter: members of data: expected at most 4096 bytes, found 4097"),
        (r#"{"channels":["a"],"ttl_seconds":0}"#.to_owned(), "ttl_seconds: expected 1 to 31536000, found 0"),
    ] {
        let error = check_params(&params(&text)).unwrap_err();
        assert!(error.code == -32602 && error.message.contains(part), "{text}: {error}");
    }
    assert_eq!(check_params(&params(r#"{"channels":["*","a.*","a.b"],"ttl_seconds":60}"#)), Ok(()));
    let longest = serde_json::json!({"servers": [long[1..]], "key": "x".repeat(MAX_FILTER_BYTES - 5)});
    assert_eq!(check_params(&params(&with(longest))), Ok(()));
}

#[tokio::test(start_paused = true)]
async fn a_timed_subscription_ends() {
    let hub = EventHub::new();
    let mut short = hub.subscribe(params(r#"{"channels":["*"],"ttl_seconds":60}"#), None);
    let began = tokio::time::Instant::now();
    assert_eq!(short.next("s").await, None);
    assert_eq!(began.elapsed().as_secs(), 60);
}

#[tokio::test(start_paused = true)]
async fn a_timed_subscription_to_a_busy_channel_ends_too() {
    let hub = EventHub::new();
    let mut short = hub.subscribe(params(r#"{"channels":["*"],"ttl_seconds":60}"#), None);
    let mut heard = 0;
    hub.publish(event("a", "1"));
    while let Some(event_of) = short.next("s").await {
        heard += 1;
        assert!(event_of.place() == Some(heard) && heard <= 61, "{heard}");
        tokio::time::advance(Duration::from_secs(1)).await;
        hub.publish(event("a", "1"));
    }
    // The event of the last second was published before the time was checked.
    assert_eq!(heard, 61);
}

#[tokio::test(start_paused = true)]
async fn a_count_of_lost_events_does_not_overflow() {
    let hub = EventHub::new();
    let mut slow = hub.subscribe(SubscribeParams::new(["*"]), None);
    hub.lost("s", u64::MAX, |_| true);
    for _ in 0..=MAX_QUEUED {
        hub.publish(event("a", "1"));
    }
    assert_eq!(waiting(&mut slow).await[0], format!("a 2 {}", u64::MAX));
}

#[test]
fn an_event_without_a_channel_or_too_long_is_refused() {
    let channels = EventChannels::new(["a.b"]).unwrap();
    assert_eq!(
        channels.find("a").unwrap_err().to_string(),
        r#"unknown channel "a": expected one of ["a.b"]"#
    );
    let long = format!("\"{}\"", "x".repeat(MAX_DATA));
    let error = channels.publish(event("a.b", &long)).unwrap_err();
    assert_eq!(error.to_string(), "data of 65538 bytes: expected at most 65536");
    assert!(EventChannels::new(["a.*"]).is_err() && EventChannels::new([""]).is_err());
}
