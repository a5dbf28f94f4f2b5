//! Subscriptions over HTTP whose stream breaks.

use crate::{
    http_by_hand::{self, Answer, json_body},
    scripted::{Lines, plain},
    support::{builder, everything, serve_at, within},
};
use mgp_client_sdk::{
    CallError, Era, EraChoice, HttpClientConfig, RawJson,
    client::{Change, Client, Limits},
    mcp::{LogMessageParams, LoggingLevel, SubscriptionFilter},
};
use serde_json::{Value, json};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

/// A stream that accepts, tells of one change, and ends.
fn stream(line: &Value) -> Answer {
    let meta = json!({"io.modelcontextprotocol/subscriptionId": line["id"]});
    let accepted = json!({"notifications": line["params"]["notifications"], "_meta": meta});
    let changed = json!({"uri": "memo:1", "_meta": meta});
    let event = |method: &str, params: &Value| {
        let message =
            json!({"jsonrpc": "2.0", "method": format!("notifications/{method}"), "params": params});
        format!("data: {message}\n\n")
    };
    let body = event("subscriptions/acknowledged", &accepted) + &event("resources/updated", &changed);
    Some((200, "text/event-stream", body))
}

/// A client of a server that answers requests to listen by how many there were before.
async fn open(listen: impl Fn(usize, &Value) -> Answer + Send + Sync + 'static) -> (Client, Lines) {
    let count = AtomicUsize::new(0);
    let script = move |line: &Value| match plain(line, &json!({"resources": {"subscribe": true}})) {
        Some(said) => json_body(said[0].clone(), line),
        None => listen(count.fetch_add(1, Ordering::Relaxed), line),
    };
    let limits = Limits {
        reconnect_delay: Duration::from_millis(1),
        max_reconnect_delay: Duration::from_millis(4),
        reconnects: 3,
        ..Limits::default()
    };
    let (client, lines) = http_by_hand::connect(Arc::new(script), builder().limits(limits)).await;
    (client.unwrap(), lines)
}

fn wanted() -> SubscriptionFilter {
    SubscriptionFilter {
        tools_list_changed: true,
        resource_subscriptions: vec!["memo:1".into()],
        ..Default::default()
    }
}

#[tokio::test]
async fn a_broken_stream_is_reopened_and_everything_counts_as_changed() {
    let (client, lines) = open(|count, line| match count {
        0 => stream(line),
        1 => Some((503, "text/plain", "soon".into())),
        2 => stream(line),
        _ => None,
    })
    .await;
    let mut subscription = within(client.subscribe(wanted())).await.unwrap();
    let updated = Change::Resource("memo:1".into());
    assert_eq!(within(subscription.next()).await.unwrap(), updated);
    let mut told = [within(subscription.next()).await.unwrap(), within(subscription.next()).await.unwrap()];
    told.sort_by_key(|change| *change == updated);
    assert_eq!(told, [Change::Tools, updated], "nobody knows what changed during the break");
    assert!(lines.wait_for("subscriptions/listen", 3).await.len() >= 3);
}

#[tokio::test]
async fn a_lost_stream_is_given_up_and_a_refused_one_not_retried() {
    let (client, lines) = open(|count, line| match count {
        0 => stream(line),
        _ => Some((503, "text/plain", "gone".into())),
    })
    .await;
    let mut subscription = within(client.subscribe(wanted())).await.unwrap();
    assert_eq!(within(subscription.next()).await.unwrap(), Change::Resource("memo:1".into()));
    let error = within(subscription.next()).await.unwrap_err();
    assert!(error.to_string().contains("503"), "{error}");
    assert_eq!(lines.of("subscriptions/listen").len(), 4, "once, and three attempts");

    let (client, lines) = open(|count, line| match count {
        0 => stream(line),
        _ => json_body(json!({"error": {"code": -32602, "message": "no more"}}), line),
    })
    .await;
    let mut subscription = within(client.subscribe(wanted())).await.unwrap();
    assert_eq!(within(subscription.next()).await.unwrap(), Change::Resource("memo:1".into()));
    let error = within(subscription.next()).await.unwrap_err();
    assert!(matches!(&error, CallError::Peer(error) if error.code == -32602), "{error}");
    assert_eq!(lines.of("subscriptions/listen").len(), 2);
}

#[tokio::test]
async fn a_forgotten_session_is_subscribed_again() {
    let (before, after) = (everything().build().unwrap(), everything().build().unwrap());
    let serving = serve_at(&before, "127.0.0.1:0").await;
    let address = serving.address().to_string();
    let (hear, mut heard) = tokio::sync::mpsc::unbounded_channel();
    let builder = builder().era(EraChoice::Known(Era::Initialize)).on_log(move |line: LogMessageParams| {
        hear.send(line.level).unwrap();
        async {}
    });
    let url = format!("http://{address}/mcp");
    let client = within(builder.connect_http(&url, HttpClientConfig::default())).await.unwrap();
    let mut subscription = within(client.subscribe(wanted())).await.unwrap();
    within(client.set_log_level(LoggingLevel::Error)).await.unwrap();
    within(serving.shutdown()).await;

    let _serving = serve_at(&after, &address).await;
    within(client.ping()).await.unwrap();
    let mut told = [within(subscription.next()).await.unwrap(), within(subscription.next()).await.unwrap()];
    told.sort_by_key(|change| *change != Change::Tools);
    let updated = Change::Resource("memo:1".into());
    assert_eq!(told, [Change::Tools, updated.clone()], "nobody knows what changed in between");
    after.notifier().resource_updated("memo:1").await;
    assert_eq!(within(subscription.next()).await.unwrap(), updated);
    within(client.call_tool("speak", RawJson::empty_object())).await.unwrap();
    assert_eq!(within(heard.recv()).await, Some(LoggingLevel::Error));
    assert!(heard.try_recv().is_err());
}

/// A client of a server that forgets its session when it is pinged for the first time, and then refuses `memo:1`. It never takes the
/// level `debug`.
async fn open_forgetful() -> (Client, Lines) {
    let forgot = AtomicBool::new(false);
    let script = move |line: &Value| {
        let capabilities = json!({"resources": {"subscribe": true}, "logging": {}});
        let answer = match line["method"].as_str()? {
            "initialize" => {
                let session = if forgot.load(Ordering::Relaxed) {
                    "application/json\r\nMcp-Session-Id: s-2"
                } else {
                    "application/json\r\nMcp-Session-Id: s-1"
                };
                let (status, _, body) = json_body(plain(line, &capabilities)?.remove(0), line)?;
                return Some((status, session, body));
            }
            "ping" if !forgot.swap(true, Ordering::Relaxed) => {
                return Some((404, "text/plain", String::new()));
            }
            "resources/subscribe" if forgot.load(Ordering::Relaxed) && line["params"]["uri"] == "memo:1" => {
                json!({"error": {"code": -32602, "message": "no such resource"}})
            }
            "logging/setLevel" if line["params"]["level"] == "debug" => {
                json!({"error": {"code": -32602, "message": "not so much"}})
            }
            _ if line.get("id").is_none() => return Some((202, "text/plain", String::new())),
            _ => json!({"result": {}}),
        };
        json_body(answer, line)
    };
    let builder = builder().era(EraChoice::Known(Era::Initialize));
    let (client, lines) = http_by_hand::connect(Arc::new(script), builder).await;
    (client.unwrap(), lines)
}

fn resources(uris: &[&str]) -> SubscriptionFilter {
    let resource_subscriptions = uris.iter().map(|uri| (*uri).to_owned()).collect();
    SubscriptionFilter { resource_subscriptions, ..Default::default() }
}

#[tokio::test]
async fn only_the_refused_resource_is_lost_on_a_new_session() {
    let (client, lines) = open_forgetful().await;
    let mut subscription = within(client.subscribe(resources(&["memo:1", "memo:2"]))).await.unwrap();
    let mut other = within(client.subscribe(resources(&["memo:3"]))).await.unwrap();
    within(client.ping()).await.unwrap();
    for (subscription, uri) in [(&mut subscription, "memo:2"), (&mut other, "memo:3")] {
        assert_eq!(within(subscription.next()).await.unwrap(), Change::Resource(uri.into()));
        assert_eq!(subscription.accepted(), resources(&[uri]));
    }
    within(other.add_resource("memo:4")).await.unwrap();
    within(subscription.add_resource("memo:5")).await.unwrap();
    assert_eq!(subscription.accepted(), resources(&["memo:2", "memo:5"]));
    assert!(within(client.subscribe(resources(&["memo:1"]))).await.is_err());
    drop(other);
    let gone = lines.wait_for("resources/unsubscribe", 2).await;
    assert_eq!([&gone[0]["params"]["uri"], &gone[1]["params"]["uri"]], ["memo:3", "memo:4"]);
    let asked = lines.of("resources/subscribe");
    let of_it = asked.iter().filter(|line| line["params"]["uri"] == "memo:1");
    assert_eq!(of_it.count(), 3, "once in each session, and for the subscription that came later");
}

#[tokio::test]
async fn a_refused_log_level_is_not_sent_to_a_new_session() {
    let (client, lines) = open_forgetful().await;
    within(client.set_log_level(LoggingLevel::Error)).await.unwrap();
    assert!(within(client.set_log_level(LoggingLevel::Debug)).await.is_err());
    within(client.ping()).await.unwrap();
    let levels = lines.wait_for("logging/setLevel", 3).await;
    assert_eq!(levels[2]["params"]["level"], "error");
}
