//! Lists and resources that are kept for as long as the server lets them.

use crate::scripted::{self, Lines, plain, result};
use crate::support::{Way, builder, connect, everything, within};
use mgp_client_sdk::{
    Era, EraChoice,
    client::{Client, ClientBuilder},
    mcp::SubscriptionFilter,
};
use mgp_types::mcp::CacheHint;
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};

fn script(line: &Value) -> Vec<Value> {
    plain(line, &json!({})).unwrap_or_else(|| match line["method"].as_str() {
        Some("tools/list") => {
            result(json!({"tools": [], "resultType": "complete", "ttlMs": 60_000, "cacheScope": "private"}))
        }
        _ => {
            result(json!({"contents": [], "resultType": "complete", "ttlMs": 60_000, "cacheScope": "public"}))
        }
    })
}

async fn open(builder: ClientBuilder, era: Era) -> (Client, Lines) {
    let (client, lines) = scripted::connect(Arc::new(script), builder, EraChoice::Known(era)).await;
    (client.unwrap(), lines)
}

#[tokio::test]
async fn only_a_caching_client_requests_a_result_once() {
    for (builder, era, asked) in [
        (builder().cache(10_000), Era::Stateless, 1),
        (builder(), Era::Stateless, 3),
        (builder().cache(10_000), Era::Initialize, 3),
    ] {
        let (client, lines) = open(builder, era).await;
        for _ in 0..3 {
            within(client.list_tools()).await.unwrap();
            within(client.read_resource("a:1")).await.unwrap();
        }
        assert_eq!(lines.of("tools/list").len(), asked);
        assert_eq!(lines.of("resources/read").len(), asked);
        within(client.read_resource("a:2")).await.unwrap();
        assert_eq!(lines.of("resources/read").len(), asked + 1, "another resource is another result");
    }
}

#[tokio::test]
async fn a_changed_result_is_requested_again() {
    let server = everything().cache(CacheHint::public(Duration::from_secs(60)));
    let connected = connect(Way::Stream(Era::Stateless), server, builder().cache(1_000_000)).await;
    let client = &connected.client;
    let wanted = SubscriptionFilter { tools_list_changed: true, ..Default::default() };
    let mut subscription = within(client.subscribe(wanted)).await.unwrap();
    let listed = client.peer().next_id();
    within(client.list_tools()).await.unwrap();
    let once = client.peer().next_id();
    within(client.list_tools()).await.unwrap();
    assert_eq!(client.peer().next_id(), once + 1, "nothing was asked");
    connected.stack.notifier().tools_changed().await;
    within(subscription.next()).await.unwrap();
    let before = client.peer().next_id();
    within(client.list_tools()).await.unwrap();
    assert_eq!(client.peer().next_id() - before, once - listed, "every page was asked for again");
}
