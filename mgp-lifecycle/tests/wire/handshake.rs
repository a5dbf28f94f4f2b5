//! The handshake gate.

use super::support::{served, settle};
use mgp_lifecycle::handshake::{HandshakeLayer, HandshakePhase, HandshakeProgress};
use mgp_transport::seam::{BoxError, Incoming, PeerService, Reply, boxed};
use mgp_types::{
    json::RawJson,
    rpc::{ErrorObject, RawParams},
};
use serde_json::json;
use std::sync::{Arc, Mutex};
use tokio::sync::Notify;
use tower::{Layer, ServiceExt};
use xtask_testing::RawPeer;

/// The methods that a server was called with.
type MethodLog = Arc<Mutex<Vec<String>>>;

/// Returns a server that answers each request with the name of its method; an `initialize` with `{"refuse":true}` is
/// refused, one with `{"wait":true}` waits for the bell.
fn server(seen: MethodLog, bell: Arc<Notify>) -> impl PeerService {
    HandshakeLayer::new().layer(tower::service_fn(move |incoming: Incoming| {
        seen.lock().unwrap().push(incoming.method.to_string());
        let bell = bell.clone();
        async move {
            let params = incoming.params.object()?;
            if params.get("wait").is_some() {
                bell.notified().await;
            }
            if params.get("refuse").is_some() {
                return Ok(Reply::error(ErrorObject::invalid_params("unsupported")));
            }
            Ok::<_, BoxError>(Reply::ok(RawJson::string(incoming.method.as_str())))
        }
    }))
}

fn started() -> (mgp_transport::connection::Connection, RawPeer, MethodLog, Arc<Notify>) {
    let (seen, bell) = (MethodLog::default(), Arc::new(Notify::new()));
    let (connection, client) = served(server(seen.clone(), bell.clone()));
    (connection, client, seen, bell)
}

#[tokio::test]
async fn before_initialize_only_lane_methods_are_served() {
    let (server, mut client, seen, _) = started();
    let refused = client.ask_next(1, "tools/list", "{}").await;
    assert_eq!(refused["error"]["code"], -32600);
    let message = r#"server not initialized: expected initialize before "tools/list""#;
    assert_eq!(refused["error"]["message"], message);
    assert_eq!(client.ask_next(1, "ping", "{}").await["result"], json!({}));
    assert_eq!(client.ask_next(1, "mgp/health/ping", "{}").await["result"], "mgp/health/ping");
    client.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
    client.send(r#"{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}"#).await;
    assert_eq!(client.ask_next(1, "tools/call", "{}").await["error"]["code"], -32600);
    assert_eq!(*seen.lock().unwrap(), ["mgp/health/ping"]);
    assert_eq!(HandshakeProgress::of(server.peer().session()).phase(), HandshakePhase::NotStarted);
}

#[tokio::test]
async fn requests_are_served_before_the_initialized_notification() {
    let (server, mut client, seen, _) = started();
    let handshake = HandshakeProgress::of(server.peer().session());
    assert_eq!(client.ask_next(1, "initialize", "{}").await["result"], "initialize");
    assert_eq!(handshake.phase(), HandshakePhase::Answered);
    assert_eq!(client.ask_next(1, "tools/list", "{}").await["result"], "tools/list");
    client.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
    assert_eq!(client.ask_next(1, "tools/call", "{}").await["result"], "tools/call");
    assert_eq!(handshake.phase(), HandshakePhase::Ready);
    assert_eq!(
        *seen.lock().unwrap(),
        ["initialize", "tools/list", "notifications/initialized", "tools/call"]
    );
}

#[tokio::test]
async fn a_pipelining_client_is_served_if_initialize_answers_at_once() {
    let (_server, mut client, ..) = started();
    client.request(1, "initialize", "{}").await;
    client.request(2, "tools/list", "{}").await;
    assert_eq!(client.message().await["result"], "initialize");
    assert_eq!(client.message().await["result"], "tools/list");
}

#[tokio::test]
async fn a_second_initialize_is_refused_before_and_after_the_answer() {
    let (_server, mut client, seen, bell) = started();
    client.request(1, "initialize", r#"{"wait":true}"#).await;
    client.request(2, "initialize", "{}").await;
    client.request(3, "tools/list", "{}").await;
    for id in [2, 3] {
        let refused = client.message().await;
        assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(id), &json!(-32600)));
    }
    bell.notify_one();
    assert_eq!(client.message().await["result"], "initialize");
    let refused = client.ask_next(1, "initialize", "{}").await;
    assert_eq!(refused["error"]["message"], "the session is initialized already");
    assert_eq!(*seen.lock().unwrap(), ["initialize"]);
}

#[tokio::test]
async fn a_refused_initialize_opens_nothing_and_may_be_retried() {
    let (server, mut client, ..) = started();
    assert_eq!(client.ask_next(1, "initialize", r#"{"refuse":true}"#).await["error"]["code"], -32602);
    assert_eq!(client.ask_next(1, "tools/list", "{}").await["error"]["code"], -32600);

    let session = server.peer().session().clone();
    let mut incoming =
        Incoming::request(9, "initialize", RawParams::from(RawJson::parse(r#"{"wait":1}"#).unwrap()));
    incoming.ext.insert(mgp_transport::seam::CallContext {
        peer: server.peer().clone(),
        cancel: mgp_transport::seam::CancelToken::new(),
    });
    let waiting = tokio::spawn(self::server(MethodLog::default(), Arc::default()).oneshot(incoming));
    settle().await;
    assert_eq!(HandshakeProgress::of(&session).phase(), HandshakePhase::Answering);
    waiting.abort();
    settle().await;
    assert_eq!(HandshakeProgress::of(&session).phase(), HandshakePhase::NotStarted);
    assert_eq!(client.ask_next(1, "initialize", "{}").await["result"], "initialize");
}

#[tokio::test]
async fn only_a_session_without_handshake_is_open_from_the_start() {
    let (server, mut client, ..) = started();
    HandshakeProgress::of(server.peer().session()).not_needed();
    assert_eq!(client.ask_next(1, "tools/list", "{}").await["result"], "tools/list");
    assert_eq!(client.ask_next(1, "initialize", "{}").await["error"]["code"], -32600);

    let lost = Incoming::request(1, "tools/list", RawParams::none());
    let service = boxed(self::server(MethodLog::default(), Arc::default()));
    let reply = service.oneshot(lost).await.unwrap();
    assert_eq!(reply.as_error().unwrap().code, -32600);
}
