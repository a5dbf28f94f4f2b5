//! Calls that pass: what they bring back, on the way and at the end.

use crate::{
    raw_host::{As, ERAS},
    raw_server::{RawServer, text},
    support::{json, open, spec, start, within},
};
use mgp_kernel::{Era, EraChoice};
use mgp_transport::seam::{CallError, CallEvent};
use mgp_types::{
    json::RawObject,
    mcp::{CallTool, CallToolResult},
    rpc::Call,
};
use serde_json::json as value;

#[tokio::test]
async fn a_call_reaches_its_server_and_is_recorded_once() {
    let setup = open().await;
    let host = setup.host().await;
    let sum = within(host.call_tool("add", json(r#"{"a":2,"b":3}"#))).await.unwrap();
    assert_eq!(sum.content[0].as_text(), Some("5"));
    assert_eq!(setup.calls(), ["TOOL_EXECUTED SUCCESS test.add"]);
}

#[tokio::test]
async fn numbers_and_unknown_members_reach_the_server_unchanged() {
    let setup = open().await;
    let host = setup.host().await;
    let error =
        within(host.call_tool("add", json(r#"{"a":1,"b":1e3,"c":123456789012345678901234567890.10}"#)))
            .await
            .unwrap();
    assert_eq!(error.content[0].as_text(), Some("1001"));
}

#[tokio::test]
async fn a_call_without_arguments_is_sent_with_an_empty_object() {
    let server = RawServer::new(Era::Initialize, value!({"tools": {}}), |message| {
        (message["method"] == "tools/call").then(|| vec![text(message, "done")])
    });
    let setup = start(|kernel, _| kernel.server(server.spec("srv"))).await;
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    for params in [
        value!({"name": "work"}),
        value!({"name": "work", "arguments": null}),
        value!({"name": "mgp_tools_call", "arguments": {"name": "work"}}),
    ] {
        let answer = host.ask("tools/call", params.clone()).await;
        assert_eq!(answer["result"]["content"][0]["text"], "done", "{params}: {answer}");
        assert_eq!(
            server.read_of("tools/call").pop().unwrap()["params"]["arguments"],
            value!({}),
            "{params}"
        );
    }
}

#[tokio::test]
async fn a_tool_called_through_the_meta_tool_is_judged_by_its_name() {
    let setup = open().await;
    let host = setup.host().await;
    let call = json(r#"{"name":"test__add","arguments":{"a":1,"b":1}}"#);
    let sum = within(host.call_tool("mgp_tools_call", call)).await.unwrap();
    assert_eq!(sum.content[0].as_text(), Some("2"));
    assert_eq!(setup.calls(), ["TOOL_EXECUTED SUCCESS test.add"]);
    let nested = json(r#"{"name":"mgp_tools_call","arguments":{"name":"add"}}"#);
    assert!(within(host.call_tool("mgp_tools_call", nested)).await.unwrap().failed());
}

#[tokio::test]
async fn two_servers_with_one_tool_name_are_told_apart() {
    let setup =
        start(|kernel, signals| kernel.server(spec("one", signals)).server(spec("two", signals))).await;
    let host = setup.host().await;
    for name in ["add", "two__add", "one__add"] {
        within(host.call_tool(name, json(r#"{"a":1,"b":1}"#))).await.unwrap();
    }
    let expected = ["one.add", "two.add", "one.add"].map(|tool| format!("TOOL_EXECUTED SUCCESS {tool}"));
    assert_eq!(setup.calls(), expected);
}

#[tokio::test]
async fn progress_and_chunks_arrive_in_order_before_the_reply() {
    let setup = open().await;
    let host = setup.host().await;
    let mut call = host.start_tool("count", json(r#"{"steps":50}"#)).await.unwrap();
    let (mut chunks, mut progress) = (Vec::new(), Vec::new());
    let reply = loop {
        match within(call.next()).await {
            CallEvent::Notification(n) => {
                let params = n.params.object().unwrap();
                match &*n.method {
                    "notifications/mgp.stream.chunk" => {
                        chunks.push(params.decode::<u64>("index").unwrap().unwrap());
                    }
                    "notifications/progress" => {
                        progress.push(params.decode::<f64>("progress").unwrap().unwrap());
                    }
                    other => panic!("unexpected {other}"),
                }
            }
            CallEvent::Reply(reply) => break reply.unwrap(),
        }
    };
    assert_eq!(chunks, (0..50).collect::<Vec<_>>());
    assert_eq!(progress, (1..=50).map(f64::from).collect::<Vec<_>>());
    let result: CallToolResult = reply.decode().unwrap();
    assert!(result.content[0].as_text().unwrap().starts_with("0 1 2 "));
}

#[tokio::test]
async fn chunks_pass_between_the_eras_before_the_counting_answer() {
    for (era, upstream) in ERAS.into_iter().flat_map(|era| ERAS.map(|upstream| (era, upstream))) {
        let setup = start(|kernel, signals| {
            let mut spec = spec("test", signals);
            spec.era = EraChoice::Known(upstream);
            kernel.server(spec)
        })
        .await;
        let mut host = setup.raw_host(As::mgp(era)).await;
        let call = |stream: bool| {
            let arguments = serde_json::json!({"steps": 3});
            serde_json::json!({"name": "count", "arguments": arguments, "_mgp": {"stream": stream}})
        };
        let whole = host.get("tools/call", call(false)).await;
        assert_eq!(host.count("notifications/mgp.stream.chunk"), 0, "{era:?} {upstream:?}");
        let id = host.send("tools/call", call(true)).await;
        let answer = host.answer_to(id).await["result"].take();
        let chunks: Vec<_> = host
            .heard
            .iter()
            .filter(|heard| heard["method"] == "notifications/mgp.stream.chunk")
            .map(|chunk| (chunk["params"]["request_id"].as_i64(), chunk["params"]["index"].as_i64()))
            .collect();
        assert_eq!(chunks, [0, 1, 2].map(|index| (Some(id), Some(index))), "{era:?} {upstream:?}");
        assert_eq!(answer["content"], whole["content"], "{era:?} {upstream:?}");
        assert_eq!(answer["_mgp"]["chunks_sent"], 3, "{era:?} {upstream:?}: {answer}");
    }
}

#[tokio::test]
async fn a_plain_host_gets_progress_and_no_mgp() {
    let setup = open().await;
    let host = setup.plain_host().await;
    // A client of ours would not ask for parts here.
    let params =
        r#"{"name":"count","arguments":{"steps":3},"_meta":{"progressToken":7},"_mgp":{"stream":true}}"#;
    let params = RawObject::parse(params).unwrap();
    let mut call = host.peer().start_as(7, CallTool::METHOD, params).await.unwrap();
    let mut seen = Vec::new();
    let reply = loop {
        match within(call.next()).await {
            CallEvent::Notification(n) => seen.push(n.method.to_string()),
            CallEvent::Reply(reply) => break reply.unwrap(),
        }
    };
    assert_eq!(seen, ["notifications/progress"; 3]);
    assert!(!reply.as_str().contains("mgp"), "{reply}");
}

#[tokio::test]
async fn arguments_with_line_breaks_and_a_call_without_arguments_pass() {
    let setup = open().await;
    let host = setup.host().await;
    let sum = within(host.call_tool("add", json("{\n\"a\": 1,\r\n\"b\": 2\n}"))).await.unwrap();
    assert_eq!(sum.content[0].as_text(), Some("3"));
    let params = RawObject::parse(r#"{"name":"add"}"#).unwrap();
    let result = within(host.peer().request_raw(CallTool::METHOD, params)).await.unwrap();
    let result: CallToolResult = result.decode().unwrap();
    assert!(result.failed() && result.content[0].as_text().unwrap().contains('a'));
    assert_eq!(setup.calls()[1], "TOOL_EXECUTED FAILURE test.add");
}

#[tokio::test]
async fn a_name_that_is_not_a_text_is_refused_with_the_mistake() {
    let setup = open().await;
    let host = setup.host().await;
    for (name, found) in [
        (r#""a\ud800""#, "found a string with an unpaired surrogate"),
        ("7", "found a number"),
        (r#"["add"]"#, "found an array"),
    ] {
        let params = RawObject::parse(format!(r#"{{"name":{name},"arguments":{{}}}}"#)).unwrap();
        let refused = within(host.peer().request_raw(CallTool::METHOD, params)).await.unwrap_err();
        let CallError::Peer(error) = refused else { panic!("{refused}") };
        assert_eq!(error.message, format!("invalid name: expected a string, {found}"));
    }
}
