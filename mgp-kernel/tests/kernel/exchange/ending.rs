//! Calls that end before their reply: cancelled, left behind, too slow. Each reached a server, so each has its event.

use crate::{
    raw_host::As,
    raw_server::{RawServer, result, says},
    support::{idle, json, open, pause_clock, server_rule, spec, start, until, within},
};
use mgp_kernel::Era;
use mgp_transport::{connection::Config, memory};
use mgp_types::{
    audit::AuditResult,
    context::Principal,
    json::RawObject,
    stream::{CancelStream, StreamCancelParams},
};
use serde_json::json;
use std::{sync::Arc, time::Duration};
use xtask_testing::RawPeer;

#[tokio::test]
async fn a_cancelled_call_is_dropped_at_the_server_and_recorded() {
    let setup = open().await;
    let host = setup.host().await;
    let call = host.start_tool("hang", json("{}")).await.unwrap();
    within(setup.signals.started.notified()).await;
    drop(call);
    within(setup.signals.dropped.notified()).await;
    assert_eq!(setup.calls_recorded(1).await, ["TOOL_EXECUTED FAILURE test.hang"]);
    let details = setup.sink.events().last().unwrap().details.clone().unwrap();
    assert_eq!(details.get("cancelled").unwrap().as_str(), "true");
}

#[tokio::test]
async fn a_call_cancelled_by_method_is_answered_once() {
    let setup = open().await;
    let host = setup.host().await;
    let call = host.start_tool("hang", json("{}")).await.unwrap();
    within(setup.signals.started.notified()).await;
    let params = StreamCancelParams { request_id: call.id().into(), reason: None };
    let cancelled = within(host.request::<CancelStream>(&params)).await.unwrap();
    assert!(cancelled.cancelled);
    let reply = RawObject::from_json(&within(call.reply()).await.unwrap()).unwrap();
    assert_eq!(reply.object("_mgp").unwrap().get("cancelled").unwrap().as_str(), "true");
    within(setup.signals.dropped.notified()).await;
    assert_eq!(setup.calls_recorded(1).await, ["TOOL_EXECUTED FAILURE test.hang"]);
}

#[tokio::test]
async fn a_host_that_vanishes_during_a_call_leaves_its_event() {
    let setup = open().await;
    let (here, there) = memory::pair();
    let connection =
        setup.kernel.face().serve(Principal::agent("agent.test"), Config::default(), there.0, there.1);
    let closed = tokio::spawn(connection.closed());
    let mut host = RawPeer::new(here);
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}});
    host.ask(1, "initialize", hello).await;
    host.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
    host.request(2, "tools/call", json!({"name": "hang", "arguments": {}})).await;
    within(setup.signals.started.notified()).await;
    drop(host);
    within(closed).await.unwrap();
    within(setup.signals.dropped.notified()).await;
    assert_eq!(setup.calls_recorded(1).await, ["TOOL_EXECUTED FAILURE test.hang"]);
}

#[tokio::test]
async fn a_request_that_its_host_abandons_leaves_an_event() {
    let form = json!({"message": "Who?", "requestedSchema": {"type": "object", "properties": {}}});
    let server = RawServer::new(Era::Initialize, json!({"tools": {}, "resources": {}}), move |message| {
        Some(match message["method"].as_str() {
            Some("resources/list") => {
                vec![result(message, json!({"resources": [{"uri": "w://1", "name": "w"}]}))]
            }
            Some("resources/templates/list") => vec![result(message, json!({"resourceTemplates": []}))],
            Some("tools/call") => vec![says(Some(1), "elicitation/create", form.clone())],
            Some("resources/read") => vec![],
            _ => return None,
        })
    });
    for (method, params, expected) in [
        ("resources/read", json!({"uri": "w://1"}), "dev.cloto.mgp.REQUEST_FORWARDED"),
        ("tools/call", json!({"name": "work", "arguments": {}}), "dev.cloto.mgp.HOST_ASKED"),
    ] {
        let setup = start(|kernel, _| kernel.server(server.spec("srv"))).await;
        setup.kernel.access().put(server_rule("agent.test", "srv")).await.unwrap();
        let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
        host.send(method, params).await;
        server.has_read(method, 1).await;
        idle().await;
        let events = || {
            let events = setup.sink.events().into_iter();
            events.filter(|event| event.event_type.to_string() == expected).collect::<Vec<_>>()
        };
        assert_eq!(events(), [], "{method}");
        drop(host);
        until(|| !events().is_empty()).await;
        assert_eq!(events()[0].result, AuditResult::Failure, "{method}");
    }
}

#[tokio::test]
async fn a_call_that_times_out_is_answered_and_recorded() {
    let setup = start(|kernel, signals| {
        let mut spec = spec("test", signals);
        spec.call_timeout = Duration::from_millis(50);
        kernel.server(spec)
    })
    .await;
    let host = setup.host().await;
    let _paused = pause_clock();
    let error = within(host.call_tool("hang", json("{}"))).await.unwrap_err();
    assert!(error.to_string().contains("time limit"), "{error}");
    within(setup.signals.dropped.notified()).await;
    assert_eq!(setup.calls(), ["TOOL_EXECUTED FAILURE test.hang"]);
}

#[tokio::test]
async fn a_queued_call_blocks_no_other_server_and_can_be_cancelled() {
    let setup = start(|kernel, signals| {
        let mut narrow = spec("narrow", signals);
        narrow.max_concurrent = 1;
        kernel.server(narrow).server(spec("wide", signals))
    })
    .await;
    let host = setup.host().await;
    let _first = host.start_tool("narrow__hang", json("{}")).await.unwrap();
    within(setup.signals.started.notified()).await;
    let second = host.start_tool("narrow__hang", json("{}")).await.unwrap();
    within(host.call_tool("wide__add", json(r#"{"a":1,"b":1}"#))).await.unwrap();
    drop(second);
    assert_eq!(
        setup.calls_recorded(2).await,
        ["TOOL_EXECUTED SUCCESS wide.add", "TOOL_BLOCKED BLOCKED narrow.hang"]
    );
}

#[tokio::test]
async fn a_host_over_a_pair_in_memory_ends_with_its_client() {
    let setup = open().await;
    let (here, there) = memory::pair();
    let connection =
        setup.kernel.face().serve(Principal::agent("agent.test"), Config::default(), there.0, there.1);
    drop(here);
    within(connection.closed()).await;
}

#[tokio::test]
async fn a_kernel_that_was_shut_down_frees_its_servers() {
    let setup = open().await;
    let server = Arc::downgrade(&setup.kernel.servers()[0]);
    let host = setup.host().await;
    within(host.call_tool("add", json(r#"{"a":1,"b":1}"#))).await.unwrap();
    host.close().await;
    within(setup.kernel.shutdown()).await;
    drop(setup);
    until(|| server.upgrade().is_none()).await;
}
