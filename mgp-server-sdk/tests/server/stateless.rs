//! A client of a stateless revision, line by line over a byte stream.

use crate::support::hello;
use mgp_server_sdk::{
    Notifier, Prompt, Resource, Server, Tool, ToolError,
    ask::Ask,
    extract::{Args, Log},
};
use mgp_transport::seam::Peer;
use mgp_types::{
    json::RawJson,
    mcp::{CreateMessageParams, ElicitParams, ListRoots},
    rpc::Empty,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use xtask_testing::RawPeer;

const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const SERVER: &str = "io.modelcontextprotocol/serverInfo";
const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

/// Adds the members that a client of a stateless revision sends in each request to params.
fn with_meta(mut params: Value, capabilities: Value) -> Value {
    params["_meta"] = json!({VERSION: "2026-07-28"});
    params["_meta"][CAPABILITIES] = capabilities;
    params
}

fn all() -> Value {
    json!({"elicitation": {}, "sampling": {}, "roots": {}})
}

fn client(server: Server) -> RawPeer {
    RawPeer::new(server.build().unwrap().in_process())
}

fn server() -> Server {
    Server::new("s", "1").tool(Tool::new("hi", "Says hi", async || "hi"))
}

fn form() -> ElicitParams {
    ElicitParams::form("Who are you?", RawJson::parse(r#"{"type":"object","properties":{}}"#).unwrap())
}

fn accept(name: &str) -> Value {
    json!({"action": "accept", "content": {"name": name}})
}

#[tokio::test]
async fn a_server_describes_itself_without_a_handshake() {
    let mut client = client(server().instructions("Say hi."));
    let found = client.ask(1, "server/discover", with_meta(json!({}), json!({}))).await;
    let found = &found["result"];
    assert!(found["supportedVersions"].as_array().unwrap().contains(&json!("2026-07-28")), "{found}");
    assert_eq!((&found["resultType"], &found["instructions"]), (&json!("complete"), &json!("Say hi.")));
    assert_eq!(found["_meta"][SERVER], json!({"name": "s", "version": "1"}));
    assert_eq!((&found["ttlMs"], &found["cacheScope"]), (&json!(0), &json!("private")));
    assert_eq!(found["capabilities"], json!({"tools": {"listChanged": true}}));
}

#[tokio::test]
async fn each_request_is_independent_and_its_answer_has_a_kind() {
    let mut client = client(server());
    let result = client.ask(1, "tools/call", with_meta(json!({"name": "hi"}), json!({}))).await;
    assert_eq!(result["result"]["content"][0]["text"], "hi");
    assert_eq!(result["result"]["resultType"], "complete");
    let list = client.ask(2, "tools/list", with_meta(json!({}), json!({}))).await;
    assert_eq!((&list["result"]["ttlMs"], &list["result"]["tools"][0]["name"]), (&json!(0), &json!("hi")));
}

#[tokio::test]
async fn incomplete_requests_and_removed_methods_are_refused() {
    let mut client = client(server());
    let error = client.ask(1, "tools/list", json!({"_meta": {VERSION: "2026-07-28"}})).await;
    assert_eq!(error["error"]["code"], -32602);
    assert!(error["error"]["message"].as_str().unwrap().contains(CAPABILITIES));
    let error = client.ask(2, "tools/list", json!({"_meta": {VERSION: "v9", CAPABILITIES: {}}})).await;
    assert_eq!(
        (&error["error"]["code"], &error["error"]["data"]["requested"]),
        (&json!(-32022), &json!("v9"))
    );
    for method in ["initialize", "ping", "logging/setLevel", "resources/subscribe"] {
        let error = client.ask(3, method, with_meta(json!({}), json!({}))).await;
        assert_eq!(error["error"]["code"], -32601, "{method}: {error}");
    }
}

#[tokio::test]
async fn the_first_message_on_a_connection_decides_its_era() {
    let mut client = client(server());
    client.ask(1, "initialize", hello(false)).await;
    let error = client.ask(2, "tools/list", with_meta(json!({}), json!({}))).await;
    assert_eq!(error["error"]["code"], -32600, "{error}");
    let listed = client.ask(3, "tools/list", json!({})).await;
    assert!(listed["result"]["tools"].is_array() && listed["result"].get("resultType").is_none(), "{listed}");
}

#[tokio::test]
async fn mgp_travels_in_each_request_and_is_invisible_to_plain_ones() {
    let secured = Tool::new("rm", "Removes", async || "ok").permissions(["filesystem.write"]);
    let mut client = client(server().tool(secured));
    let mgp = json!({"extensions": {"dev.cloto/mgp": {"version": "0.3.0", "extensions": ["tool_security"]}}});
    let found = client.ask(1, "server/discover", with_meta(json!({}), mgp.clone())).await;
    assert!(found["result"]["capabilities"]["extensions"]["dev.cloto/mgp"].is_object(), "{found}");
    let list = client.ask(2, "tools/list", with_meta(json!({}), mgp)).await;
    assert!(list["result"]["tools"][1]["security"].is_object(), "{list}");
    client.read.clear();
    client.ask(3, "server/discover", with_meta(json!({}), json!({}))).await;
    client.ask(4, "tools/list", with_meta(json!({}), json!({}))).await;
    assert!(
        !client.read.concat().contains("mgp") && !client.read.concat().contains("security"),
        "{:?}",
        client.read
    );
}

#[tokio::test]
async fn log_messages_are_sent_only_if_the_request_asks_for_them() {
    let speak = async |log: Log| log.error("boo").await;
    let mut client = client(server().tool(Tool::new("speak", "Speaks", speak)));
    client.ask(1, "tools/call", with_meta(json!({"name": "speak"}), json!({}))).await;
    assert!(!client.read.concat().contains("notifications/message"), "{:?}", client.read);
    let mut params = with_meta(json!({"name": "speak"}), json!({}));
    params["_meta"]["io.modelcontextprotocol/logLevel"] = json!("warning");
    client.ask(2, "tools/call", params).await;
    assert!(client.read.concat().contains("notifications/message"), "{:?}", client.read);
}

#[tokio::test]
async fn a_handler_runs_again_with_the_answers_of_every_round() {
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = runs.clone();
    let handler = move |ask: Ask| {
        counted.fetch_add(1, Ordering::SeqCst);
        async move {
            let first = ask.elicit("first", form()).await?.content.unwrap_or_default();
            let second = ask.elicit("second", form()).await?.content.unwrap_or_default();
            let name = |content: &mgp_types::json::RawObject| content.text("name").unwrap_or_default();
            Ok::<_, ToolError>(format!("{} {}", name(&first), name(&second)))
        }
    };
    let mut client = client(server().tool(Tool::new("ask", "Asks", handler)));
    let call = |more: Value| {
        let mut params = with_meta(json!({"name": "ask"}), all());
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        params
    };
    let first = client.ask(1, "tools/call", call(json!({}))).await["result"].clone();
    assert_eq!(first["resultType"], "input_required");
    assert_eq!(first["inputRequests"]["first"]["method"], "elicitation/create");
    assert!(first.get("ttlMs").is_none());
    let answers =
        json!({"inputResponses": {"first": accept("a"), "other": 1}, "requestState": first["requestState"]});
    let second = client.ask(2, "tools/call", call(answers)).await["result"].clone();
    assert_eq!(second["inputRequests"].as_object().unwrap().keys().collect::<Vec<_>>(), ["second"]);
    assert_ne!(second["requestState"], first["requestState"]);
    let answers = json!({"inputResponses": {"second": accept("b")}, "requestState": second["requestState"]});
    let done = client.ask(3, "tools/call", call(answers)).await;
    assert_eq!(done["result"]["content"][0]["text"], "a b");
    assert_eq!(runs.load(Ordering::SeqCst), 3);
    // The state of one request is not valid for another, and nobody can change it.
    let state = second["requestState"].as_str().unwrap();
    let mut other = call(json!({"requestState": state}));
    other["arguments"] = json!({"x": 1});
    let foreign = client.ask(4, "tools/call", other).await;
    assert_eq!(foreign["error"]["code"], -32602, "{foreign}");
    let changed = client.ask(5, "tools/call", call(json!({"requestState": format!("{state}A")}))).await;
    assert_eq!(changed["error"]["code"], -32602, "{changed}");
}

#[tokio::test]
async fn questions_asked_together_share_a_round() {
    let handler = async |ask: Ask| {
        let sampling: CreateMessageParams = serde_json::from_str(
            r#"{"messages":[{"role":"user","content":{"type":"text","text":"x"}}],"maxTokens":5}"#,
        )?;
        let (form, said, roots) =
            tokio::join!(ask.elicit("form", form()), ask.sample("model", sampling), ask.roots("roots"));
        Ok::<_, ToolError>(format!("{:?} {} {}", form?.action, said?.model, roots?.roots.len()))
    };
    let mut client = client(server().tool(Tool::new("ask", "Asks", handler)));
    let first = client.ask(1, "tools/call", with_meta(json!({"name": "ask"}), all())).await;
    let keys = first["result"]["inputRequests"].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys, ["form", "model", "roots"]);
    let mut params = with_meta(json!({"name": "ask"}), all());
    params["inputResponses"] = json!({"form": 12345, "roots": {"roots": []}});
    let again = client.ask(2, "tools/call", params).await;
    let keys = again["result"]["inputRequests"].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys, ["form", "model"]);
    let mut params = with_meta(json!({"name": "ask"}), all());
    params["inputResponses"] = Value::Null;
    assert_eq!(client.ask(3, "tools/call", params).await["error"]["code"], -32602);
}

#[tokio::test]
async fn the_same_handler_asks_by_requests_after_initialize() {
    let handler = async |ask: Ask| {
        let roots = ask.roots("where").await?;
        Ok::<_, ToolError>(roots.roots.len().to_string())
    };
    let mut client = client(server().tool(Tool::new("ask", "Asks", handler)));
    let mut hello = hello(false);
    hello["capabilities"] = json!({"roots": {}});
    client.ask(1, "initialize", hello).await;
    client.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
    client.request(2, "tools/call", json!({"name": "ask"})).await;
    let question = client.message().await;
    assert_eq!(question["method"], "roots/list");
    client
        .send(json!({"jsonrpc": "2.0", "id": question["id"], "result": {"roots": [{"uri": "file:///a"}]}}))
        .await;
    assert_eq!(client.message().await["result"]["content"][0]["text"], "1");
}

#[tokio::test]
async fn a_client_is_asked_only_for_its_capabilities() {
    let handler = async |ask: Ask| Ok::<_, ToolError>(ask.elicit("who", form()).await?.action.to_string());
    let mut plain = client(server().tool(Tool::new("ask", "Asks", handler)));
    let refused = plain.ask(1, "tools/call", with_meta(json!({"name": "ask"}), json!({"roots": {}}))).await;
    assert_eq!(refused["error"]["code"], -32021, "{refused}");
    assert!(refused["error"]["data"]["requiredCapabilities"]["elicitation"].is_object(), "{refused}");
    let mut legacy = client(server().tool(Tool::new("ask", "Asks", handler)));
    legacy.ask(1, "initialize", hello(false)).await;
    let told = legacy.ask(2, "tools/call", json!({"name": "ask"})).await;
    assert_eq!(told["result"]["isError"], true, "{told}");
}

#[tokio::test]
async fn a_server_sends_no_request_in_a_stateless_revision() {
    let handler = async |peer: Peer| match peer.request::<ListRoots>(&Empty::default()).await {
        Ok(_) => "answered".to_owned(),
        Err(error) => error.to_string(),
    };
    let mut client = client(server().tool(Tool::new("ask", "Asks", handler)));
    let told = client.ask(1, "tools/call", with_meta(json!({"name": "ask"}), all())).await;
    let text = told["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("cannot send roots/list"), "{text}");
}

#[tokio::test]
async fn a_prompt_and_a_resource_can_ask_too() {
    let prompt = async |ask: Ask| Ok::<_, ToolError>(ask.elicit("who", form()).await?.action.to_string());
    let read = async |ask: Ask| Ok::<_, ToolError>(ask.elicit("who", form()).await?.action.to_string());
    let server =
        server().prompt(Prompt::new("p", "A prompt", prompt)).resource(Resource::text("a:1", "one", read));
    let mut client = client(server);
    for (id, method, subject) in
        [(1, "prompts/get", json!({"name": "p"})), (2, "resources/read", json!({"uri": "a:1"}))]
    {
        let asked = client.ask(id, method, with_meta(subject.clone(), all())).await;
        assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
        let mut params = with_meta(subject, all());
        params["inputResponses"] = json!({"who": accept("x")});
        params["requestState"] = asked["result"]["requestState"].clone();
        let done = client.ask(id + 10, method, params).await;
        assert_eq!(done["result"]["resultType"], "complete", "{done}");
    }
}

#[derive(Deserialize, JsonSchema)]
struct Change {
    uri: String,
}

#[tokio::test]
async fn a_subscription_is_acknowledged_and_limited_to_its_filter() {
    let change = async |notifier: Notifier, Args(Change { uri }): Args<Change>| {
        notifier.tools_changed().await;
        notifier.prompts_changed().await;
        notifier.resource_updated(&uri).await;
    };
    let server = server().tool(Tool::new("change", "Changes", change)).resource(Resource::text(
        "a:1",
        "one",
        async || "1",
    ));
    let mut client = client(server);
    let filter = json!({"notifications": {"toolsListChanged": true, "promptsListChanged": true, "resourceSubscriptions": ["a:1"]}});
    let listen = json!({"jsonrpc": "2.0", "id": "l", "method": "subscriptions/listen", "params": with_meta(filter, json!({}))});
    client.send(listen).await;
    let first = client.message().await;
    assert_eq!(first["method"], "notifications/subscriptions/acknowledged");
    // The server has no prompts, so it tells nothing of them.
    let acknowledged = json!({"toolsListChanged": true, "resourceSubscriptions": ["a:1"]});
    assert_eq!(first["params"]["notifications"], acknowledged);
    for (id, uri) in [(2, "a:1"), (3, "a:2")] {
        client.read.clear();
        let call = with_meta(json!({"name": "change", "arguments": {"uri": uri}}), json!({}));
        client.ask(id, "tools/call", call).await;
        let lines: Vec<Value> = client.read.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
        let told: Vec<_> = lines.iter().filter_map(|line| line["method"].as_str()).collect();
        let expected: &[&str] = if uri == "a:1" {
            &["notifications/tools/list_changed", "notifications/resources/updated"]
        } else {
            &["notifications/tools/list_changed"]
        };
        assert_eq!(told, expected, "{uri}");
        assert!(
            lines
                .iter()
                .filter(|line| line["method"].is_string())
                .all(|line| line["params"]["_meta"][SUBSCRIPTION] == "l")
        );
    }
    client
        .send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "l"}}))
        .await;
    client.ask(4, "tools/list", with_meta(json!({}), json!({}))).await;
    client.read.clear();
    client
        .ask(5, "tools/call", with_meta(json!({"name": "change", "arguments": {"uri": "a:1"}}), json!({})))
        .await;
    assert_eq!(client.read.len(), 1, "{:?}", client.read);
}

/// Returns the capabilities of a client of a stateless revision, with MGP's `lifecycle` or without MGP.
fn capabilities(mgp: bool) -> Value {
    let offer = json!({"extensions": {"dev.cloto/mgp": {"version": "0.3.0", "extensions": ["lifecycle"]}}});
    if mgp { offer } else { json!({}) }
}

#[tokio::test]
async fn a_listener_with_lifecycle_is_notified_of_a_drain() {
    for mgp in [true, false] {
        let mut client = client(server());
        let filter = json!({"notifications": {"toolsListChanged": true, "dev.cloto/mgp": {"lifecycle": true, "audit": true}}});
        let listen = with_meta(filter, capabilities(mgp));
        client
            .send(json!({"jsonrpc": "2.0", "id": "l", "method": "subscriptions/listen", "params": listen}))
            .await;
        let first = client.message().await;
        // A server has no audit trail of its own to report on.
        let told = if mgp { json!({"lifecycle": true}) } else { Value::Null };
        assert_eq!(first["params"]["notifications"]["dev.cloto/mgp"], told, "{first}");
        let stop = with_meta(json!({"reason": "operator_request"}), capabilities(true));
        client.request(2, "mgp/lifecycle/shutdown", stop).await;
        let mut after = Vec::new();
        while let Some(line) = client.next_text().await {
            after.push(serde_json::from_str::<Value>(&line).unwrap());
        }
        let heard: Vec<_> = after.iter().filter(|line| line["method"].is_string()).collect();
        assert_eq!(heard.len(), usize::from(mgp), "{after:?}");
        if mgp {
            assert_eq!(heard[0]["method"], "notifications/mgp.lifecycle");
            assert_eq!(heard[0]["params"]["new_state"], "draining");
            assert_eq!(heard[0]["params"]["_meta"][SUBSCRIPTION], "l");
            let position = |which: &dyn Fn(&Value) -> bool| after.iter().position(which).unwrap();
            assert!(position(&|line| line["method"].is_string()) < position(&|line| line["id"] == "l"));
        }
    }
}
