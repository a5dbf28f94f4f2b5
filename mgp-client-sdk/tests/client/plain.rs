//! The messages of a client to a plain server, which hold nothing of MGP once the client knows that the server is plain.

use crate::{
    scripted::{self, Lines, error, plain, result},
    support::{builder, within},
};
use mgp_client_sdk::{
    Era, EraChoice, RawJson,
    client::{Client, ClientBuilder},
    mcp::{LoggingLevel, MgpFilter, SubscriptionFilter},
};
use serde_json::{Value, json};
use std::sync::Arc;

/// A plain server with everything that a client asks for.
fn answer(line: &Value) -> Vec<Value> {
    let capabilities =
        json!({"tools": {"listChanged": true}, "resources": {"subscribe": true}, "logging": {}});
    if let Some(said) = plain(line, &capabilities) {
        return said;
    }
    if line.get("id").is_none() {
        return Vec::new();
    }
    match line["method"].as_str().unwrap_or_default() {
        "tools/list" => result(json!({"tools": []})),
        "tools/call" => result(json!({"content": []})),
        "resources/list" => result(json!({"resources": []})),
        "resources/read" => result(json!({"contents": []})),
        "prompts/list" => result(json!({"prompts": []})),
        "prompts/get" => result(json!({"messages": []})),
        "ping" | "logging/setLevel" | "resources/subscribe" | "resources/unsubscribe" => result(json!({})),
        "subscriptions/listen" => vec![json!({
            "method": "notifications/subscriptions/acknowledged",
            "params": {
                "notifications": line["params"]["notifications"],
                "_meta": {"io.modelcontextprotocol/subscriptionId": line["id"]}
            }
        })],
        _ => error(-32601, "method not found"),
    }
}

/// Sends every request that a client can send.
async fn use_everything(client: &Client) {
    let none = RawJson::empty_object;
    client.set_log_level(LoggingLevel::Info).await.unwrap();
    client.ping().await.unwrap();
    client.list_tools().await.unwrap();
    client.call_tool("t", none()).await.unwrap();
    client.stream("t", ()).raw_result().await.unwrap();
    client.start_tool("t", none()).await.unwrap().reply().await.unwrap();
    client.list_resources().await.unwrap();
    client.read_resource("memo:1").await.unwrap();
    client.list_prompts().await.unwrap();
    client.get_prompt("p", ()).await.unwrap();
    client.roots_changed().await.unwrap();
    let wanted = SubscriptionFilter {
        tools_list_changed: true,
        resource_subscriptions: vec!["memo:1".into()],
        mgp: Some(MgpFilter { audit: true, lifecycle: true, events: None }),
        ..Default::default()
    };
    let mut subscription = client.subscribe(wanted).await.unwrap();
    subscription.add_resource("memo:2").await.unwrap();
}

pub(crate) async fn open(builder: ClientBuilder, era: Era) -> (Client, Lines) {
    let (client, lines) = scripted::connect(Arc::new(answer), builder, EraChoice::Known(era)).await;
    (client.unwrap(), lines)
}

/// Returns the capabilities that a client declares.
pub(crate) async fn said_capabilities(builder: ClientBuilder, era: Era) -> Value {
    let (_client, lines) = open(builder, era).await;
    match era {
        Era::Initialize => lines.of("initialize")[0]["params"]["capabilities"].clone(),
        Era::Stateless => {
            let discover = &lines.of("server/discover")[0];
            discover["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"].clone()
        }
    }
}

#[tokio::test]
async fn a_plain_server_receives_no_mgp_after_the_handshake() {
    for era in [Era::Initialize, Era::Stateless] {
        let (client, lines) = open(builder(), era).await;
        assert!(lines.all()[0].to_string().contains("mgp"), "it is offered once: {:?}", lines.all());
        let handshake = lines.all().len();
        within(use_everything(&client)).await;
        let said = lines.all();
        assert!(said.len() > handshake + 10, "{said:?}");
        for line in &said[handshake..] {
            assert!(!line.to_string().to_lowercase().contains("mgp"), "{line}");
        }
    }
}

#[tokio::test]
async fn a_client_without_mgp_does_not_offer_it() {
    for era in [Era::Initialize, Era::Stateless] {
        let (client, lines) = open(builder().without_mgp(), era).await;
        within(use_everything(&client)).await;
        assert!(lines.all().iter().all(|line| !line.to_string().to_lowercase().contains("mgp")));
    }
}

#[tokio::test]
async fn each_era_uses_its_own_messages() {
    let (client, lines) = open(builder(), Era::Initialize).await;
    within(use_everything(&client)).await;
    let said = lines.methods();
    for method in
        ["initialize", "notifications/initialized", "ping", "logging/setLevel", "resources/subscribe"]
    {
        assert!(said.iter().any(|known| known == method), "{method}: {said:?}");
    }
    assert!(said.iter().any(|known| known == "notifications/roots/list_changed"), "{said:?}");
    assert!(!lines.all().iter().any(|line| line.to_string().contains("io.modelcontextprotocol")));

    let (client, lines) = open(builder(), Era::Stateless).await;
    within(use_everything(&client)).await;
    let said = lines.methods();
    let removed = |method: &String| mgp_client_sdk::mcp::stateless::is_removed(method);
    assert!(!said.iter().any(removed), "{said:?}");
    for line in lines.all().iter().filter(|line| line.get("id").is_some()) {
        let meta = &line["params"]["_meta"];
        assert_eq!(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28", "{line}");
        assert!(meta["io.modelcontextprotocol/clientCapabilities"].is_object(), "{line}");
        assert_eq!(meta["io.modelcontextprotocol/clientInfo"]["name"], "test", "{line}");
        let level = &meta["io.modelcontextprotocol/logLevel"];
        assert_eq!(*level == "info", line["id"] != 1, "from the level on that was set: {line}");
    }
}
