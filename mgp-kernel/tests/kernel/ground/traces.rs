//! §6.5 The trace of a call, from its host to its server and into the trail.

use crate::{
    raw_host::{As, RawHost},
    raw_server::{RawServer, text},
    support::{number, open, spec, start, within},
};
use mgp_kernel::Era;
use mgp_transport::{
    connection::{Config, ConnectionError},
    memory,
    seam::{BoxError, BoxPeerService, Reply, Role, RouteError, Routes, ToolCall},
};
use mgp_types::{
    context::Principal,
    error::ErrorCode,
    rpc::{Call, Empty},
};
use serde_json::{Value, json};
use tower::{layer::layer_fn, service_fn};

/// The trace of the calls, as it stands in a `traceparent`.
const TRACE: &str = "550e8400e29b41d4a716446655440000";
/// Another trace.
const OTHER: &str = "660e8400e29b41d4a716446655440001";
/// The span of the host.
const SPAN: &str = "b7ad6b7169203331";

fn server(capabilities: Value) -> RawServer {
    RawServer::new(Era::Initialize, capabilities, |message| {
        (message["method"] == "tools/call").then(|| vec![text(message, "done")])
    })
}

#[tokio::test]
async fn the_trace_of_a_call_reaches_its_server_and_the_trail() {
    let mgp = json!({"version": "0.3.0", "extensions": ["audit"]});
    for (capabilities, named) in
        [(json!({"tools": {}, "mgp": mgp}), json!(TRACE)), (json!({"tools": {}}), Value::Null)]
    {
        let server = server(capabilities);
        let setup = start(|kernel, _| kernel.server(server.spec("srv"))).await;
        let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
        // The kernel records no span of its own here, so the server's spans hang under that of the host.
        for (at, flags) in ["00", "01"].into_iter().enumerate() {
            let parent = format!("00-{TRACE}-{SPAN}-{flags}");
            let params = json!({"name": "work", "arguments": {}, "_meta": {"traceparent": parent}});
            host.get("tools/call", params).await;
            let sent = server.read_of("tools/call").remove(at)["params"].take();
            assert_eq!(sent["_mgp"]["trace_id"], named, "{sent}");
            assert_eq!(sent["_meta"]["traceparent"], parent, "{sent}");
        }
        // Of another trace, it names nothing that the server's spans could hang under.
        let meta = json!({"traceparent": format!("00-{OTHER}-{SPAN}-01")});
        let params = json!({"name": "work", "arguments": {}, "_meta": meta, "_mgp": {"trace_id": TRACE}});
        host.get("tools/call", params).await;
        let sent = server.read_of("tools/call").remove(2)["params"].take();
        let parent = sent["_meta"]["traceparent"].as_str().unwrap_or_else(|| panic!("{sent}"));
        assert!(parent.starts_with(&format!("00-{TRACE}-")) && !parent.contains(SPAN), "{parent}");
        let traces: Vec<_> = setup.sink.events().into_iter().map(|event| event.trace_id).collect();
        assert!(traces.iter().any(|trace| trace.get().is_some_and(|trace| trace == TRACE)), "{traces:?}");
    }
}

#[tokio::test]
async fn every_request_of_the_kernel_to_a_server_has_a_trace() {
    let mgp = json!({"version": "0.3.0", "extensions": ["permissions"], "permissions_required": ["camera"]});
    for (capabilities, is_mgp) in
        [(json!({"tools": {}, "resources": {}, "mgp": mgp}), true), (json!({"tools": {}}), false)]
    {
        let server = server(capabilities);
        let setup = start(|kernel, _| kernel.server(server.spec("srv"))).await;
        if is_mgp {
            server.has_read("mgp/permission/request", 1).await;
        }
        let requests = |message: &Value| message.get("id").is_some() && message.get("method").is_some();
        let sent: Vec<_> = server.read().into_iter().filter(requests).collect();
        let (first, rest) = sent.split_first().unwrap();
        assert_eq!(first["method"], "initialize");
        assert!(!rest.is_empty());
        for request in &sent {
            let parent = request["params"]["_meta"]["traceparent"].as_str();
            assert!(parent.is_some_and(|parent| parent.starts_with("00-")), "{request}");
        }
        for request in rest {
            assert_eq!(request["params"]["_mgp"]["trace_id"].is_string(), is_mgp, "{request}");
        }
        drop(setup);
    }
}

#[tokio::test]
async fn every_event_has_a_trace_and_those_of_a_request_have_its_own() {
    let server = server(json!({"tools": {}}));
    let setup = start(|kernel, _| kernel.server(server.spec("srv"))).await;
    let mut admin = As::mgp(Era::Initialize);
    admin.principal = Principal::operator("ann");
    let mut admin = setup.raw_host(admin).await;
    let before = setup.sink.events().len();
    let grant = json!({
        "entry_type": "server_grant", "agent_id": "bob", "server_id": "srv", "permission": "allow",
        "_mgp": {"trace_id": TRACE},
    });
    admin.get("mgp/access/grant", grant).await;
    let events = setup.sink.events();
    assert!(events.iter().all(|event| event.trace_id.get().is_some()), "{events:?}");
    // The intent, and the grant.
    assert_eq!(events.len(), before + 2);
    for event in &events[before..] {
        assert_eq!(event.trace_id.get().map(String::as_str), Some(TRACE), "{event:?}");
    }
}

#[tokio::test]
async fn a_dying_server_and_an_unknown_method_have_traces() {
    let server = server(json!({"tools": {}})).hanging_up_on("tools/call");
    let mut spec = server.spec("srv");
    spec.retries.max_retries = 0;
    let setup = start(|kernel, _| kernel.server(spec)).await;
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    let traced = |mut params: Value| {
        params["_meta"] = json!({"traceparent": format!("00-{TRACE}-{SPAN}-01")});
        params
    };
    let died = host.refused("tools/call", traced(json!({"name": "work", "arguments": {}}))).await;
    assert!(died["message"].as_str().unwrap().starts_with("server \"srv\": "), "{died}");
    assert_eq!(died["data"]["trace_id"], TRACE, "{died}");
    assert!(died["data"]["error_type"].is_string() && died["data"]["reason"].is_string(), "{died}");
    let unknown = host.refused("foo/bar", traced(json!({}))).await;
    assert_eq!(
        (&unknown["code"], &unknown["data"]["trace_id"]),
        (&json!(-32601), &json!(TRACE)),
        "{unknown}"
    );
    assert_eq!(
        (&unknown["data"]["error_type"], &unknown["data"]["reason"]),
        (&json!("ValidationError"), &unknown["message"]),
        "{unknown}"
    );
    host.say_text(r#"{"jsonrpc":"2.0","id":99,"method":"tools/call","params":{"name":"a","name":"b"}}"#)
        .await;
    let twice = host.answer_to(99).await;
    assert!(twice["error"]["data"]["trace_id"].is_string(), "{twice}");
}

/// A method of the program's own.
struct Ask;

impl Call for Ask {
    const METHOD: &'static str = "com.example/ask";
    type Params = Empty;
    type Result = Empty;
}

#[tokio::test]
async fn failures_of_the_infrastructure_have_a_report_and_a_trace() {
    let routes = Routes::new()
        .route(Ask, Role::Anyone, async |(), _| Err(RouteError::Failure(ConnectionError::Closed.into())));
    let fails = layer_fn(|_: BoxPeerService<ToolCall>| {
        service_fn(|_: ToolCall| async { Err::<Reply, BoxError>(ConnectionError::Closed.into()) })
    });
    let setup =
        start(|kernel, signals| kernel.server(spec("test", signals)).routes(routes).layer(fails)).await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    for (method, mut params) in
        [(Ask::METHOD, json!({})), ("tools/call", json!({"name": "add", "arguments": {"a": 1, "b": 1}}))]
    {
        params["_meta"] = json!({"traceparent": format!("00-{TRACE}-{SPAN}-01")});
        let failed = host.refused(method, params).await;
        let data = &failed["data"];
        assert_eq!(failed["code"], number(ErrorCode::UpstreamUnavailable), "{failed}");
        assert_eq!((&data["trace_id"], &data["reason"]), (&json!(TRACE), &failed["message"]), "{failed}");
        assert_eq!(data["error_type"], ErrorCode::UpstreamUnavailable.error_type(), "{failed}");
    }
}

#[tokio::test]
async fn refusals_of_the_connection_itself_carry_traces() {
    let setup = open().await;
    for this in [As::plain(Era::Initialize), As::mgp(Era::Initialize)] {
        let (here, there) = memory::pair();
        let config = Config { running: 1, ..Config::default() };
        let connection = setup.kernel.face().serve(this.principal.clone(), config, there.0, there.1);
        tokio::spawn(connection.closed());
        let mut host = RawHost::over(here, this).await;
        let call = |id: i64| {
            let meta = json!({"traceparent": format!("00-{TRACE}-{SPAN}-01")});
            let params = json!({"name": "hang", "arguments": {}, "_meta": meta});
            json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
        };
        host.say(call(50)).await;
        within(setup.signals.started.notified()).await;
        // The first has an id that is running, and for the second there is no room.
        for (id, text) in [(50, "still running"), (51, "too many requests")] {
            host.say(call(id)).await;
            let refused = host.answer_to(id).await["error"].take();
            assert!(refused["message"].as_str().is_some_and(|told| told.contains(text)), "{refused}");
            assert_eq!(refused["data"]["trace_id"], TRACE, "{refused}");
            assert!(refused["data"]["error_type"].is_string(), "{refused}");
        }
        // No trace can be read in the others.
        for (line, code) in [
            (r#"{"jsonrpc":"1.0","id":60,"method":"tools/list"}"#, -32600),
            (r#"{"jsonrpc":"2.0","id":60,"method":"tools/list","params":{"a":01}}"#, -32700),
        ] {
            host.say_text(line).await;
            let refused = host.answer_to(60).await["error"].take();
            assert_eq!(refused["code"], code, "{refused}");
            assert!(refused["data"]["trace_id"].is_string(), "{refused}");
        }
    }
}
