//! An endpoint that answers as a test says, and remembers its requests.

use crate::{
    connection::{Builder, Connection},
    http::client::{HttpClient, HttpClientConfig, HttpConnection},
    seam::{BoxError, BoxPeerService, Incoming, Reply, boxed},
};
use axum::{
    Router,
    body::{Body, to_bytes},
    extract::Request,
    response::Response,
};
use http::{HeaderMap, StatusCode};
use mgp_types::json::{RawJson, RawObject};
use parking_lot::Mutex;
use std::{net::SocketAddr, sync::Arc, time::Duration};
use tokio::{net::TcpListener, sync::Notify, task::JoinHandle};
use xtask_testing::{until, within};

/// One request as it came.
#[derive(Debug, Clone)]
pub(super) struct SeenRequest {
    /// `POST tools/call`, `POST` for a response, `GET`, `DELETE`.
    pub(super) what: String,
    pub(super) path: String,
    pub(super) headers: HeaderMap,
    /// The JSON-RPC id as text.
    pub(super) id: String,
}

pub(super) struct HandMadeServer {
    pub(super) address: SocketAddr,
    seen: Arc<Mutex<Vec<SeenRequest>>>,
    changed: Arc<Notify>,
    task: JoinHandle<()>,
}

impl HandMadeServer {
    pub(super) async fn new<F, R>(answer: F) -> Self
    where
        F: Fn(SeenRequest) -> R + Clone + Send + Sync + 'static,
        R: Future<Output = Response> + Send,
    {
        let (seen, changed) = (Arc::<Mutex<Vec<SeenRequest>>>::default(), Arc::new(Notify::new()));
        let shared = (seen.clone(), changed.clone());
        let router = Router::new().fallback(move |request: Request| {
            let (answer, (seen, changed)) = (answer.clone(), shared.clone());
            async move {
                let one = read(request).await;
                seen.lock().push(one.clone());
                changed.notify_waiters();
                answer(one).await
            }
        });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let task = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { address, seen, changed, task }
    }

    /// Stops the endpoint, so that nothing listens at the address.
    pub(super) async fn task_ends(&self) {
        self.task.abort();
        until(|| self.task.is_finished()).await;
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    pub(super) fn connect(&self) -> HttpConnection {
        let config = HttpClientConfig {
            reconnect_delay: Duration::from_millis(1),
            min_reconnect_delay: Duration::from_millis(1),
            ..HttpClientConfig::patient()
        };
        self.connect_with(config, Connection::builder(echo()))
    }

    pub(super) fn connect_with(
        &self,
        config: HttpClientConfig,
        builder: Builder<BoxPeerService>,
    ) -> HttpConnection {
        HttpClient::connect(&self.url(), config, builder).unwrap()
    }

    pub(super) fn seen(&self) -> Vec<SeenRequest> {
        self.seen.lock().clone()
    }

    pub(super) fn whats(&self) -> Vec<String> {
        self.seen().into_iter().map(|seen| seen.what).collect()
    }

    /// Waits until a request of the kind has come `count` times.
    pub(super) async fn until(&self, what: &str, count: usize) {
        let came = async {
            loop {
                let changed = self.changed.notified();
                if self.seen().iter().filter(|seen| seen.what == what).count() >= count {
                    return;
                }
                changed.await;
            }
        };
        within(came).await;
    }
}

impl Drop for HandMadeServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn read(request: Request) -> SeenRequest {
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, 1 << 24).await.unwrap();
    let object = RawObject::parse(body).unwrap_or_default();
    let what = [Some(parts.method.to_string()), object.text("method")];
    SeenRequest {
        what: what.into_iter().flatten().collect::<Vec<_>>().join(" "),
        path: parts.uri.path().to_owned(),
        headers: parts.headers,
        id: object.get("id").map(RawJson::to_string).unwrap_or_default(),
    }
}

/// Answers every request with its params, and takes every notification.
pub(super) fn echo() -> BoxPeerService {
    boxed(tower::service_fn(|incoming: Incoming| async move {
        Ok::<_, BoxError>(match incoming.id {
            Some(_) => Reply::ok(incoming.params.get().cloned().unwrap_or(RawJson::null())),
            None => Reply::none(),
        })
    }))
}

pub(super) fn status(status: u16, body: &str) -> Response {
    let mut response = Response::new(Body::from(body.to_owned()));
    *response.status_mut() = StatusCode::from_u16(status).unwrap();
    response
}

/// Returns a result as JSON; for `initialize`, with a session.
pub(super) fn json(seen: &SeenRequest, result: &str) -> Response {
    let mut response = status(200, &format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, seen.id));
    response.headers_mut().insert("content-type", "application/json".parse().unwrap());
    if seen.what == "POST initialize" {
        response.headers_mut().insert("mcp-session-id", "s-1".parse().unwrap());
    }
    response
}

pub(super) fn events(text: &str) -> Response {
    let mut response = status(200, text);
    response.headers_mut().insert("content-type", "text/event-stream; charset=utf-8".parse().unwrap());
    response
}
