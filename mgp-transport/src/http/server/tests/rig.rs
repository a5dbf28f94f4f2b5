//! A server whose service follows the tests, and requests made by hand.

use crate::{
    http::server::{HttpServer, HttpServerBuilder, HttpServerConfig},
    seam::{BoxError, Incoming, Reply, Session, TokenGrant, boxed},
};
use axum::{
    Router,
    body::{Body, BodyDataStream},
};
use futures_util::StreamExt;
use http::{HeaderMap, Request, Response, StatusCode};
use http_body_util::BodyExt;
use mgp_types::{context::Principal, json::RawJson, rpc::ErrorObject};
use parking_lot::Mutex;
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use tokio::sync::Notify;
use tower::ServiceExt;

/// The state that a test and its service share.
#[derive(Debug, Default)]
pub(super) struct Probe {
    /// Lets one `wait` end.
    pub(super) gate: Notify,
    /// Notifies when a `wait` has begun.
    pub(super) begun: Notify,
    pub(super) finished: AtomicUsize,
    pub(super) cancelled: AtomicUsize,
    pub(super) notified: AtomicUsize,
    /// The methods of all messages, in order.
    pub(super) methods: Mutex<Vec<String>>,
}

pub(super) struct Rig {
    pub(super) server: HttpServer,
    pub(super) router: Router,
    pub(super) probe: Arc<Probe>,
}

impl Rig {
    pub(super) fn new(set: impl FnOnce(HttpServerBuilder) -> HttpServerBuilder) -> Self {
        let probe = Arc::new(Probe::default());
        let shared = probe.clone();
        let make = move |_: &Session| {
            let probe = shared.clone();
            (boxed(tower::service_fn(move |incoming| serve(probe.clone(), incoming))), None)
        };
        let server = set(HttpServer::builder(make)).build();
        Self { router: server.router(), server, probe }
    }

    pub(super) fn with_config(set: impl FnOnce(&mut HttpServerConfig)) -> Self {
        let mut config = HttpServerConfig::default();
        set(&mut config);
        Self::new(|builder| builder.config(config))
    }

    pub(super) async fn send(&self, request: Request<Body>) -> Response<Body> {
        self.router.clone().oneshot(request).await.unwrap()
    }

    /// Sends a request in a future that can run beside the test.
    pub(super) fn send_owned(
        &self,
        request: Request<Body>,
    ) -> impl Future<Output = Response<Body>> + Send + 'static {
        let router = self.router.clone();
        async move { router.oneshot(request).await.unwrap() }
    }

    /// Sends a request. Returns the status and the whole body.
    pub(super) async fn text(&self, request: Request<Body>) -> (StatusCode, String) {
        let response = self.send(request).await;
        let status = response.status();
        let body = response.into_body().collect().await.unwrap().to_bytes();
        (status, String::from_utf8(body.to_vec()).unwrap())
    }

    /// Opens a session. Returns the id by which clients name it.
    pub(super) async fn open(&self) -> String {
        self.open_as("2025-06-18").await
    }

    /// Opens a session that agrees on a revision.
    pub(super) async fn open_as(&self, version: &str) -> String {
        let initialize = format!(
            r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"{version}"}}}}"#
        );
        let response = self.send(request("POST", &[], &initialize)).await;
        assert_eq!(response.status(), StatusCode::OK);
        response.headers()["mcp-session-id"].to_str().unwrap().to_owned()
    }

    pub(super) async fn call(&self, session: &str, body: &str) -> Response<Body> {
        self.send(request("POST", &[("mcp-session-id", session)], body)).await
    }

    /// Begins a call that waits. Returns its response to come.
    pub(super) async fn begin_wait(&self, session: &str, id: i64) -> tokio::task::JoinHandle<Response<Body>> {
        let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"wait"}}"#);
        let request = request("POST", &[("mcp-session-id", session)], &body);
        let call = tokio::spawn(self.router.clone().oneshot(request));
        self.probe.begun.notified().await;
        tokio::spawn(async move { call.await.unwrap().unwrap() })
    }
}

/// Returns a request as a well-behaved client sends it, with the headers that the test adds or replaces.
pub(super) fn request(method: &str, headers: &[(&str, &str)], body: &str) -> Request<Body> {
    let mut all = HeaderMap::new();
    for (name, value) in [
        ("host", "localhost:1234"),
        ("accept", "application/json, text/event-stream"),
        ("content-type", "application/json"),
    ]
    .iter()
    .chain(headers)
    {
        all.insert(name.parse::<http::HeaderName>().unwrap(), value.parse().unwrap());
    }
    all.retain_non_empty();
    let mut request =
        Request::builder().method(method).uri("/mcp").body(Body::from(body.to_owned())).unwrap();
    *request.headers_mut() = all;
    request
}

trait RetainNonEmpty {
    /// Removes the headers that have an empty value.
    fn retain_non_empty(&mut self);
}

impl RetainNonEmpty for HeaderMap {
    fn retain_non_empty(&mut self) {
        let empty: Vec<_> =
            self.iter().filter(|(_, value)| value.is_empty()).map(|(name, _)| name.clone()).collect();
        for name in empty {
            self.remove(name);
        }
    }
}

/// An event stream as it comes.
pub(super) struct Stream {
    body: BodyDataStream,
    rest: String,
    /// The id of the last event that had one.
    pub(super) last_id: String,
}

impl Stream {
    pub(super) fn of(response: Response<Body>) -> Self {
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Self { body: response.into_body().into_data_stream(), rest: String::new(), last_id: String::new() }
    }

    /// Returns the next message; a comment as `:`; `None` at the end.
    pub(super) async fn next(&mut self) -> Option<String> {
        loop {
            if let Some((event, rest)) = self.rest.split_once("\n\n") {
                let (mut event, rest) = (event.to_owned(), rest.to_owned());
                if let Some((id, after)) = event.strip_prefix("id: ").and_then(|event| event.split_once('\n'))
                {
                    (self.last_id, event) = (id.to_owned(), after.to_owned());
                }
                self.rest = rest;
                return Some(
                    event.strip_prefix("event: message\ndata: ").map(str::to_owned).unwrap_or(event),
                );
            }
            let piece = self.body.next().await?.ok()?;
            self.rest.push_str(std::str::from_utf8(&piece).unwrap());
        }
    }

    pub(super) async fn rest(mut self) -> Vec<String> {
        let mut events = Vec::new();
        while let Some(event) = self.next().await {
            events.push(event);
        }
        events
    }
}

async fn serve(probe: Arc<Probe>, incoming: Incoming) -> Result<Reply, BoxError> {
    let Some(peer) = incoming.peer().cloned() else { return Err("no peer".into()) };
    probe.methods.lock().push(incoming.method.to_string());
    if incoming.is_notification() {
        probe.notified.fetch_add(1, Ordering::SeqCst);
        return Ok(Reply::none());
    }
    Ok(match &*incoming.method {
        "initialize" if incoming.params.object()?.get("refuse").is_some() => {
            Reply::error(ErrorObject::invalid_params("not today"))
        }
        "initialize" => {
            let version = incoming.params.object()?.text("protocolVersion").unwrap_or_default();
            Reply::ok(RawJson::parse(format!(r#"{{"protocolVersion":"{version}","capabilities":{{}}}}"#))?)
        }
        // Closes its stream, waits for the gate, and says something before its answer.
        "poll" => {
            let closed = peer.close_stream();
            probe.begun.notify_one();
            probe.gate.notified().await;
            peer.notify("notifications/message", RawJson::parse(r#"{"data":"meanwhile"}"#)?).await?;
            probe.finished.fetch_add(1, Ordering::SeqCst);
            Reply::from_value(&closed)
        }
        "ask away" => {
            peer.close_stream();
            Reply::ok(peer.request_raw("roots/list", RawJson::empty_object()).await?)
        }
        "away" => {
            peer.close_stream();
            for _ in 0..10 {
                peer.notify("notifications/message", RawJson::parse(r#"{"data":"away"}"#)?).await?;
            }
            probe.finished.fetch_add(1, Ordering::SeqCst);
            Reply::from_value("back")
        }
        // Says two things, waits for the gate, and says a third before its answer.
        "steps" => {
            for n in 1..=3 {
                if n == 3 {
                    probe.begun.notify_one();
                    probe.gate.notified().await;
                }
                let params = RawJson::parse(format!(r#"{{"data":"step {n}"}}"#))?;
                peer.notify("notifications/message", params).await?;
            }
            probe.finished.fetch_add(1, Ordering::SeqCst);
            Reply::from_value("stepped")
        }
        "whoami" => {
            let principal: Principal = peer.session().get().ok_or("no principal")?;
            Reply::from_value(&(principal.id(), principal.is_admin()))
        }
        "scopes" => {
            Reply::from_value(&incoming.ext.get::<TokenGrant>().map(|it| it.who().scopes.to_string()))
        }
        "session" => Reply::from_value(peer.session().id()),
        "fail" => {
            let code = incoming.params.object()?.decode::<i64>("code")?.unwrap_or_default();
            Reply::exact_error(ErrorObject::new(code, "as asked"))
        }
        "subscriptions/listen" => {
            peer.notify("notifications/subscriptions/acknowledged", RawJson::empty_object()).await?;
            probe.begun.notify_one();
            peer.draining().await;
            Reply::from_value("ended")
        }
        "progress" => {
            let params = RawJson::parse(r#"{"progressToken":"t","progress":1}"#)?;
            peer.notify("notifications/progress", params.clone()).await?;
            peer.notify("notifications/progress", params).await?;
            Reply::from_value("done")
        }
        "flood" => {
            let params = RawJson::from_value(&serde_json::json!({ "data": "x".repeat(100) }))?;
            for _ in 0..10 {
                peer.notify("notifications/message", params.clone()).await?;
            }
            probe.finished.fetch_add(1, Ordering::SeqCst);
            Reply::from_value("done")
        }
        "ask" => Reply::ok(peer.request_raw("roots/list", RawJson::empty_object()).await?),
        "announce" => {
            let peer = peer.unbound();
            for _ in 0..3 {
                peer.notify("notifications/tools/list_changed", RawJson::empty_object()).await?;
            }
            peer.notify("notifications/message", RawJson::parse(r#"{"data":"hello"}"#)?).await?;
            Reply::from_value("announced")
        }
        "wait" => {
            let cancel = incoming.cancel_token().cloned().unwrap_or_default();
            probe.begun.notify_one();
            tokio::select! {
                () = probe.gate.notified() => {}
                () = cancel.cancelled() => {
                    probe.cancelled.fetch_add(1, Ordering::SeqCst);
                    return Ok(Reply::cancelled(RawJson::empty_object()));
                }
            }
            peer.notify("notifications/message", RawJson::parse(r#"{"data":"late"}"#)?).await?;
            probe.finished.fetch_add(1, Ordering::SeqCst);
            Reply::from_value("waited")
        }
        _ => Reply::ok(incoming.params.get().cloned().unwrap_or(RawJson::null())),
    })
}
