//! Tests of the subscriptions that receive an event, and of its numbers.

use super::rig::{event, params, waiting};
use crate::events::{ChannelEvent, EventHub};
use mgp_types::{context::Principal, events::SubscribeParams};
use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};

#[tokio::test(start_paused = true)]
async fn a_subscription_filters_its_channels_and_numbers_densely() {
    let hub = EventHub::new();
    let mut builds = hub.subscribe(params(r#"{"channels":["build.*"],"filter":{"n":1}}"#), None);
    let mut all = hub.subscribe(params(r#"{"channels":["*","build.*"]}"#), None);
    for (channel, data) in
        [("build.a", r#"{"n":1}"#), ("build.b", r#"{"n":2}"#), ("other", "{}"), ("build.c", r#"{"n":1}"#)]
    {
        hub.publish(event(channel, data));
    }
    assert_eq!(waiting(&mut builds).await, ["build.a 1 0", "build.c 2 0"]);
    assert_eq!(waiting(&mut all).await, ["build.a 1 0", "build.b 2 0", "other 3 0", "build.c 4 0"]);
}

#[tokio::test(start_paused = true)]
async fn a_passive_subscription_requests_nothing_from_servers() {
    let hub = EventHub::new();
    let mut overhears = hub.overhear(&["secret", "loud"], None);
    assert!(hub.takes("a") && !hub.takes("secret"));
    for channel in ["a", "secret", "loud", "b"] {
        hub.publish(event(channel, "1"));
    }
    assert_eq!(waiting(&mut overhears).await, ["a 1 0", "b 2 0"]);
    let patterns = |with_passive| hub.patterns_for("s", 9, with_passive, |_| true);
    assert_eq!((patterns(true), patterns(false)), (vec!["*".to_owned()], Vec::new()));
    drop(overhears);
    assert!(patterns(true).is_empty() && !hub.is_heard());
}

#[tokio::test(start_paused = true)]
async fn forbidden_events_are_not_even_visible_as_a_number() {
    let hub = EventHub::new();
    let mut ann = hub.subscribe(SubscribeParams::new(["*"]), Some(Principal::agent("ann")));
    let mut bob = hub.subscribe(SubscribeParams::new(["*"]), Some(Principal::agent("bob")));
    let of = |id: &'static str| move |who: Option<&Principal>| who.is_some_and(|who| who.id() == id);
    hub.publish_to(event("a", "1"), of("ann"));
    hub.publish(event("b", "2"));
    assert_eq!(waiting(&mut ann).await, ["a 1 0", "b 2 0"]);
    assert_eq!(waiting(&mut bob).await, ["b 1 0"]);
}

#[tokio::test(start_paused = true)]
async fn an_event_whose_right_was_revoked_counts_as_lost() {
    let hub = EventHub::new();
    let mut subscription = hub.subscribe(SubscribeParams::new(["*"]), None);
    let allowed = Arc::new(AtomicBool::new(true));
    let may = allowed.clone();
    hub.publish_to(event("a", "1"), move |_| may.load(Ordering::Relaxed));
    allowed.store(false, Ordering::Relaxed);
    hub.publish(event("b", "2"));
    assert_eq!(waiting(&mut subscription).await, ["b 2 1"]);
}

#[tokio::test(start_paused = true)]
async fn events_lost_during_a_check_are_reported_by_the_next_event() {
    let hub = EventHub::new();
    let mut subscription = hub.subscribe(SubscribeParams::new(["*"]), None);
    let asked = AtomicUsize::new(0);
    let losing = hub.clone();
    hub.publish_to(event("a", "1"), move |_| {
        // The first call comes when the event is queued.
        if asked.fetch_add(1, Ordering::Relaxed) == 1 {
            losing.lost("s", 5, |_| true);
        }
        true
    });
    hub.lost("s", 1, |_| true);
    hub.publish(event("b", "2"));
    assert_eq!(waiting(&mut subscription).await, ["a 1 1", "b 2 5"]);
}

#[tokio::test(start_paused = true)]
async fn events_lost_before_the_hub_are_reported_per_channel() {
    let hub = EventHub::new();
    let mut takes = hub.subscribe(SubscribeParams::new(["own.*"]), None);
    let mut other = hub.subscribe(SubscribeParams::new(["other"]), None);
    hub.lost_in("own.a", 3, |_| true);
    for channel in ["own.b", "other"] {
        hub.publish(event(channel, "1"));
    }
    assert_eq!(waiting(&mut takes).await, ["own.b 1 3"]);
    assert_eq!(waiting(&mut other).await, ["other 1 0"]);
}

#[tokio::test(start_paused = true)]
async fn events_lost_before_the_hub_are_reported_per_server() {
    let hub = EventHub::new();
    let mut takes = hub.subscribe(params(r#"{"channels":["*"],"filter":{"servers":["s"]}}"#), None);
    let mut other = hub.subscribe(params(r#"{"channels":["*"],"filter":{"servers":["t"]}}"#), None);
    hub.lost("s", 3, |_| true);
    for server in ["s", "t"] {
        hub.publish(ChannelEvent { server_id: Some(server.into()), ..event("a", "1") });
    }
    assert_eq!(waiting(&mut takes).await, ["a 1 3"]);
    assert_eq!(waiting(&mut other).await, ["a 1 0"]);
}

#[tokio::test]
async fn a_hub_without_subscribers_is_silent() {
    let hub = EventHub::new();
    assert!(!hub.is_heard());
    let subscription = hub.subscribe(SubscribeParams::new(["*"]), None);
    assert!(hub.is_heard());
    drop(subscription);
    assert!(!hub.is_heard());
    let mut subscription = hub.subscribe(SubscribeParams::new(["*"]), None);
    hub.publish(event("last", "1"));
    drop(hub);
    assert!(subscription.next("s").await.is_some());
    assert_eq!(subscription.next("s").await, None);
}
