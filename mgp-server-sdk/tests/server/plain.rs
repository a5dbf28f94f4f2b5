//! §2.4 A plain MCP client sees no MGP.

use crate::support::{hello, settle};
use mgp_server_sdk::{
    CallToolResult, Notifier, Progress, Prompt, Resource, RiskLevel, Server, StreamSink, Tool, extract::Log,
};
use mgp_types::json::RawObject;
use serde_json::json;
use xtask_testing::RawPeer;

fn everything() -> Server {
    let stream = async |mut sink: StreamSink| {
        sink.send_text("so ").await.unwrap();
        sink.send_text("far").await.unwrap();
        sink.finish()
    };
    let speak = async |mut progress: Progress, log: Log, notifier: Notifier| {
        progress.report(1.0, Some(2.0), Some("half")).await.unwrap();
        log.info("said").await;
        notifier.tools_changed().await;
    };
    let own = async || {
        let mgp = RawObject::parse(r#"{"streamed":false}"#).unwrap();
        let meta = RawObject::parse(r#"{"mgp":{"a":1}}"#).unwrap();
        CallToolResult { mgp: Some(mgp), meta: Some(meta), ..CallToolResult::text("own") }
    };
    Server::new("s", "1")
        .permissions_required(["shell"])
        .tool(Tool::new("stream", "", stream).risk(RiskLevel::Dangerous).permissions(["shell.execute"]))
        .tool(Tool::new("speak", "", speak))
        .tool(Tool::new("own", "", own))
        .resource(Resource::text("a:b", "r", async || "r"))
        .prompt(Prompt::new("p", "", async || "p"))
}

#[tokio::test]
async fn no_line_of_a_plain_session_mentions_mgp() {
    let stack = everything().build().unwrap();
    let mut client = RawPeer::new(stack.in_process());
    client.ask(1, "initialize", hello(false)).await;
    client.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
    client.ask(2, "tools/list", json!({})).await;
    let mgp = json!({"stream": true});
    let streamed = client.ask(3, "tools/call", json!({"name": "stream", "_mgp": mgp})).await;
    assert_eq!(streamed["result"], json!({"content": [{"type": "text", "text": "so far"}]}));
    let meta = json!({"progressToken": 4});
    client.ask(4, "tools/call", json!({"name": "speak", "_meta": meta})).await;
    client.ask(5, "tools/call", json!({"name": "speak"})).await;
    client.ask(6, "tools/call", json!({"name": "own"})).await;
    client.ask(7, "tools/call", json!({"name": "none"})).await;
    client.ask(8, "resources/read", json!({"uri": "a:b"})).await;
    client.ask(9, "resources/read", json!({"uri": "a:c"})).await;
    client.ask(10, "prompts/get", json!({"name": "p"})).await;
    client.ask(11, "prompts/list", json!({})).await;
    settle().await;
    client.ask(12, "ping", json!({})).await;
    // It was a real session: what plain MCP has is there.
    for word in ["notifications/progress", "notifications/message", "notifications/tools/list_changed"] {
        assert!(client.read.concat().contains(word), "{word}");
    }
    for word in ["mgp", "security"] {
        assert!(!client.read.concat().to_lowercase().contains(word), "{word} in {:?}", client.read);
    }
}
