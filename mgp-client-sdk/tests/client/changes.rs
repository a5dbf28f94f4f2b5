//! Subscriptions: the same in both eras.

use crate::{
    scripted::{self, Lines, Script, error, plain, result},
    support::{Way, builder, connect, everything, within},
};
use mgp_client_sdk::{
    CallError, Era, EraChoice,
    client::{Change, Client, Limits},
    mcp::SubscriptionFilter,
};
use mgp_transport::seam::Notification;
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};
use tokio::sync::mpsc;

fn resources(uris: &[&str]) -> SubscriptionFilter {
    let resource_subscriptions = uris.iter().map(|uri| (*uri).to_owned()).collect();
    SubscriptionFilter { resource_subscriptions, ..Default::default() }
}

fn updated(uri: &str) -> Change {
    Change::Resource(uri.into())
}

#[tokio::test]
async fn subscribed_changes_arrive_on_every_connection() {
    for way in Way::ALL {
        let (tell, mut told) = mpsc::unbounded_channel();
        let builder = builder().on_notification(move |notification: Notification| {
            tell.send(notification.method.to_string()).unwrap();
            async {}
        });
        let connected = connect(*way, everything(), builder).await;
        let notifier = connected.stack.notifier();
        let wanted = SubscriptionFilter { tools_list_changed: true, ..resources(&["memo:1"]) };
        let mut subscription = within(connected.client.subscribe(wanted.clone())).await.unwrap();
        assert_eq!(subscription.accepted(), wanted, "{way:?}");
        for uri in ["memo:2", "memo:1"] {
            notifier.resource_updated(uri).await;
        }
        notifier.prompts_changed().await;
        notifier.tools_changed().await;
        assert_eq!(within(subscription.next()).await.unwrap(), updated("memo:1"), "{way:?}");
        assert_eq!(within(subscription.next()).await.unwrap(), Change::Tools, "{way:?}");
        assert_eq!(within(told.recv()).await.unwrap(), "notifications/resources/updated", "{way:?}");

        within(subscription.add_resource("memo:2")).await.unwrap();
        within(subscription.remove_resource("memo:1")).await.unwrap();
        for uri in ["memo:1", "memo:2"] {
            notifier.resource_updated(uri).await;
        }
        assert_eq!(within(subscription.next()).await.unwrap(), updated("memo:2"), "{way:?}");
    }
}

#[tokio::test]
async fn list_changes_arrive_on_every_connection() {
    for way in Way::ALL {
        let connected = connect(*way, everything(), builder()).await;
        let notifier = connected.stack.notifier();
        let wanted = SubscriptionFilter {
            tools_list_changed: true,
            prompts_list_changed: true,
            resources_list_changed: true,
            ..Default::default()
        };
        let mut subscription = within(connected.client.subscribe(wanted)).await.unwrap();
        // Where lists are told of without being asked for, the handshake has arrived by this answer.
        within(connected.client.ping()).await.unwrap();
        notifier.resources_changed().await;
        assert_eq!(within(subscription.next()).await.unwrap(), Change::Resources, "{way:?}");
        notifier.tools_changed().await;
        assert_eq!(within(subscription.next()).await.unwrap(), Change::Tools, "{way:?}");
        notifier.prompts_changed().await;
        assert_eq!(within(subscription.next()).await.unwrap(), Change::Prompts, "{way:?}");
    }
}

/// A plain server that tells of everything but lists of prompts, and knows every resource but one.
fn script(line: &Value) -> Vec<Value> {
    let capabilities = json!({"tools": {"listChanged": true}, "resources": {"subscribe": true}});
    if let Some(said) = plain(line, &capabilities) {
        return said;
    }
    let unknown = || error(-32602, "no such resource");
    match line["method"].as_str().unwrap_or_default() {
        "resources/subscribe" if line["params"]["uri"] == "memo:9" => unknown(),
        "resources/subscribe" | "resources/unsubscribe" => result(json!({})),
        "subscriptions/listen" => {
            let mut wanted = line["params"]["notifications"].clone();
            if wanted["resourceSubscriptions"].as_array().is_some_and(|uris| uris.contains(&json!("memo:9")))
            {
                return unknown();
            }
            wanted["promptsListChanged"] = json!(false);
            let meta = json!({"io.modelcontextprotocol/subscriptionId": line["id"]});
            let message = |method: &str, mut params: Value| {
                params["_meta"] = meta.clone();
                json!({"method": format!("notifications/{method}"), "params": params})
            };
            vec![
                message("subscriptions/acknowledged", json!({"notifications": wanted})),
                message("resources/updated", json!({"uri": "memo:1"})),
            ]
        }
        _ => Vec::new(),
    }
}

async fn open(script: Script, era: Era, limits: Limits) -> (Client, Lines) {
    let builder = builder().limits(limits);
    let (client, lines) = scripted::connect(script, builder, EraChoice::Known(era)).await;
    (client.unwrap(), lines)
}

#[tokio::test]
async fn unsupported_subscriptions_are_not_accepted() {
    for era in [Era::Initialize, Era::Stateless] {
        let (client, _) = open(Arc::new(script), era, Limits::default()).await;
        let lists =
            SubscriptionFilter { tools_list_changed: true, prompts_list_changed: true, ..Default::default() };
        let mut subscription = within(client.subscribe(lists)).await.unwrap();
        let accepted = SubscriptionFilter { tools_list_changed: true, ..Default::default() };
        assert_eq!(subscription.accepted(), accepted);
        let refused = within(subscription.add_resource("memo:9")).await.unwrap_err();
        assert!(matches!(&refused, CallError::Peer(error) if error.code == -32602), "{refused}");
        assert_eq!(subscription.accepted(), accepted, "what was there holds on");
        assert!(within(client.subscribe(resources(&["memo:9"]))).await.is_err());
        within(subscription.add_resource("memo:1")).await.unwrap();
    }
}

#[tokio::test]
async fn a_change_before_the_last_acceptance_is_reported() {
    let early = |line: &Value| match line["method"].as_str().unwrap_or_default() {
        "resources/subscribe" if line["params"]["uri"] == "memo:2" => Vec::new(),
        "resources/subscribe" if line["params"]["uri"] == "memo:3" => {
            let params = json!({"uri": "memo:1"});
            let mut said = vec![json!({"method": "notifications/resources/updated", "params": params})];
            said.extend(result(json!({})));
            said
        }
        _ => script(line),
    };
    let (client, lines) = open(Arc::new(early), Era::Initialize, Limits::default()).await;
    let mut subscription = within(client.subscribe(resources(&["memo:1", "memo:3"]))).await.unwrap();
    assert_eq!(within(subscription.next()).await.unwrap(), updated("memo:1"));

    // A change that is not waited for until its end is undone.
    let before = subscription.accepted();
    tokio::select! {
        _ = subscription.add_resource("memo:2") => panic!("the server does not answer"),
        _ = lines.wait_for("resources/subscribe", 3) => {}
    }
    assert_eq!(subscription.accepted(), before);
    within(subscription.remove_resource("memo:1")).await.unwrap();
    assert_eq!(subscription.accepted(), resources(&["memo:3"]));
}

#[tokio::test]
async fn a_shared_resource_is_subscribed_once_and_released_last() {
    let (client, lines) = open(Arc::new(script), Era::Initialize, Limits::default()).await;
    let mut one = within(client.subscribe(resources(&["memo:1", "memo:2", "memo:2"]))).await.unwrap();
    let other = within(client.subscribe(resources(&["memo:1"]))).await.unwrap();
    assert_eq!(lines.of("resources/subscribe").len(), 2);
    within(one.remove_resource("memo:1")).await.unwrap();
    drop(one);
    let gone = lines.wait_for("resources/unsubscribe", 1).await;
    assert_eq!(gone[0]["params"]["uri"], "memo:2");
    drop(other);
    let gone = lines.wait_for("resources/unsubscribe", 2).await;
    assert_eq!(gone[1]["params"]["uri"], "memo:1");
}

#[tokio::test]
async fn an_open_request_is_replaced_when_its_set_changes() {
    let (client, lines) = open(Arc::new(script), Era::Stateless, Limits::default()).await;
    let mut subscription = within(client.subscribe(resources(&["memo:1"]))).await.unwrap();
    assert_eq!(within(subscription.next()).await.unwrap(), updated("memo:1"));
    within(subscription.add_resource("memo:2")).await.unwrap();
    let listens = lines.of("subscriptions/listen");
    let uris = &listens[1]["params"]["notifications"]["resourceSubscriptions"];
    assert_eq!(*uris, json!(["memo:1", "memo:2"]));
    let cancelled = lines.wait_for("notifications/cancelled", 1).await;
    assert_eq!(cancelled[0]["params"]["requestId"], listens[0]["id"]);
    drop(subscription);
    let cancelled = lines.wait_for("notifications/cancelled", 2).await;
    assert_eq!(cancelled[1]["params"]["requestId"], listens[1]["id"]);
}

#[tokio::test]
async fn waiting_for_acceptance_is_bounded() {
    let silent = |line: &Value| {
        let capabilities = json!({"resources": {"subscribe": true}});
        plain(line, &capabilities).unwrap_or_default()
    };
    for era in [Era::Initialize, Era::Stateless] {
        let limits = Limits { subscribe_timeout: Duration::from_millis(50), ..Limits::default() };
        let (client, _) = open(Arc::new(silent), era, limits).await;
        let error = within(client.subscribe(resources(&["memo:1"]))).await.unwrap_err();
        assert!(error.to_string().contains("50ms"), "{error}");
    }
}

#[tokio::test]
async fn a_subscription_ends_with_its_connection() {
    for way in Way::ALL {
        let connected = connect(*way, everything(), builder()).await;
        let mut subscription = within(connected.client.subscribe(resources(&["memo:1"]))).await.unwrap();
        drop(connected);
        let ended = within(subscription.next()).await;
        assert!(matches!(ended, Err(CallError::Connection(_) | CallError::Lost(_))), "{way:?}");
        assert!(within(subscription.add_resource("memo:2")).await.is_err(), "{way:?}");
    }
}
