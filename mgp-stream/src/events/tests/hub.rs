//! Tests of the subscriptions that receive an event, and of its numbers.

use super::rig::{event, params, waiting};
use crate::events::{ChannelEvent, EventHub};
use mgp_types::{context::Principal, events::SubscribeParams};
use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};

#[tokio::test(start_paused = true)]
async fn a_subscription_hears_its_channels_through_its_filter_in_dense_numbers() {
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
async fn a_passive_subscription_hears_all_but_some_channels_and_wants_nothing_of_servers() {
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
async fn nobody_hears_what_its_principal_may_not_not_even_as_a_number() {
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
async fn a_right_that_is_gone_when_the_event_is_sent_keeps_it_back_and_counts_it_as_lost() {
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
async fn events_that_are_lost_while_a_right_is_looked_at_are_told_by_the_event_after_them() {
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
async fn events_of_a_channel_that_were_lost_before_the_hub_are_told_to_those_who_take_the_channel() {
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
async fn what_was_lost_before_the_hub_is_told_to_those_who_take_events_of_the_server() {
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
async fn a_hub_that_nobody_listens_to_is_not_heard_and_one_that_is_gone_ends_its_subscriptions() {
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
