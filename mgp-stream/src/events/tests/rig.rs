//! Events, params and readers for the tests.

use crate::events::{ChannelEvent, EventSubscription};
use mgp_types::{events::SubscribeParams, json::RawJson};
use std::time::Duration;

pub(super) fn event(channel: &str, data: &str) -> ChannelEvent {
    ChannelEvent {
        channel: channel.into(),
        server_id: None,
        timestamp: "t".to_owned(),
        severity: None,
        data: Some(RawJson::parse(data.to_owned()).unwrap()),
    }
}

pub(super) fn params(text: &str) -> SubscribeParams {
    serde_json::from_str(text).unwrap()
}

/// Returns the events that wait, as `channel seq dropped`.
pub(super) async fn waiting(subscription: &mut EventSubscription) -> Vec<String> {
    let mut read = Vec::new();
    while let Ok(Some(event)) = tokio::time::timeout(Duration::from_millis(1), subscription.next("s")).await {
        read.push(format!("{} {} {}", event.channel, event.place().unwrap(), event.lost()));
    }
    read
}
