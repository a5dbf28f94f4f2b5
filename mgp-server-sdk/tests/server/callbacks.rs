//! §13.4 A handler asks a client that shows no forms by callbacks.

use crate::support::hello;
use mgp_server_sdk::{
    Server, ServerStack, Tool, ToolError, ask::Ask, extract::Log, mcp::ElicitParams, task::TaskSupport,
};
use serde_json::{Value, json};
use std::{collections::VecDeque, time::Duration};
use xtask_testing::RawPeer;

const ASKS: &str = "notifications/mgp.callback.request";
const RESPOND: &str = "mgp/callback/respond";

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Two {
    a: String,
    b: String,
}

async fn paint(ask: Ask) -> Result<String, ToolError> {
    let name = ask.input("name", "Who paints?").await?;
    let color = ask.select("color", "Which color?", ["red", "blue"]).await?;
    let sure = ask.confirm("sure", "Sure?").await?;
    Ok(format!("{name:?} {color:?} {sure}"))
}

async fn hurry(ask: Ask) -> Result<String, ToolError> {
    let ask = ask.callback_timeout(Duration::from_millis(50));
    Ok(match ask.confirm("sure", "Sure?").await {
        Ok(sure) => sure.to_string(),
        Err(error) => error.message(),
    })
}

async fn inform(ask: Ask) -> Result<String, ToolError> {
    Ok(ask.inform("Nearly done").await?.to_string())
}

fn server() -> Server {
    Server::new("painter", "1.0.0")
        .tool(Tool::new("paint", "Paints", paint))
        .tool(Tool::new("hurry", "Hurries", hurry))
        .tool(Tool::new("inform", "Informs", inform))
        .tool(Tool::new("age", "Asks a number", async |ask: Ask| {
            let schema = r#"{"type":"object","properties":{"age":{"type":"integer"}}}"#;
            let form = ElicitParams::form("How old?", mgp_server_sdk::RawJson::parse(schema).unwrap());
            let answer = ask.elicit("age", form).await?.content.unwrap_or_default();
            Ok::<_, ToolError>(answer.to_json().to_string())
        }))
        .tool(Tool::new("two", "Asks two fields", async |ask: Ask| {
            let form = ask.form::<Two>("two", "?").await?;
            Ok::<_, ToolError>(form.map(|Two { a, b }| a + &b).unwrap_or_default())
        }))
        .tool(
            Tool::new("task", "Asks as a task", async |ask: Ask| {
                Ok::<_, ToolError>(format!("{} {}", ask.can_answer_callbacks(), ask.confirm("k", "?").await?))
            })
            .task(TaskSupport::Optional),
        )
}

/// A client that keeps the messages before a receipt for its next read.
struct CallbackClient {
    peer: RawPeer,
    unread: VecDeque<Value>,
}

/// Connects a client with these capabilities beside its offer.
async fn connect(server: Server, mgp: bool, more: Value) -> CallbackClient {
    let mut hello = hello(mgp);
    for (key, value) in more.as_object().unwrap() {
        hello["capabilities"][key] = value.clone();
    }
    CallbackClient::open(&server.build().unwrap(), hello).await
}

impl CallbackClient {
    async fn open(stack: &ServerStack, hello: Value) -> Self {
        let mut peer = RawPeer::new(stack.in_process());
        let greeting = peer.ask(1, "initialize", hello).await;
        assert!(greeting["error"].is_null(), "{greeting}");
        peer.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        Self { peer, unread: VecDeque::new() }
    }

    async fn start(&mut self, id: i64, tool: &str) {
        self.peer.request(id, "tools/call", json!({"name": tool, "arguments": {}})).await;
    }

    /// Reads up to a message for which `is` returns true.
    async fn read(&mut self, is: impl Fn(&Value) -> bool) -> Value {
        while let Some(message) = self.unread.pop_front() {
            if is(&message) {
                return message;
            }
        }
        self.peer.message_where(is).await
    }

    /// Reads up to the next callback, and returns its params.
    async fn callback(&mut self) -> Value {
        self.read(|message| message["method"] == ASKS).await["params"].take()
    }

    /// Answers a callback, and returns the receipt.
    async fn respond(&mut self, id: i64, callback: &Value, response: Value) -> Value {
        let params = json!({"callback_id": callback, "response": response});
        self.peer.request(id, RESPOND, params).await;
        loop {
            let mut message = self.peer.message().await;
            if message["id"] == id {
                return message["result"].take();
            }
            self.unread.push_back(message);
        }
    }

    /// Answers a callback, and returns the text of the call, which may come before the receipt.
    async fn finish(&mut self, call: i64, callback: &Value, response: Value) -> String {
        let params = json!({"callback_id": callback, "response": response});
        self.peer.request(900, RESPOND, params).await;
        let answer = self.read(|message| message["id"] == call).await;
        answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    }
}

#[tokio::test]
async fn a_client_without_forms_is_asked_by_callbacks() {
    let mut client = connect(server(), true, json!({})).await;
    client.start(7, "paint").await;
    let name = client.callback().await;
    let expected = json!({"callback_id": "cb-1", "request_id": 7, "type": "input", "message": "Who paints?", "timeout_ms": 300_000});
    assert_eq!(name, expected);
    assert_eq!(client.respond(20, &name["callback_id"], json!("Ada")).await, json!({"accepted": true}));
    let color = client.callback().await;
    assert_eq!((&color["type"], &color["options"]), (&json!("selection"), &json!(["red", "blue"])));
    client.respond(21, &color["callback_id"], json!("blue")).await;
    let sure = client.callback().await;
    assert_eq!((&sure["type"], &sure["options"]), (&json!("confirmation"), &json!(["confirm", "cancel"])));
    let text = client.finish(7, &sure["callback_id"], json!("confirm")).await;
    assert_eq!(text, r#"Some("Ada") Some("blue") true"#);
}

#[tokio::test]
async fn a_declined_or_dismissed_question_has_no_answer() {
    for word in ["decline", "cancel"] {
        let mut client = connect(server(), true, json!({})).await;
        client.start(7, "paint").await;
        for id in 20..22 {
            let asked = client.callback().await;
            client.respond(id, &asked["callback_id"], json!(word)).await;
        }
        let sure = client.callback().await;
        assert_eq!(client.finish(7, &sure["callback_id"], json!(word)).await, "None None false");
    }
}

#[tokio::test]
async fn the_same_handler_asks_by_requests_and_in_rounds() {
    let answers = json!([{"answer": "Ada"}, {"answer": "blue"}, {}]);
    // A client that shows forms is shown forms, also if it would answer callbacks.
    for mgp in [false, true] {
        let mut client = connect(server(), mgp, json!({"elicitation": {}})).await;
        client.start(7, "paint").await;
        for answer in answers.as_array().unwrap() {
            let asked = client.read(|line| line["method"] == "elicitation/create").await;
            let result = json!({"action": "accept", "content": answer});
            client.peer.send(json!({"jsonrpc": "2.0", "id": asked["id"], "result": result})).await;
        }
        let answer = client.read(|line| line["id"] == 7 && line["method"].is_null()).await;
        assert_eq!(answer["result"]["content"][0]["text"], r#"Some("Ada") Some("blue") true"#);
        assert!(!client.peer.read.concat().contains(ASKS));
    }
    let mut client = RawPeer::new(server().build().unwrap().in_process());
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "host", "version": "2"},
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
    });
    let mut params = json!({"name": "paint", "arguments": {}, "_meta": meta});
    for (id, (key, answer)) in ["name", "color", "sure"].iter().zip(answers.as_array().unwrap()).enumerate() {
        let mut round = client.ask(id as i64 + 1, "tools/call", params.clone()).await["result"].take();
        assert_eq!(round["inputRequests"][key]["method"], "elicitation/create", "{round}");
        params["inputResponses"] = json!({*key: {"action": "accept", "content": answer}});
        params["requestState"] = round["requestState"].take();
    }
    let answer = client.ask(9, "tools/call", params).await;
    assert_eq!(answer["result"]["content"][0]["text"], r#"Some("Ada") Some("blue") true"#, "{answer}");
}

#[tokio::test]
async fn invalid_late_and_repeated_answers_are_refused_with_a_reason() {
    let mut client = connect(server(), true, json!({})).await;
    let unknown = json!({"accepted": false, "reason": "unknown_callback"});
    assert_eq!(client.respond(20, &json!("cb-1"), json!("confirm")).await, unknown);
    client.start(7, "paint").await;
    let asked = client.callback().await;
    let unfit = client.respond(21, &asked["callback_id"], json!({"a": 1})).await;
    let reason = "invalid_response: expected a text, a number or a boolean, found an object";
    assert_eq!(unfit, json!({"accepted": false, "reason": reason}));
    assert_eq!(client.respond(22, &asked["callback_id"], json!("Ada")).await, json!({"accepted": true}));
    let again = client.respond(23, &asked["callback_id"], json!("Bob")).await;
    assert_eq!(again, json!({"accepted": false, "reason": "already_answered"}));
    client.start(8, "hurry").await;
    let asked = client.read(|line| line["params"]["request_id"] == 8).await["params"].take();
    assert_eq!(asked["timeout_ms"], 50);
    let answer = client.read(|line| line["id"] == 8).await;
    let text = answer["result"]["content"][0]["text"].as_str().unwrap().to_owned();
    assert!(text.contains("mgp.callback.request was not answered within 50ms"), "{text}");
    let late = client.respond(24, &asked["callback_id"], json!("confirm")).await;
    assert_eq!(late, json!({"accepted": false, "reason": "timed_out"}));
}

#[tokio::test]
async fn a_number_is_read_from_text_and_bad_text_keeps_it_open() {
    let mut client = connect(server(), true, json!({})).await;
    client.start(7, "age").await;
    let asked = client.callback().await;
    let unfit = client.respond(20, &asked["callback_id"], json!("old")).await;
    assert_eq!(unfit["reason"], r#"invalid_response: invalid age: expected a whole number, found "old""#);
    assert_eq!(client.finish(7, &asked["callback_id"], json!("42")).await, r#"{"age":42}"#);
}

#[tokio::test]
async fn cancelling_the_call_withdraws_its_callbacks() {
    let mut client = connect(server(), true, json!({})).await;
    client.start(7, "paint").await;
    let asked = client.callback().await;
    let params = json!({"requestId": 7});
    client.peer.send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})).await;
    client.peer.ask(20, "ping", json!({})).await;
    let late = client.respond(21, &asked["callback_id"], json!("Ada")).await;
    assert_eq!(late, json!({"accepted": false, "reason": "cancelled"}));
}

#[tokio::test]
async fn a_session_has_64_open_callbacks_that_only_it_can_answer() {
    let stack = server().build().unwrap();
    let mut clients = Vec::new();
    for _ in 0..2 {
        clients.push(CallbackClient::open(&stack, hello(true)).await);
    }
    let [client, other] = &mut clients[..] else { panic!("two clients") };
    for id in 100..164 {
        client.start(id, "paint").await;
        client.callback().await;
    }
    client.start(200, "paint").await;
    let refused = client.read(|line| line["id"] == 200).await;
    let problem = refused["error"]["message"].as_str().unwrap_or_else(|| panic!("{refused}"));
    assert!(problem.contains("at most 64"), "{problem}");
    let foreign = other.respond(20, &json!("cb-1"), json!("Eve")).await;
    assert_eq!(foreign, json!({"accepted": false, "reason": "unknown_callback"}));
    other.start(100, "paint").await;
    assert_eq!(other.callback().await["callback_id"], "cb-1");
}

#[tokio::test]
async fn forms_of_two_fields_and_task_questions_need_elicitation() {
    let mut client = connect(server(), true, json!({})).await;
    let call = |id: i64, mut params: Value| {
        params["arguments"] = json!({});
        (id, params)
    };
    for (id, params) in [call(7, json!({"name": "two"})), call(8, json!({"name": "task", "task": {}}))] {
        let mut answer = client.peer.ask(id, "tools/call", params).await["result"].take();
        if let Some(task) = answer["task"]["taskId"].as_str() {
            answer = client.peer.ask(30, "tasks/result", json!({"taskId": task})).await["result"].take();
        }
        let text = answer["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"));
        assert!(text.contains(r#"expected the capabilities {"elicitation":{"form":{}}}"#), "{text}");
    }
    assert!(!client.peer.read.concat().contains(ASKS));
}

#[tokio::test]
async fn a_client_that_negotiated_no_callbacks_is_sent_none() {
    let mut without = hello(true);
    without["capabilities"]["mgp"]["extensions"] = json!(["security", "streaming"]);
    for hello in [without, hello(false)] {
        let mut client = CallbackClient::open(&server().build().unwrap(), hello).await;
        let answer = client.peer.ask(7, "tools/call", json!({"name": "paint", "arguments": {}})).await;
        let text = answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"));
        assert!(text.contains(r#"expected the capabilities {"elicitation":{"form":{}}}"#), "{text}");
        assert!(!client.peer.read.concat().contains(ASKS));
    }
}

#[tokio::test]
async fn an_error_from_the_client_counts_as_no_answer() {
    let mut client = connect(server(), true, json!({})).await;
    client.start(7, "paint").await;
    let asked = client.callback().await;
    let error = json!({"error": {"code": -32601, "message": "nobody was asked"}});
    let text = client.finish(7, &asked["callback_id"], error).await;
    assert!(text.contains("nobody was asked"), "{text}");
}

#[tokio::test]
async fn a_text_without_an_answer_is_a_callback_or_a_log_line() {
    let mut client = connect(server(), true, json!({})).await;
    client.start(7, "inform").await;
    let told = client.callback().await;
    let expected =
        json!({"callback_id": "cb-1", "request_id": 7, "type": "notification", "message": "Nearly done"});
    assert_eq!(told, expected);
    let mut plain = connect(server(), false, json!({})).await;
    let answer = plain.peer.ask(7, "tools/call", json!({"name": "inform", "arguments": {}})).await;
    assert_eq!(answer["result"]["content"][0]["text"], "false", "the server has no log");
    let logging = server().tool(Tool::new("log", "Logs", async |_: Log| ""));
    let mut plain = connect(logging, false, json!({})).await;
    plain.start(7, "inform").await;
    let line = plain.read(|line| line["method"] == "notifications/message").await;
    assert_eq!(line["params"]["data"], "Nearly done");
    let answer = plain.read(|line| line["id"] == 7).await;
    assert_eq!(answer["result"]["content"][0]["text"], "true");
}

#[tokio::test]
async fn callbacks_are_offered_if_a_handler_asks() {
    let silent = Server::new("silent", "1.0.0").tool(Tool::new("hi", "Greets", async || "hi"));
    for (server, offers) in [(server(), true), (silent, false)] {
        let mut client = RawPeer::new(server.build().unwrap().in_process());
        let greeting = client.ask(1, "initialize", hello(true)).await;
        let extensions = &greeting["result"]["capabilities"]["mgp"]["extensions"];
        let names: Vec<_> = extensions.as_array().unwrap().iter().filter_map(Value::as_str).collect();
        assert_eq!(names.contains(&"callbacks"), offers, "{names:?}");
    }
}
