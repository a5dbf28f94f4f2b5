//! §13.2, §13.3 Channels of a server, in both eras.

use crate::support::Client;
use mgp_server_sdk::{LoggingLevel, Server, Tool, ToolError, events::Events};
use serde_json::{Value, json};
use xtask_testing::RawPeer;

const EVENT: &str = "notifications/mgp.event";

async fn build(events: Events) -> Result<&'static str, ToolError> {
    events.publish("build.started", &json!({"target": "docs"}))?;
    events.publish_at(LoggingLevel::Warning, "build.finished", &3)?;
    Ok("built")
}

fn builder() -> Server {
    Server::new("builder", "1")
        .channel("build.started")
        .channel("build.finished")
        .tool(Tool::new("build", "Builds", build))
}

#[tokio::test]
async fn handlers_and_the_stack_publish_to_subscribers() {
    let stack = builder().build().unwrap();
    let mut client = Client::of(&stack, true).await;
    let extensions = &client.initialized["capabilities"]["mgp"]["extensions"];
    assert!(extensions.as_array().unwrap().contains(&json!("events")), "{extensions}");
    let params = json!({"channels": ["build.*", "chess"], "filter": {"min_severity": "warning"}});
    let subscribed = client.request("mgp/events/subscribe", params).await.unwrap();
    let expected = json!({"subscribed": ["build.finished", "build.started"], "unsupported": ["chess"], "subscription_id": "sub-1"});
    assert_eq!(subscribed, expected);
    client.text("build", json!({})).await;
    let events = stack.events().unwrap();
    events.publish_at(LoggingLevel::Info, "build.finished", &4).unwrap();
    events.publish_at(LoggingLevel::Error, "build.finished", &5).unwrap();
    let mut heard = Vec::new();
    for _ in 0..3 {
        let (method, mut params) = client.heard().await;
        assert_eq!(method, EVENT);
        assert!(params["timestamp"].as_str().unwrap().ends_with('Z'), "{params}");
        params.as_object_mut().unwrap().remove("timestamp");
        heard.push(params);
    }
    let event = |channel: &str, severity: Option<&str>, data: Value, seq: u64| {
        let mut event = json!({"subscription_id": "sub-1", "channel": channel, "server_id": "builder", "data": data, "_mgp": {"seq": seq}});
        if let Some(severity) = severity {
            event["severity"] = severity.into();
        }
        event
    };
    let expected = [
        event("build.started", None, json!({"target": "docs"}), 1),
        event("build.finished", Some("warning"), json!(3), 2),
        event("build.finished", Some("error"), json!(5), 3),
    ];
    assert_eq!(heard, expected);
}

#[tokio::test]
async fn standard_channel_families_are_published_and_discoverable() {
    let names = ["model.token_usage", "security.denied", "system.error", "tool.done"];
    let server = names.into_iter().fold(Server::new("families", "1"), Server::channel);
    let stack = server.build().unwrap();
    let mut client = Client::of(&stack, true).await;
    async fn subscribed(client: &Client, pattern: &str) -> Value {
        let params = json!({"channels": [pattern]});
        client.request("mgp/events/subscribe", params).await.unwrap()["subscribed"].take()
    }
    assert_eq!(subscribed(&client, "*").await, json!(names));
    for name in names {
        let family = format!("{}.*", name.split('.').next().unwrap());
        assert_eq!(subscribed(&client, &family).await, json!([name]));
        stack.events().unwrap().publish(name, &1).unwrap();
        // By the family's own subscription and by that of all channels.
        for _ in 0..2 {
            assert_eq!(client.heard().await.1["channel"], name);
        }
    }
}

#[tokio::test]
async fn a_plain_client_receives_no_events_and_has_no_methods() {
    let mut client = Client::plain(builder()).await;
    for method in ["mgp/events/subscribe", "mgp/events/unsubscribe"] {
        let refused = client.request(method, json!({"channels": ["*"]})).await.unwrap_err();
        assert_eq!(refused.code, -32601, "{method}");
    }
    client.text("build", json!({})).await;
    client.heard_nothing_more().await;
}

#[tokio::test]
async fn a_server_without_channels_has_no_events_and_no_publisher() {
    let client = Client::mgp(Server::new("s", "1")).await;
    let extensions = &client.initialized["capabilities"]["mgp"]["extensions"];
    assert!(!extensions.as_array().unwrap().contains(&json!("events")), "{extensions}");
    assert_eq!(
        client.request("mgp/events/subscribe", json!({"channels": ["*"]})).await.unwrap_err().code,
        -32601
    );
    let error = |server: Server| server.build().unwrap_err().to_string();
    let missing = error(Server::new("s", "1").tool(Tool::new("build", "", build)));
    assert_eq!(
        missing,
        "tool \"build\" takes Events, but the server has no channels: declare them with Server::channel"
    );
    let twice = error(builder().merge(builder().channel("x")));
    assert!(twice.starts_with("duplicate"), "{twice}");
    let invalid = error(Server::new("s", "1").channel("a *"));
    assert!(invalid.contains(r#"invalid channel "a *""#), "{invalid}");
}

/// Returns params of a request in the stateless era, of a client that offers extensions.
fn with_meta(mut params: Value, extensions: &[&str]) -> Value {
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
    let offer = json!({"extensions": {"dev.cloto/mgp": {"version": "0.3.0", "extensions": extensions}}});
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = offer;
    params
}

#[tokio::test]
async fn a_stateless_client_receives_events_on_its_listen_request() {
    for (extensions, hears) in [(&["events"][..], true), (&["lifecycle"], false)] {
        let mut client = RawPeer::new(builder().build().unwrap().in_process());
        let filter =
            json!({"notifications": {"dev.cloto/mgp": {"events": {"channels": ["build.*", "chess"]}}}});
        let listen = with_meta(filter, extensions);
        client
            .send(json!({"jsonrpc": "2.0", "id": "l", "method": "subscriptions/listen", "params": listen}))
            .await;
        let first = client.message().await;
        assert_eq!(first["method"], "notifications/subscriptions/acknowledged");
        let told = &first["params"]["notifications"]["dev.cloto/mgp"]["events"]["channels"];
        let expected = if hears { json!(["build.finished", "build.started"]) } else { Value::Null };
        assert_eq!(told, &expected, "{first}");
        let call = with_meta(json!({"name": "build", "arguments": {}}), extensions);
        client.ask(2, "tools/call", call).await;
        if !hears {
            client.ask(3, "tools/list", with_meta(json!({}), extensions)).await;
            assert!(!client.read.concat().contains(EVENT), "{:?}", client.read);
            continue;
        }
        while client.read.concat().matches(EVENT).count() < 2 {
            client.message().await;
        }
        let lines: Vec<Value> = client.read.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
        let events: Vec<_> = lines.iter().filter(|line| line["method"] == EVENT).collect();
        for (event, seq) in events.iter().zip(1..) {
            assert_eq!(event["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], "l", "{event}");
            assert_eq!(
                (&event["params"]["_mgp"]["seq"], &event["params"]["subscription_id"]),
                (&json!(seq), &json!("l"))
            );
        }
        let refused =
            client.ask(4, "mgp/events/subscribe", with_meta(json!({"channels": ["*"]}), extensions)).await;
        assert_eq!(refused["error"]["code"], -32600, "{refused}");
        assert!(refused["error"]["message"].as_str().unwrap().contains("subscriptions/listen"), "{refused}");
    }
}
