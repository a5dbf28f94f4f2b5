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
async fn the_trace_of_a_call_reaches_its_server_and_the_trail_and_a_plain_server_gets_the_span_alone() {
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
