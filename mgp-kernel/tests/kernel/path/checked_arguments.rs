//! Arguments that are checked against the tool's input schema before anybody is asked about the call.

use crate::{
    raw_host::As,
    raw_server::{RawServer, result, text},
    support::start,
};
use mgp_kernel::Era;
use serde_json::{Value, json};

/// A server that runs its tool with whatever arguments it gets.
fn careless() -> RawServer {
    RawServer::new(Era::Initialize, json!({"tools": {}}), |message| match message["method"].as_str()? {
        "tools/list" => {
            let schema = json!({"type": "object", "properties": {"days": {"type": "integer", "minimum": 7}}, "required": ["days"]});
            Some(vec![result(message, json!({"tools": [{"name": "report", "inputSchema": schema}]}))])
        }
        "tools/call" => Some(vec![text(message, "reported")]),
        _ => None,
    })
}

fn calls(server: &RawServer) -> usize {
    server.read_of("tools/call").len()
}

fn call(days: &Value, asks: bool) -> Value {
    let meta = if asks { json!({"dev.cloto/call": {"check_arguments": true}}) } else { json!({}) };
    json!({"name": "report", "arguments": {"days": days}, "_meta": meta})
}

#[tokio::test]
async fn arguments_are_checked_by_configuration_or_by_request() {
    for (configured, asks, passes) in
        [(false, false, true), (false, true, false), (true, false, false), (true, true, false)]
    {
        let server = careless();
        let setup = start(|kernel, _| {
            kernel.server(server.spec("srv")).config(|config| config.kernel.check_arguments = configured)
        })
        .await;
        let hosts =
            [Era::Initialize, Era::Stateless].map(|era| [(As::plain(era), -32602), (As::mgp(era), 4000)]);
        for (host, code) in hosts.into_iter().flatten() {
            let mut host = setup.raw_host(host).await;
            let before = calls(&server);
            let fitting = host.once("tools/call", call(&json!(8), asks)).await;
            assert_eq!(fitting["result"]["content"][0]["text"], "reported", "{fitting}");
            let answer = host.once("tools/call", call(&json!(3), asks)).await;
            let case = format!("{configured}, {asks}: {answer}");
            assert_eq!(calls(&server), before + 1 + usize::from(passes), "{case}");
            if passes {
                assert_eq!(answer["result"]["content"][0]["text"], "reported", "{case}");
                continue;
            }
            let error = &answer["error"];
            assert_eq!(error["code"], code, "{case}");
            let message = error["message"].as_str().unwrap();
            assert!(message.contains("days") && message.contains('3') && message.contains('7'), "{case}");
            assert_eq!(error["data"]["field"], "days", "{case}");
        }
    }
}

#[tokio::test]
async fn arguments_must_be_an_object_and_default_to_an_empty_one() {
    let server = RawServer::new(Era::Initialize, json!({"tools": {}}), |message| {
        (message["method"] == "tools/call").then(|| vec![text(message, "done")])
    });
    let setup = start(|kernel, _| kernel.server(server.spec("srv"))).await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    for wrong in [json!("text"), json!(7), json!([{}]), json!(true), json!("[1]"), json!("{a: 1}")] {
        let refused = host.refused("tools/call", json!({"name": "work", "arguments": wrong.clone()})).await;
        let message = refused["message"].as_str().unwrap();
        assert_eq!(refused["code"], 4000, "{refused}");
        assert!(message.starts_with("invalid arguments: expected an object, found "), "{message}");
        assert_eq!(message.contains("send the object itself"), wrong == "{a: 1}", "{message}");
        assert!(!message.contains("surrogate"), "{message}");
    }
    assert_eq!(server.read_of("tools/call"), [] as [Value; 0]);
    for params in [json!({"name": "work"}), json!({"name": "work", "arguments": null})] {
        host.get("tools/call", params).await;
    }
    let sent = server.read_of("tools/call");
    assert!(sent.len() == 2 && sent.iter().all(|call| call["params"]["arguments"] == json!({})), "{sent:?}");
}

#[tokio::test]
async fn arguments_that_cannot_be_checked_fail_a_required_check() {
    let endless = json!({"type": "object", "$ref": "#"});
    for (schema, reason) in [
        (json!({"type": "object", "$schema": "https://example.com/mine"}), "unknown $schema"),
        (
            json!({"type": "object", "properties": {"a": {"$ref": "https://example.com/x"}}}),
            "leads out of the schema",
        ),
        (endless, "leads back to itself"),
        (json!({"type": "object", "properties": {"a": {"pattern": "("}}}), ""),
        (json!({"type": "object", "minProperties": "many"}), ""),
    ] {
        let listed = schema.clone();
        let server = RawServer::new(Era::Initialize, json!({"tools": {}}), move |message| {
            match message["method"].as_str()? {
                "tools/list" => {
                    let tool = json!({"name": "report", "inputSchema": listed});
                    Some(vec![result(message, json!({"tools": [tool]}))])
                }
                "tools/call" => Some(vec![text(message, "reported")]),
                _ => None,
            }
        });
        let setup = start(|kernel, _| kernel.server(server.spec("srv"))).await;
        let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
        let passed = host.once("tools/call", call(&json!(8), false)).await;
        assert_eq!(passed["result"]["content"][0]["text"], "reported", "{schema}: {passed}");
        let refused = host.once("tools/call", call(&json!(8), true)).await;
        let message = refused["error"]["message"].as_str().unwrap_or_default();
        assert!(message.contains("cannot be checked") && message.contains(reason), "{schema}: {refused}");
        assert_eq!((calls(&server), &refused["error"]["code"]), (1, &json!(4000)), "{schema}");
    }
}

#[tokio::test]
async fn arguments_written_as_a_text_are_parsed_before_any_gate() {
    let server = RawServer::new(Era::Initialize, json!({"tools": {}}), |message| {
        (message["method"] == "tools/call").then(|| vec![text(message, "done")])
    });
    let setup = start(|kernel, _| kernel.server(server.spec("srv"))).await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    let as_text = json!(" {\"a\": 1.50}");
    host.get("tools/call", json!({"name": "work", "arguments": as_text.clone()})).await;
    let through = json!({"name": "work", "arguments": as_text});
    host.get("tools/call", json!({"name": "mgp_tools_call", "arguments": through.clone()})).await;
    host.get("tools/call", json!({"name": "mgp_tools_call", "arguments": through.to_string()})).await;
    let sent = server.read_of("tools/call");
    assert_eq!(sent.len(), 3, "{sent:?}");
    for call in sent {
        assert_eq!(call["params"]["arguments"], json!({"a": 1.5}), "{call}");
    }
    let twice = json!({"name": "work", "arguments": "{\"a\": 1, \"a\": 2}"});
    let refused = host.once("tools/call", twice).await;
    assert!(refused.to_string().contains("duplicate key"), "{refused}");
    assert_eq!(server.read_of("tools/call").len(), 3);
}
