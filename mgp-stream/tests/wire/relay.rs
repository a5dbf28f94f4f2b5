//! Relaying from a server through a kernel to a host.

use super::support::{mgp, nothing_more, serve, settle};
use mgp_stream::{
    cancel::CancelLayer,
    relay::{Host, Relay, RelayOutcome},
};
use mgp_transport::{
    connection::Connection,
    memory,
    seam::{BoxError, CallError, CallEvent, Incoming, Reply},
};
use mgp_types::{negotiation::Negotiation, rpc::RequestId};
use serde_json::{Value, json};
use std::sync::Arc;
use tower::Layer;
use xtask_testing::RawPeer;

/// A minimal kernel with one server, whose notifications and answers it relays.
struct Chain {
    _kernel: Connection,
    _toward_server: Arc<Connection>,
    host: RawPeer,
    server: RawPeer,
}

impl Chain {
    fn new(negotiated: Option<Negotiation>) -> Self {
        let (here, there) = memory::pair();
        let nothing = tower::service_fn(|_: Incoming| async { Ok::<_, BoxError>(Reply::none()) });
        let toward_server = Arc::new(Connection::builder(nothing).over(here.0, here.1));
        let dispatch = tower::service_fn({
            let toward_server = toward_server.clone();
            move |incoming: Incoming| {
                let peer = toward_server.peer().clone();
                async move {
                    let mut relay = Relay::new(Host::of(&incoming).ok_or("no request of a host")?);
                    let id = peer.next_id();
                    let mut params = incoming.params.object()?.clone();
                    params.edit("_meta", |meta| {
                        meta.insert("progressToken", RequestId::from(id).to_json());
                        true
                    });
                    let mut call = peer.start_as(id, incoming.method, params).await?;
                    loop {
                        match call.next().await {
                            CallEvent::Notification(notification) => {
                                let relayed = relay.forward(notification).await?;
                                assert!(!matches!(relayed, RelayOutcome::Other(_)), "{relayed:?}");
                            }
                            CallEvent::Reply(Ok(result)) => return Ok::<_, BoxError>(Reply::ok(result)),
                            CallEvent::Reply(Err(CallError::Peer(error))) => return Ok(Reply::error(error)),
                            CallEvent::Reply(Err(error)) => return Err(error.into()),
                        }
                    }
                }
            }
        });
        let (kernel, host) = serve(CancelLayer::new().layer(dispatch), negotiated);
        Self { _kernel: kernel, _toward_server: toward_server, host, server: RawPeer::new(there) }
    }

    /// Sends a call from the host. Returns the call as the server received it.
    async fn call(&mut self, params: &str) -> Value {
        let call = format!(r#"{{"jsonrpc":"2.0","id":"host-1","method":"tools/call","params":{params}}}"#);
        self.host.send(call).await;
        self.server.message().await
    }

    async fn server_says(&mut self, method: &str, params: &str) {
        let line = format!(r#"{{"jsonrpc":"2.0","method":"notifications/{method}","params":{params}}}"#);
        self.server.send(line).await;
    }

    async fn chunk(&mut self, id: &Value, index: u64, text: &str) {
        let content = json!({"type": "text", "text": text});
        let params = json!({"request_id": id, "index": index, "content": content, "done": false});
        self.server_says("mgp.stream.chunk", &params.to_string()).await;
    }

    async fn answer(&mut self, id: &Value) {
        self.server.send(json!({"jsonrpc": "2.0", "id": id, "result": {}})).await;
    }
}

const STREAM: &str = r#"{"_mgp":{"stream":true}}"#;

#[tokio::test]
async fn a_chunk_gets_the_host_s_id_and_is_otherwise_unchanged() {
    let mut chain = Chain::new(Some(mgp()));
    let id = chain.call(STREAM).await["id"].clone();
    assert_ne!(id, "host-1");
    let rest = r#""index":0,"content":{"type":"x","n":123456789012345678901234567890.10, "é":"\u00e9"},"done":false,"new":1e500"#;
    chain.server_says("mgp.stream.chunk", &format!(r#"{{"request_id":{id},{rest}}}"#)).await;
    chain.answer(&id).await;
    let params = format!(r#"{{"request_id":"host-1",{rest}}}"#);
    let expected =
        format!(r#"{{"jsonrpc":"2.0","method":"notifications/mgp.stream.chunk","params":{params}}}"#);
    assert_eq!(chain.host.text().await, expected);
    assert_eq!(chain.host.text().await, r#"{"jsonrpc":"2.0","id":"host-1","result":{}}"#);
}

#[tokio::test]
async fn late_and_duplicate_chunks_are_dropped_and_a_gap_is_survived() {
    let mut chain = Chain::new(Some(mgp()));
    let id = chain.call(STREAM).await["id"].clone();
    for index in [0, 2, 1, 2, 3] {
        chain.chunk(&id, index, "x").await;
    }
    for broken in
        [json!({"request_id": id, "index": -1, "content": 1}), json!({"request_id": id, "index": 4})]
    {
        chain.server_says("mgp.stream.chunk", &broken.to_string()).await;
    }
    chain.answer(&id).await;
    for index in [0, 2, 3] {
        assert_eq!(chain.host.message().await["params"]["index"], index);
    }
    assert_eq!(chain.host.message().await["id"], "host-1");
}

#[tokio::test]
async fn a_host_without_request_or_support_gets_no_chunks() {
    for (negotiated, params) in [(None, STREAM), (Some(mgp()), "{}")] {
        let mut chain = Chain::new(negotiated);
        let id = chain.call(params).await["id"].clone();
        chain.chunk(&id, 0, "x").await;
        chain.answer(&id).await;
        assert_eq!(chain.host.message().await, json!({"jsonrpc": "2.0", "id": "host-1", "result": {}}));
    }
}

#[tokio::test]
async fn a_chunk_after_the_response_is_dropped() {
    let mut chain = Chain::new(Some(mgp()));
    let id = chain.call(STREAM).await["id"].clone();
    chain.answer(&id).await;
    chain.chunk(&id, 0, "late").await;
    assert_eq!(chain.host.message().await["id"], "host-1");
    nothing_more(&mut chain.host).await;
}

#[tokio::test]
async fn progress_gets_the_host_s_own_token() {
    for negotiated in [None, Some(mgp())] {
        let mut chain = Chain::new(negotiated);
        let call = chain.call(r#"{"name":"a","_meta":{"x":1,"progressToken":"mine"}}"#).await;
        assert_eq!(call["params"], json!({"name": "a", "_meta": {"x": 1, "progressToken": call["id"]}}));
        let rest = r#""progress":0.50,"total":1e3,"message":"m","new":1"#;
        chain.server_says("progress", &format!(r#"{{"progressToken":{},{rest}}}"#, call["id"])).await;
        chain.answer(&call["id"]).await;
        let params = format!(r#"{{"progressToken":"mine",{rest}}}"#);
        let expected = format!(r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{params}}}"#);
        assert_eq!(chain.host.text().await, expected);
    }
}

#[tokio::test]
async fn plain_progress_reaches_an_mgp_host_in_mgp_s_form() {
    let mut chain = Chain::new(Some(mgp()));
    let call = chain.call("{}").await;
    assert_eq!(call["params"]["_meta"]["progressToken"], call["id"]);
    let params = json!({"progressToken": call["id"], "progress": 13, "total": 20, "message": "m"});
    chain.server_says("progress", &params.to_string()).await;
    chain.answer(&call["id"]).await;
    let notification = chain.host.message().await;
    assert_eq!(notification["method"], "notifications/mgp.stream.progress");
    assert_eq!(notification["params"], json!({"request_id": "host-1", "progress": 0.65, "message": "m"}));
}

#[tokio::test]
async fn mgp_progress_reaches_each_host_in_its_form() {
    let token = r#"{"_meta":{"progressToken":7}}"#;
    let as_mcp = json!({"progressToken": 7, "progress": 0.65, "total": 1, "message": "m"});
    let as_mgp =
        json!({"request_id": "host-1", "progress": 0.65, "message": "m", "estimated_remaining_ms": 9});
    let mut as_both = as_mcp.clone();
    as_both["_mgp"] = json!({"estimated_remaining_ms": 9});
    for (negotiated, params, expected) in
        [(None, token, &as_mcp), (Some(mgp()), token, &as_both), (Some(mgp()), "{}", &as_mgp)]
    {
        let mut chain = Chain::new(negotiated);
        let id = chain.call(params).await["id"].clone();
        let step = json!({"request_id": id, "progress": 0.65, "message": "m", "estimated_remaining_ms": 9});
        chain.server_says("mgp.stream.progress", &step.to_string()).await;
        chain.answer(&id).await;
        assert_eq!(chain.host.message().await["params"], *expected);
    }
}

#[tokio::test]
async fn a_plain_host_without_a_token_gets_no_progress() {
    let mut chain = Chain::new(None);
    let call = chain.call("{}").await;
    let step = json!({"request_id": call["id"], "progress": 0.5});
    chain.server_says("mgp.stream.progress", &step.to_string()).await;
    chain.answer(&call["id"]).await;
    assert_eq!(chain.host.message().await["id"], "host-1");
}

#[tokio::test]
async fn an_estimate_crosses_both_bridges_but_reaches_no_plain_host() {
    let token = r#"{"_meta":{"progressToken":7}}"#;
    for (negotiated, asks, by_mcp, expected) in [
        (Some(mgp()), token, true, json!({"_mgp": {"estimated_remaining_ms": 9}})),
        (Some(mgp()), token, false, json!({"_mgp": {"estimated_remaining_ms": 9}})),
        (Some(mgp()), "{}", true, json!({"estimated_remaining_ms": 9})),
        (Some(mgp()), "{}", false, json!({"estimated_remaining_ms": 9})),
        (None, token, true, json!({})),
        (None, token, false, json!({})),
    ] {
        let mut chain = Chain::new(negotiated);
        let id = chain.call(asks).await["id"].clone();
        let (method, step) = match by_mcp {
            true => (
                "progress",
                json!({"progressToken": id, "progress": 0.5, "_mgp": {"estimated_remaining_ms": 9}}),
            ),
            false => (
                "mgp.stream.progress",
                json!({"request_id": id, "progress": 0.5, "estimated_remaining_ms": 9}),
            ),
        };
        chain.server_says(method, &step.to_string()).await;
        let mut heard = chain.host.message().await["params"].clone();
        for member in ["progressToken", "request_id", "progress", "total"] {
            heard.as_object_mut().unwrap().remove(member);
        }
        assert_eq!(heard, expected, "{asks} {by_mcp}");
        chain.answer(&id).await;
    }
}

#[tokio::test]
async fn the_partial_result_joins_no_texts_across_missing_chunks() {
    let mut chain = Chain::new(Some(mgp()));
    let id = chain.call(STREAM).await["id"].clone();
    for (index, text) in [(0, "so "), (1, "far"), (3, "later")] {
        chain.chunk(&id, index, text).await;
        chain.host.message().await;
    }
    let cancel = r#"{"jsonrpc":"2.0","id":2,"method":"mgp/stream/cancel","params":{"request_id":"host-1"}}"#;
    chain.host.send(cancel).await;
    let content = json!([{"type": "text", "text": "so far"}, {"type": "text", "text": "later"}]);
    let answer = chain.host.message().await["result"].clone();
    let partial = answer.get("partial_result").unwrap_or(&answer);
    assert_eq!(partial["content"], content);
}

#[tokio::test]
async fn progress_that_does_not_grow_is_not_relayed() {
    let mut chain = Chain::new(None);
    let id = chain.call(r#"{"_meta":{"progressToken":7}}"#).await["id"].clone();
    for progress in [json!(1), json!(1), json!(0.5), json!("2"), json!(3)] {
        let step = json!({"progressToken": id, "progress": progress});
        chain.server_says("progress", &step.to_string()).await;
    }
    chain.answer(&id).await;
    for progress in [1, 3] {
        assert_eq!(chain.host.message().await["params"]["progress"], progress);
    }
    assert_eq!(chain.host.message().await["id"], "host-1");
}

#[tokio::test]
async fn a_host_s_cancellation_returns_the_relayed_chunks() {
    let mut chain = Chain::new(Some(mgp()));
    let id = chain.call(STREAM).await["id"].clone();
    chain.chunk(&id, 0, "so ").await;
    chain.chunk(&id, 1, "far").await;
    chain.host.message().await;
    chain.host.message().await;
    let cancel = r#"{"jsonrpc":"2.0","id":2,"method":"mgp/stream/cancel","params":{"request_id":"host-1"}}"#;
    chain.host.send(cancel).await;
    let told = chain.server.message().await;
    assert_eq!((&told["method"], &told["params"]["requestId"]), (&json!("notifications/cancelled"), &id));
    let content = json!([{"type": "text", "text": "so far"}]);
    let mut answers = [chain.host.message().await, chain.host.message().await];
    answers.sort_by_key(|answer| answer["id"].is_string());
    assert_eq!(answers[0]["result"]["partial_result"]["content"], content);
    assert_eq!(answers[1]["result"]["content"], content);
    assert_eq!(answers[1]["result"]["_mgp"]["cancelled"], true);
    // Later messages of the server, its answer included, reach nobody.
    chain.chunk(&id, 2, "late").await;
    chain.answer(&id).await;
    settle().await;
    nothing_more(&mut chain.host).await;
}

#[tokio::test]
async fn a_server_is_always_asked_for_progress() {
    for params in ["{}", r#"{"_meta":{"progressToken":[1]}}"#, r#"{"_meta":{"progressToken":null}}"#] {
        let mut chain = Chain::new(None);
        let call = chain.call(params).await;
        let id = &call["id"];
        assert_eq!(&call["params"]["_meta"]["progressToken"], id, "{params}");
        chain.server_says("progress", &json!({"progressToken": id, "progress": 1}).to_string()).await;
        chain.answer(id).await;
        assert_eq!(chain.host.message().await, json!({"jsonrpc": "2.0", "id": "host-1", "result": {}}));
    }
}

#[tokio::test]
async fn a_host_accepts_progress_by_token_or_streaming() {
    let (kernel, _host) =
        serve(tower::service_fn(|_: Incoming| async { Ok::<_, BoxError>(Reply::none()) }), None);
    let plain = Host::new(kernel.peer().clone(), "a".into());
    assert!(!plain.wants_progress());
    assert!(plain.clone().progress_token("t".into()).wants_progress());
    assert!(plain.streaming(false).wants_progress());
}
