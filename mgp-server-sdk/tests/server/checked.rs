//! Arguments are checked against the schema of their tool before its function runs.

use crate::support::{Client, hello};
use mgp_server_sdk::{Error, Server, Tool, ToolError, ask::Ask, extract::RawArgs, task::TaskSupport};
use mgp_types::{json::RawJson, mcp::ElicitParams};
use serde_json::{Value, json};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use xtask_testing::RawPeer;

const TOLD: &str = r#"invalid arguments: /n: "seven" is not of type "integer""#;

/// A tool that counts its calls.
#[derive(Clone, Default)]
struct CountedCalls(Arc<AtomicUsize>);

impl CountedCalls {
    fn runs(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }

    fn tool(&self, name: &str) -> Tool {
        let counted = self.clone();
        let handler = move |RawArgs(json): RawArgs| {
            counted.0.fetch_add(1, Ordering::SeqCst);
            async move { json.as_str().to_owned() }
        };
        Tool::raw(name, "Counts", schema(), handler)
    }

    fn server(&self) -> Server {
        Server::new("s", "1").tool(self.tool("count"))
    }
}

fn schema() -> Value {
    json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]})
}

fn stateless(mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities":
            {"elicitation": {}, "extensions": {"io.modelcontextprotocol/tasks": {}}},
    });
    params
}

#[expect(clippy::needless_pass_by_value, reason = "a call reads better")]
fn call(n: Value) -> Value {
    json!({"name": "count", "arguments": {"n": n}})
}

async fn opened(server: Server, revision: &str) -> RawPeer {
    let mut client = RawPeer::new(server.build().unwrap().in_process());
    let mut hello = hello(false);
    hello["protocolVersion"] = revision.into();
    client.ask(0, "initialize", hello).await;
    client.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
    client
}

#[tokio::test]
async fn invalid_arguments_are_a_tool_error_in_every_revision() {
    let counted = CountedCalls::default();
    let error = json!({"error_type": "ValidationError", "error_message": TOLD});
    let meta = json!({"dev.cloto/result": {"status": "failure", "error": error}});
    let expected = json!({"content": [{"type": "text", "text": TOLD}], "isError": true, "_meta": meta});
    for revision in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut client = opened(counted.server(), revision).await;
        assert_eq!(client.ask(1, "tools/call", call(json!("seven"))).await["result"], expected, "{revision}");
        assert_eq!(counted.runs(), 0);
    }
    let mut client = RawPeer::new(counted.server().build().unwrap().in_process());
    let mut result = client.ask(1, "tools/call", stateless(call(json!("seven")))).await["result"].take();
    result.as_object_mut().unwrap().remove("_meta");
    let mut expected = expected;
    expected.as_object_mut().unwrap().remove("_meta");
    expected["resultType"] = json!("complete");
    assert_eq!(result, expected);
    assert_eq!(counted.runs(), 0);
    let fits = client.ask(2, "tools/call", stateless(call(json!(7)))).await;
    assert_eq!(fits["result"]["content"][0]["text"], r#"{"n":7}"#);
    assert_eq!(counted.runs(), 1);
}

#[tokio::test]
async fn missing_and_non_object_arguments_are_invalid() {
    let counted = CountedCalls::default();
    let client = Client::plain(counted.server()).await;
    let missing = client.request("tools/call", json!({"name": "count"})).await.unwrap();
    assert_eq!(missing["content"][0]["text"], r#"invalid arguments: "n" is a required property"#);
    for (arguments, found) in [(json!([1]), "an array"), (json!("n"), "a string"), (json!(null), "null")] {
        let told = client.failure("count", arguments).await;
        assert_eq!(told, format!("invalid arguments: expected an object, found {found}"));
    }
    assert_eq!(counted.runs(), 0);
}

#[tokio::test]
async fn the_handler_gets_the_checked_text() {
    let client = Client::plain(CountedCalls::default().server()).await;
    for arguments in [r#"{"n":123456789012345678901234567890}"#, r#"{ "n" : 1.0, "more":1.50 }"#] {
        let params = format!(r#"{{"name":"count","arguments":{arguments}}}"#);
        let result =
            client.connection.peer().request_raw("tools/call", RawJson::parse(params).unwrap()).await;
        let result: Value = result.unwrap().decode().unwrap();
        assert_eq!(result["content"][0]["text"], arguments);
    }
}

#[tokio::test]
async fn a_duplicate_key_in_the_arguments_is_not_read_in_two_ways() {
    let counted = CountedCalls::default();
    let client = Client::plain(counted.server()).await;
    let twice = RawJson::parse(r#"{"name":"count","arguments":{"n":"seven","n":7}}"#).unwrap();
    let result = client.connection.peer().request_raw("tools/call", twice).await.unwrap();
    assert!(result.as_str().contains(r#"duplicate key \"n\""#), "{result}");
    assert_eq!(counted.runs(), 0);
}

#[tokio::test]
async fn checking_can_be_turned_off_for_a_server_or_a_tool() {
    for (server, tool, checked) in [
        (None, None, true),
        (Some(false), None, false),
        (None, Some(false), false),
        (Some(false), Some(true), true),
    ] {
        let counted = CountedCalls::default();
        let mut of_tool = counted.tool("count");
        if let Some(yes) = tool {
            of_tool = of_tool.check_arguments(yes);
        }
        let mut of_server = Server::new("s", "1").tool(of_tool);
        if let Some(yes) = server {
            of_server = of_server.check_arguments(yes);
        }
        let result = Client::plain(of_server).await.call("count", json!({"n": "seven"})).await.unwrap();
        assert_eq!(result["isError"] == true, checked, "{result}");
        assert_eq!(counted.runs(), usize::from(!checked));
    }
}

#[tokio::test]
async fn a_call_with_invalid_arguments_starts_no_task() {
    let counted = CountedCalls::default();
    let server = || Server::new("s", "1").tool(counted.tool("count").task(TaskSupport::Optional));
    // The client has asked for a task: there is no result that it would read.
    let mut core = opened(server(), "2025-11-25").await;
    let mut params = call(json!("seven"));
    params["task"] = json!({});
    let refused = core.ask(1, "tools/call", params).await;
    assert_eq!((&refused["error"]["code"], &refused["error"]["message"]), (&json!(-32602), &json!(TOLD)));
    assert_eq!(core.ask(2, "tasks/list", json!({})).await["result"]["tasks"], json!([]));
    let plain = core.ask(3, "tools/call", call(json!("seven"))).await;
    assert_eq!(plain["result"]["isError"], true, "{plain}");
    // The server decides, and decides that it is none.
    let mut extension = RawPeer::new(server().build().unwrap().in_process());
    let answer = extension.ask(1, "tools/call", stateless(call(json!("seven")))).await;
    assert_eq!(answer["result"]["resultType"], "complete", "{answer}");
    assert_eq!(answer["result"]["content"][0]["text"], TOLD);
    assert_eq!(counted.runs(), 0);
    let begun = extension.ask(2, "tools/call", stateless(call(json!(7)))).await;
    assert_eq!(begun["result"]["resultType"], "task", "{begun}");
}

#[tokio::test]
async fn the_arguments_of_every_round_are_checked() {
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = runs.clone();
    let handler = move |ask: Ask| {
        counted.fetch_add(1, Ordering::SeqCst);
        async move {
            let form = RawJson::parse(r#"{"type":"object","properties":{}}"#)?;
            ask.elicit("sure", ElicitParams::form("Are you sure?", form)).await?;
            Ok::<_, ToolError>("done")
        }
    };
    let server = Server::new("s", "1").tool(Tool::raw("count", "Asks", schema(), handler));
    let mut client = RawPeer::new(server.build().unwrap().in_process());
    let first = client.ask(1, "tools/call", stateless(call(json!(7)))).await;
    assert_eq!(first["result"]["resultType"], "input_required", "{first}");
    let retried = |n: Value| {
        let mut params = stateless(call(n));
        params["inputResponses"] = json!({"sure": {"action": "accept", "content": {}}});
        params["requestState"] = first["result"]["requestState"].clone();
        params
    };
    let wrong = client.ask(2, "tools/call", retried(json!("seven"))).await;
    assert_eq!(wrong["result"]["content"][0]["text"], TOLD, "{wrong}");
    assert_eq!(runs.load(Ordering::SeqCst), 1);
    let right = client.ask(3, "tools/call", retried(json!(7))).await;
    assert_eq!(right["result"]["content"][0]["text"], "done", "{right}");
}

#[test]
fn an_unusable_schema_is_an_error_that_names_the_tool() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let remote = format!("http://{}/n.json", listener.local_addr().unwrap());
    let tool = |extra: Value| {
        let mut schema = schema();
        schema.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        Tool::raw("count", "", schema, async || ())
    };
    for (extra, expected) in [
        (
            json!({"$schema": "https://example.test/mine"}),
            "unknown $schema \"https://example.test/mine\": expected \"https://json-schema.org/draft/2020-12/schema\" \
             or \"http://json-schema.org/draft-07/schema#\"".to_owned(),
        ),
        (
            json!({"properties": {"n": {"$ref": remote}}}),
            format!("$ref {remote:?} leads out of the schema: expected a place within it; nothing is fetched"),
        ),
        (json!({"$ref": "#"}), "$ref \"#\" leads back to itself without going down into the value".to_owned()),
        (json!({"required": "n"}), "/required: \"n\" is not of type \"array\"".to_owned()),
    ] {
        let error: Error = Server::new("s", "1").tool(tool(extra.clone())).build().unwrap_err();
        assert_eq!(error.to_string(), format!("invalid schema of tool \"count\": {expected}"));
        assert!(Server::new("s", "1").tool(tool(extra).check_arguments(false)).build().is_ok());
    }
    assert_eq!(listener.accept().unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
}
