//! Each example is called, as a host would.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(dead_code, reason = "an example is a program of its own")]
#![cfg(feature = "stdio")]

use mgp_server_sdk::{
    ContentBlock,
    mcp::{Complete, CompleteParams},
    testing::{CallUpdate, TestClient},
};
use serde_json::{Value, json};

#[path = "../examples/ask.rs"]
mod ask;
#[cfg(feature = "macros")]
#[path = "../examples/attributes.rs"]
mod attributes;
#[path = "../examples/checkpoint.rs"]
mod checkpoint;
#[cfg(feature = "code-safety")]
#[path = "../examples/code_safety.rs"]
mod code_safety;
#[path = "../examples/deploy.rs"]
mod deploy;
#[path = "../examples/guarded.rs"]
mod guarded;
#[cfg(feature = "http")]
#[path = "../examples/http.rs"]
mod http;
#[path = "../examples/layer.rs"]
mod layer;
#[path = "../examples/merge.rs"]
mod merge;
#[path = "../examples/progress.rs"]
mod progress;
#[path = "../examples/prompt.rs"]
mod prompt;
#[path = "../examples/resources.rs"]
mod resources;
#[path = "../examples/stream.rs"]
mod stream;
#[path = "../examples/structured.rs"]
mod structured;
#[path = "../examples/task.rs"]
mod task;
#[path = "../examples/tickets.rs"]
mod tickets;

async fn text(client: &TestClient, tool: &str, arguments: Value) -> String {
    client.call(tool, &arguments).await.unwrap()
}

async fn completed(client: &TestClient, reference: Value, argument: Value) -> Vec<String> {
    let params = json!({"ref": reference, "argument": argument});
    let params: CompleteParams = serde_json::from_value(params).unwrap();
    client.peer().request::<Complete>(&params).await.unwrap().completion.values
}

#[tokio::test]
async fn structured_counts_words() {
    let client = structured::server().test_client().await.unwrap();
    let counts: Value = client.call("count", json!({"text": "a long day"})).await.unwrap();
    assert_eq!(counts, json!({"words": 3, "longest": "long"}));
    let error = client.call::<Value>("count", json!({"text": " "})).await.unwrap_err();
    assert_eq!(error.to_string(), "the text has no words");
}

#[tokio::test]
async fn progress_reports_the_number_of_baked_loaves() {
    let client = progress::server().test_client().await.unwrap();
    let mut call = client.stream("bake", json!({"loaves": 2}));
    for progress in [1.0, 2.0] {
        let expected = CallUpdate::Progress { progress, total: Some(2.0), message: Some("baking".into()) };
        assert_eq!(call.next().await, Some(expected));
    }
    assert_eq!(call.result::<String>().await.unwrap(), "2 loaves are ready");
}

#[tokio::test]
async fn stream_recites_line_by_line() {
    let client = stream::server().test_client().await.unwrap();
    let mut call = client.stream("recite", ());
    assert_eq!(call.next().await, Some(CallUpdate::Chunk(ContentBlock::text("Rain on the roof,\n"))));
    assert!(call.result::<String>().await.unwrap().ends_with("and nowhere to go."));
}

#[tokio::test]
async fn resources_are_read_and_completed() {
    let client = resources::server().test_client().await.unwrap();
    assert_eq!(client.read_resource("notes://index").await.unwrap().text(), Some("bread\nmilk"));
    assert_eq!(client.read_resource("note://milk").await.unwrap().text(), Some("one bottle"));
    assert!(client.read_resource("note://gold").await.unwrap_err().to_string().contains("not found"));
    let template = json!({"type": "ref/resource", "uri": "note://{name}"});
    assert_eq!(completed(&client, template, json!({"name": "name", "value": "b"})).await, ["bread"]);
}

#[tokio::test]
async fn prompt_is_filled_in_and_completed() {
    let client = prompt::server().test_client().await.unwrap();
    let prompt = client.get_prompt("review", json!({"language": "rust", "remarks": "3"})).await.unwrap();
    let text = prompt.messages[0].content.as_text();
    assert_eq!(text, Some("Review this rust code, with at most 3 remarks."));
    let reference = json!({"type": "ref/prompt", "name": "review"});
    assert_eq!(
        completed(&client, reference, json!({"name": "language", "value": "ru"})).await,
        ["ruby", "rust"]
    );
}

#[tokio::test]
async fn ask_books_the_user_s_choice() {
    let client = ask::server().test_client().await.unwrap();
    client.fill_forms(&json!({"guests": 2, "name": "Ada"})).unwrap();
    assert_eq!(text(&client, "book", json!({})).await, "Ada has a table for 2");
}

#[tokio::test]
async fn deploy_acts_if_the_user_agrees() {
    let client = deploy::server().test_client().await.unwrap();
    client.fill_forms(&json!({})).unwrap();
    assert_eq!(text(&client, "deploy", json!({})).await, "deployed");
}

#[tokio::test]
async fn task_builds_as_a_call_and_as_a_task() {
    let client = task::server().test_client().await.unwrap();
    assert_eq!(text(&client, "build", json!({})).await, "built");
    assert_eq!(client.call_as_task::<String>("build", ()).await.unwrap(), "built");
}

#[tokio::test]
async fn merge_has_the_tools_of_all() {
    let client = merge::server().test_client().await.unwrap();
    let names: Vec<_> = client.list_tools().await.unwrap().into_iter().map(|tool| tool.name).collect();
    assert_eq!(names, ["now", "mail_list", "calendar_list"]);
    assert_eq!(text(&client, "mail_list", json!({})).await, "no mail for Ada");
}

#[tokio::test]
async fn layer_refuses_the_second_start() {
    let client = layer::server().test_client().await.unwrap();
    assert_eq!(text(&client, "report", json!({})).await, "all is well");
    assert_eq!(text(&client, "start", json!({})).await, "it runs");
    let refused = client.call::<String>("start", ()).await.unwrap_err();
    assert!(refused.to_string().contains("this tool runs once"), "{refused}");
}

#[cfg(feature = "macros")]
#[tokio::test]
async fn attributes_fill_a_cart() {
    let client = attributes::server().test_client().await.unwrap();
    assert_eq!(client.greeting().instructions.as_deref(), Some("Fill the cart before you order."));
    assert_eq!(text(&client, "add", json!({"name": "bread"})).await, "1 items");
    assert_eq!(client.read_resource("cart://items").await.unwrap().text(), Some("bread"));
    assert_eq!(text(&client, "hours", json!({})).await, "always");
    assert_eq!(client.get_prompt("shopping", ()).await.unwrap().messages.len(), 1);
}

#[cfg(feature = "code-safety")]
#[tokio::test]
async fn code_safety_checks_a_program() {
    let client = code_safety::server().test_client().await.unwrap();
    assert_eq!(text(&client, "run", json!({"code": "import math\nmath.sin(1)"})).await, "2 lines may run");
    let refused = client.call::<String>("run", json!({"code": "import os"})).await.unwrap_err();
    assert!(refused.to_string().contains("import os") || refused.to_string().contains("'os'"), "{refused}");
}

#[cfg(feature = "http")]
#[tokio::test]
async fn http_greets_only_the_holder_of_a_key() {
    use mgp_server_sdk::http::ApiKey;
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::TcpStream,
    };
    let (text, key) = ApiKey::generate().unwrap();
    let serving = http::http(key).unwrap().build().bind("127.0.0.1:0").await.unwrap();
    let address = serving.address();
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({"name": "greet", "_meta": meta});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string();
    for (key, expected) in [(Some(text), "Hello, ada!"), (None, "401")] {
        let key = key.map(|key| format!("X-API-Key: {key}\r\n")).unwrap_or_default();
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nMcp-Method: tools/call\r\n\
             Mcp-Name: greet\r\nMCP-Protocol-Version: 2026-07-28\r\nAccept: application/json, text/event-stream\r\n\
             {key}Connection: close\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all((head + &body).as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        assert!(answer.contains(expected), "{answer}");
    }
    serving.shutdown().await;
}

#[tokio::test]
async fn checkpoint_resumes_at_the_row_where_it_broke() {
    let client = checkpoint::server().test_client().await.unwrap();
    let call = |meta: Value| {
        let params = json!({"name": "import", "arguments": {"rows": 5, "breaks_at": 3}, "_meta": meta});
        let params = mgp_server_sdk::RawJson::from_value(&params).unwrap();
        client.peer().request_raw("tools/call", params)
    };
    let failed: Value = call(json!({})).await.unwrap().decode().unwrap();
    assert_eq!(failed["content"][0]["text"], "the connection broke at row 3");
    let imported: Value = call(failed["_meta"].clone()).await.unwrap().decode().unwrap();
    assert_eq!(imported["content"][0]["text"], "imported 2 rows, from row 3 on");
}

#[tokio::test]
async fn tickets_name_their_source_and_are_closed_once() {
    let client = tickets::server().test_client().await.unwrap();
    let opened: Value = client.call("open", json!({"title": "Count swans"})).await.unwrap();
    assert_eq!(opened, json!({"number": 1, "of_session": 1}));
    assert_eq!(text(&client, "export", json!({})).await, "1,Count swans\n");
    assert_eq!(text(&client, "close", json!({"number": 1})).await, "closed \"Count swans\"");
    let error = client.call::<String>("close", json!({"number": 1})).await.unwrap_err();
    assert_eq!(error.to_string(), "ticket 1 is not open");
}

#[tokio::test]
async fn guarded_records_each_call_and_refuses_without_a_rule() {
    use mgp_server_sdk::{BoxError, Incoming, RawJson, Reply, connection::Connection, memory};
    let trail = mgp_security::audit::MemorySink::new(10);
    let server = guarded::server().build().unwrap();
    let guarded = guarded::guarded(&server, std::sync::Arc::new(trail.clone())).await.unwrap();
    let ((input, output), served) = memory::pair();
    let connection = Connection::builder(guarded).over(served.0, served.1);
    tokio::spawn(async move { server.serve(connection).await });
    let ignore = tower::service_fn(|_: Incoming| async { Ok::<_, BoxError>(Reply::none()) });
    let client = Connection::builder(ignore).over(input, output);
    let raw = |params: Value| RawJson::from_value(&params).unwrap();
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}});
    client.peer().request_raw("initialize", raw(hello)).await.unwrap();
    client.peer().notify("notifications/initialized", raw(json!({}))).await.unwrap();
    let call = |tool: &'static str, arguments: Value| {
        client.peer().request_raw("tools/call", raw(json!({"name": tool, "arguments": arguments})))
    };
    let added: Value = call("add", json!({"text": "milk"})).await.unwrap().decode().unwrap();
    assert_eq!(added["content"][0]["text"], "added \"milk\"");
    let refused = call("erase", json!({})).await.unwrap_err().to_string();
    assert!(refused.contains("erase"), "{refused}");
    let told: Vec<_> = trail
        .events()
        .iter()
        .map(|event| {
            (
                event.event_type.as_str().to_owned(),
                event.details.as_ref().unwrap().get("attempts").unwrap().to_string(),
            )
        })
        .collect();
    let expected = [("TOOL_EXECUTED", "1"), ("TOOL_BLOCKED", "0")];
    assert_eq!(told, expected.map(|(event, attempts)| (event.to_owned(), attempts.to_owned())));
}

#[test]
fn the_page_on_layers_shows_the_whole_stack_and_dependencies() {
    let (page, example) = (include_str!("../../docs/layers.md"), include_str!("../examples/guarded.rs"));
    assert!(page.contains(example), "docs/layers.md lacks the text of examples/guarded.rs");
    let manifest = page.split("```toml").nth(1).unwrap().split("```").next().unwrap();
    for used in [
        "mgp_security",
        "mgp_server_sdk",
        "mgp_transport",
        "mgp_types",
        "serde",
        "serde_json",
        "tokio",
        "tower",
    ] {
        assert!(example.contains(&format!("{used}::")), "{used} is not used");
        let name = used.replace('_', if used == "serde_json" { "_" } else { "-" });
        assert!(manifest.lines().any(|line| line.starts_with(&format!("{name} ="))), "{name} is not listed");
    }
}
