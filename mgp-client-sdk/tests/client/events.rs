//! Subscriptions to events, over every way to a server.

use crate::support::{Way, builder, connect, everything, until, within};
use mgp_client_sdk::{
    CallError,
    client::{EventItem, EventStream},
};
use mgp_server_sdk::Server;
use mgp_types::events::{EventParams, SubscribeParams};
use std::time::Duration;

fn with_channels() -> Server {
    everything().channel("build.started").channel("build.finished").channel("other")
}

async fn next(stream: &mut EventStream) -> EventParams {
    match within(stream.next()).await.unwrap() {
        EventItem::Event(event) => event,
        missed => panic!("{missed:?}"),
    }
}

/// Lets the time of a subscription pass.
async fn pass(time: u64) {
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(time)).await;
    tokio::time::resume();
}

#[tokio::test]
async fn a_client_receives_its_channels_until_the_stream_ends() {
    for way in Way::ALL {
        let connected = connect(*way, with_channels(), builder()).await;
        let events = connected.stack.events().unwrap();
        let mut builds = within(connected.client.events(["build.*", "chess"])).await.unwrap();
        assert_eq!(builds.channels(), ["build.finished", "build.started"], "{way:?}");
        let filter = serde_json::from_str(r#"{"min_severity":"warning"}"#).unwrap();
        let all = SubscribeParams { filter: Some(filter), ..SubscribeParams::new(["*"]) };
        let mut all = within(connected.client.subscribe_events(all)).await.unwrap();
        events.publish_at(mgp_server_sdk::LoggingLevel::Info, "build.started", &1).unwrap();
        events.publish_at(mgp_server_sdk::LoggingLevel::Error, "other", &2).unwrap();
        events.publish("build.finished", &3).unwrap();
        for (stream, expected) in [
            (&mut builds, [("build.started", 1, "1"), ("build.finished", 2, "3")]),
            (&mut all, [("other", 1, "2"), ("build.finished", 2, "3")]),
        ] {
            for expected in expected {
                let event = next(stream).await;
                let data = event.data.as_ref().unwrap().as_str();
                assert_eq!((&*event.channel, event.place().unwrap(), data), expected, "{way:?}");
            }
        }
        drop((builds, all));
        until(|| !events.is_heard()).await;
    }
}

#[tokio::test]
async fn an_event_published_with_the_answer_is_not_lost() {
    for way in Way::ALL {
        let connected = connect(*way, with_channels(), builder()).await;
        let events = connected.stack.events().unwrap();
        // Published as soon as anybody listens, and so perhaps before the client has read that it does.
        let publishing = tokio::spawn(async move {
            while !events.is_heard() {
                tokio::task::yield_now().await;
            }
            events.publish("other", &1).unwrap();
        });
        let mut stream = within(connected.client.events(["other"])).await.unwrap();
        assert_eq!(next(&mut stream).await.place(), Some(1), "{way:?}");
        publishing.await.unwrap();
    }
}

#[tokio::test]
async fn a_timed_subscription_ends_at_the_client_too() {
    for way in Way::ALL {
        let connected = connect(*way, with_channels(), builder()).await;
        let events = connected.stack.events().unwrap();
        let params = SubscribeParams { ttl_seconds: Some(300), ..SubscribeParams::new(["other"]) };
        let mut stream = within(connected.client.subscribe_events(params)).await.unwrap();
        events.publish("other", &1).unwrap();
        assert_eq!(next(&mut stream).await.place(), Some(1), "{way:?}");
        pass(300).await;
        let error = within(stream.next()).await.unwrap_err();
        assert!(error.to_string().contains("after its 300 seconds"), "{way:?}: {error}");
        until(|| !events.is_heard()).await;
        assert!(within(stream.next()).await.is_err(), "{way:?}");
    }
}

#[cfg(feature = "http")]
#[tokio::test]
async fn an_expired_subscription_is_not_renewed_with_the_session() {
    use crate::support::serve_at;
    use mgp_client_sdk::{Era, EraChoice, HttpClientConfig};

    let (before, after) = (with_channels().build().unwrap(), with_channels().build().unwrap());
    let serving = serve_at(&before, "127.0.0.1:0").await;
    let address = serving.address().to_string();
    let builder = builder().era(EraChoice::Known(Era::Initialize));
    let url = format!("http://{address}/mcp");
    let client = within(builder.connect_http(&url, HttpClientConfig::default())).await.unwrap();
    let params = SubscribeParams { ttl_seconds: Some(300), ..SubscribeParams::new(["other"]) };
    let mut short = within(client.subscribe_events(params)).await.unwrap();
    // The time of the subscription runs at the client by this answer.
    within(client.ping()).await.unwrap();
    pass(300).await;
    assert!(within(short.next()).await.is_err());
    within(serving.shutdown()).await;

    let _serving = serve_at(&after, &address).await;
    within(client.ping()).await.unwrap();
    // This one is asked for after all that was asked for again.
    let mut stream = within(client.events(["other"])).await.unwrap();
    let events = after.events().unwrap();
    events.publish("other", &1).unwrap();
    assert_eq!(next(&mut stream).await.subscription_id, "sub-1");
    assert!(within(short.next()).await.is_err());
}

#[tokio::test]
async fn a_server_without_events_is_not_asked() {
    for way in Way::ALL {
        let without = connect(*way, everything(), builder()).await;
        let error = within(without.client.events(["*"])).await.unwrap_err();
        assert!(matches!(&error, CallError::Peer(error) if error.code == -32601), "{way:?}: {error}");
        let with = connect(*way, with_channels(), builder()).await;
        let error = within(with.client.events(["a b"])).await.unwrap_err();
        assert!(error.to_string().contains("without blanks"), "{way:?}: {error}");
    }
}

#[cfg(feature = "http")]
#[tokio::test]
async fn a_new_session_is_subscribed_again_and_the_gap_is_reported() {
    use crate::support::serve_at;
    use mgp_client_sdk::{Era, EraChoice, HttpClientConfig};

    let (before, after) = (with_channels().build().unwrap(), with_channels().build().unwrap());
    let serving = serve_at(&before, "127.0.0.1:0").await;
    let address = serving.address().to_string();
    let builder = builder().era(EraChoice::Known(Era::Initialize));
    let url = format!("http://{address}/mcp");
    let client = within(builder.connect_http(&url, HttpClientConfig::default())).await.unwrap();
    let mut stream = within(client.events(["other"])).await.unwrap();
    before.events().unwrap().publish("other", &1).unwrap();
    assert_eq!(next(&mut stream).await.place(), Some(1));
    within(serving.shutdown()).await;

    let _serving = serve_at(&after, &address).await;
    within(client.ping()).await.unwrap();
    assert_eq!(within(stream.next()).await.unwrap(), EventItem::Missed(None));
    let events = after.events().unwrap();
    until(|| events.is_heard()).await;
    events.publish("other", &2).unwrap();
    assert_eq!(next(&mut stream).await.place(), Some(1));
}
