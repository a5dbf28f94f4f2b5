//! §6.5 The trace of a call, from its host to its server and into the trail.

use crate::{
    raw_host::As,
    raw_server::{RawServer, text},
    support::start,
};
use mgp_client_sdk::Era;
use serde_json::{Value, json};

/// The trace of the calls, as it stands in a `traceparent`.
const TRACE: &str = "550e8400e29b41d4a716446655440000";
/// The span of the host.
const SPAN: &str = "b7ad6b7169203331";

fn server(capabilities: Value) -> RawServer {
    RawServer::new(Era::Initialize, capabilities, |message| {
        (message["method"] == "tools/call").then(|| vec![text(message, "done")])
    })
}

#[tokio::test]
async fn the_trace_of_a_call_reaches_its_server_and_the_trail_and_a_plain_server_gets_the_span_alone() {
    let mgp = json!({"version": "0.3.0", "extensions": ["audit"]});
    for (capabilities, named) in
        [(json!({"tools": {}, "mgp": mgp}), json!(TRACE)), (json!({"tools": {}}), Value::Null)]
    {
        let server = server(capabilities);
        let setup = start(|kernel, _| kernel.server(server.spec("srv"))).await;
        let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
        let unrecorded = json!({"traceparent": format!("00-{TRACE}-{SPAN}-00")});
        host.get("tools/call", json!({"name": "work", "arguments": {}, "_meta": unrecorded})).await;
        let sent = server.read_of("tools/call").remove(0)["params"].take();
        assert!(sent["_meta"]["traceparent"].as_str().unwrap().ends_with("-00"), "{sent}");
        let meta = json!({"traceparent": format!("00-{TRACE}-{SPAN}-01")});
        host.get("tools/call", json!({"name": "work", "arguments": {}, "_meta": meta})).await;
        let sent = server.read_of("tools/call").remove(1)["params"].take();
        assert_eq!(sent["_mgp"]["trace_id"], named, "{sent}");
        // The kernel's own span stands between that of the host and those of the server.
        let parent = sent["_meta"]["traceparent"].as_str().unwrap_or_else(|| panic!("{sent}"));
        assert!(parent.starts_with(&format!("00-{TRACE}-")) && !parent.contains(SPAN), "{parent}");
        let traces: Vec<_> = setup.sink.events().into_iter().map(|event| event.trace_id).collect();
        assert!(traces.iter().any(|trace| trace.get().is_some_and(|trace| trace == TRACE)), "{traces:?}");
    }
}
