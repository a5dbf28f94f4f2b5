//! Both ends against each other.

use crate::{
    connection::Connection,
    http::{
        client::{ClientTransport, HttpClient, HttpClientConfig, HttpConnection},
        header::LAST_EVENT_ID,
        server::{ApiKey, HttpServer, HttpServerBuilder, HttpServerConfig, ReplyForm, RunningServer},
    },
    seam::{BoxError, BoxPeerService, CallError, CallEvent, Incoming, Reply, Session, boxed},
};
use axum::{
    extract::Request,
    middleware::{self, Next},
};
use http::Method;
use mgp_types::{context::Principal, json::RawJson, rpc::RawParams};
use std::{net::SocketAddr, sync::Arc, time::Duration};
use tokio::{
    net::TcpListener,
    sync::{Notify, mpsc},
};
use xtask_testing::{until, within};

struct BothEnds {
    server: HttpServer,
    serving: RunningServer,
    /// The address that clients connect to.
    address: SocketAddr,
    begun: Arc<Notify>,
    cancelled: Arc<Notify>,
}

impl BothEnds {
    async fn new(set: impl FnOnce(HttpServerBuilder) -> HttpServerBuilder) -> Self {
        let (begun, cancelled) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let shared = (begun.clone(), cancelled.clone());
        let server = HttpServer::builder(move |_: &Session| {
            let shared = shared.clone();
            (boxed(tower::service_fn(move |incoming| serve(incoming, shared.clone()))), None)
        });
        let server = set(server).build();
        let serving = server.bind("127.0.0.1:0").await.unwrap();
        let address = serving.address();
        Self { server, serving, address, begun, cancelled }
    }

    fn connect(&self, config: HttpClientConfig, service: BoxPeerService) -> HttpConnection {
        let url = format!("http://{}/mcp", self.address);
        HttpClient::connect(&url, config, Connection::builder(service)).unwrap()
    }

    /// Asks the server to end the session, and waits until it has.
    async fn end_session(&self, connection: &HttpConnection) {
        connection.peer().notify("notifications/end", RawParams::none()).await.unwrap();
        until(|| self.server.sessions() == 0).await;
    }

    async fn open(&self, service: BoxPeerService) -> HttpConnection {
        let connection = self.connect(HttpClientConfig::patient(), service);
        connection.peer().request_raw("initialize", RawParams::none()).await.unwrap();
        connection.peer().notify("notifications/initialized", RawParams::none()).await.unwrap();
        connection
    }
}

async fn serve(
    incoming: Incoming,
    (begun, cancelled): (Arc<Notify>, Arc<Notify>),
) -> Result<Reply, BoxError> {
    let peer = incoming.peer().cloned().ok_or("no peer")?;
    let cancel = incoming.cancel_token().cloned().ok_or("no token")?;
    Ok(match &*incoming.method {
        "notifications/end" => {
            peer.close();
            Reply::none()
        }
        _ if incoming.id.is_none() => Reply::none(),
        "initialize" => Reply::ok(RawJson::parse(r#"{"protocolVersion":"2025-11-25"}"#)?),
        "progress" => {
            let token = incoming.params.object()?.get("token").cloned().ok_or("no token")?;
            for n in 0..100 {
                let params = format!(r#"{{"progressToken":{token},"progress":{n}}}"#);
                peer.notify("notifications/progress", RawJson::parse(params)?).await?;
            }
            Reply::from_value("done")
        }
        "ask" => Reply::ok(peer.request_raw("question", RawJson::empty_object()).await?),
        "announce" => {
            peer.unbound().notify("notifications/tools/list_changed", RawParams::none()).await?;
            Reply::from_value("announced")
        }
        "gate" => {
            begun.notify_one();
            cancelled.notified().await;
            Reply::from_value("opened")
        }
        "wait" => {
            begun.notify_one();
            cancel.cancelled().await;
            cancelled.notify_one();
            Reply::cancelled(RawJson::null())
        }
        _ => Reply::ok(incoming.params.get().cloned().unwrap_or(RawJson::null())),
    })
}

fn answers(heard: mpsc::UnboundedSender<String>) -> BoxPeerService {
    boxed(tower::service_fn(move |incoming: Incoming| {
        let _ = heard.send(incoming.method.to_string());
        let reply = incoming.id.map_or(Reply::none(), |_| Reply::from_value("answer"));
        async move { Ok::<_, BoxError>(reply) }
    }))
}

fn deaf() -> BoxPeerService {
    answers(mpsc::unbounded_channel().0)
}

#[tokio::test]
async fn calls_are_answered_and_closing_ends_the_session() {
    let both = BothEnds::new(|b| b).await;
    let connection = both.open(deaf()).await;
    let calls = (0..50).map(|n| {
        let peer = connection.peer().clone();
        async move {
            let params = RawJson::parse(format!(r#"{{"n":{n}}}"#)).unwrap();
            assert_eq!(peer.request_raw("echo", params.clone()).await.unwrap(), params);
        }
    });
    futures_util::future::join_all(calls).await;
    assert_eq!(both.server.sessions(), 1);
    connection.close().await;
    assert_eq!(both.server.sessions(), 0);
    both.serving.shutdown().await;
}

#[tokio::test]
async fn progress_arrives_in_order_and_before_the_answer() {
    let both = BothEnds::new(|b| b).await;
    let connection = both.open(deaf()).await;
    let id = connection.peer().next_id();
    let params = RawJson::parse(format!(r#"{{"token":{id}}}"#)).unwrap();
    let mut call = connection.peer().start_as(id, "progress", params).await.unwrap();
    for n in 0..100 {
        let CallEvent::Notification(notification) = call.next().await else {
            panic!("the answer came first")
        };
        let progress = notification.params.object().unwrap().get("progress").unwrap().to_string();
        assert_eq!(progress, n.to_string());
    }
    assert!(matches!(call.next().await, CallEvent::Reply(Ok(_))));
}

#[tokio::test]
async fn a_server_can_ask_and_notify_within_a_call() {
    let both = BothEnds::new(|b| b).await;
    let (sender, mut heard) = mpsc::unbounded_channel();
    let connection = both.open(answers(sender)).await;
    let answer = connection.peer().request_raw("ask", RawParams::none()).await.unwrap();
    assert_eq!(answer.as_str(), r#""answer""#);
    assert_eq!(heard.recv().await.unwrap(), "question");
    connection.peer().request_raw("announce", RawParams::none()).await.unwrap();
    assert_eq!(heard.recv().await.unwrap(), "notifications/tools/list_changed");
}

#[tokio::test]
async fn a_server_can_ask_a_client_without_a_free_slot() {
    let both = BothEnds::new(|b| b).await;
    let config = HttpClientConfig { calls: 1, others: 1, ..HttpClientConfig::patient() };
    let connection = both.connect(config, deaf());
    connection.peer().request_raw("initialize", RawParams::none()).await.unwrap();
    let answer = connection.peer().request_raw("ask", RawParams::none()).await.unwrap();
    assert_eq!(answer.as_str(), r#""answer""#);
}

#[tokio::test]
async fn a_call_that_is_dropped_is_cancelled_at_the_server() {
    let both = BothEnds::new(|b| b).await;
    let connection = both.open(deaf()).await;
    let call = connection.peer().start("wait", RawParams::none()).await.unwrap();
    both.begun.notified().await;
    drop(call);
    both.cancelled.notified().await;
    // The connection goes on.
    connection.peer().request_raw("echo", RawParams::none()).await.unwrap();
}

#[tokio::test]
async fn a_session_that_ended_at_the_server_is_opened_again() {
    let both = BothEnds::new(|b| b).await;
    let connection = both.open(deaf()).await;
    for count in 1..3 {
        both.end_session(&connection).await;
        let params = RawJson::parse("{\"n\":1}").unwrap();
        assert_eq!(connection.peer().request_raw("echo", params.clone()).await.unwrap(), params);
        assert_eq!(*connection.renewals().borrow(), count);
    }
    connection.close().await;
}

#[tokio::test]
async fn a_polling_client_gets_its_answer_after_the_stream_closed() {
    let mut config = HttpServerConfig::default();
    config.resume.retry = Some(Duration::from_millis(1));
    config.resume.poll_after = Some(Duration::from_millis(1));
    config.reply_form = ReplyForm::Stream;
    let mut both = BothEnds::new(|b| b.config(config)).await;
    let polled = Arc::new(Notify::new());
    let shared = polled.clone();
    // The same server at another address, where it is seen who comes back.
    let router = both.server.router().layer(middleware::from_fn(move |request: Request, next: Next| {
        if request.method() == Method::GET && request.headers().contains_key(LAST_EVENT_ID) {
            shared.notify_one();
        }
        next.run(request)
    }));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    both.address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    let connection = both.open(deaf()).await;
    let call = connection.peer().start("gate", RawParams::none()).await.unwrap();
    both.begun.notified().await;
    within(polled.notified()).await;
    both.cancelled.notify_one();
    assert_eq!(call.reply().await.unwrap().as_str(), r#""opened""#);
}

#[tokio::test]
async fn http_sse_is_used_if_requested_or_if_nothing_else_exists() {
    let both = BothEnds::new(|b| b.http_sse("/sse")).await;
    let url = format!("http://{}/sse", both.serving.address());
    for transport in [ClientTransport::HttpSse, ClientTransport::Auto] {
        let config = HttpClientConfig { transport, ..HttpClientConfig::patient() };
        let (sender, mut heard) = mpsc::unbounded_channel();
        let builder = Connection::builder(answers(sender));
        let connection = HttpClient::connect(&url, config, builder).unwrap();
        connection.peer().request_raw("initialize", RawParams::none()).await.unwrap();
        connection.peer().notify("notifications/initialized", RawParams::none()).await.unwrap();
        let params = RawJson::parse("{\"n\":1}").unwrap();
        assert_eq!(connection.peer().request_raw("echo", params.clone()).await.unwrap(), params);
        let answer = connection.peer().request_raw("ask", RawParams::none()).await.unwrap();
        assert_eq!((answer.as_str(), &*heard.recv().await.unwrap()), (r#""answer""#, "question"));
        // The session ends with the stream, and the connection with the session.
        assert_eq!(both.server.sessions(), 1);
        both.end_session(&connection).await;
        let why = connection.closed().await.to_string();
        assert!(why.contains("cannot resume it"), "{why}");
    }
}

#[tokio::test]
async fn a_wrong_key_is_an_error_of_the_call() {
    let (text, key) = ApiKey::generate().unwrap();
    let both = BothEnds::new(|b| b.api_key(key, Principal::agent("a"))).await;
    for (bearer, opens) in [(Some(text), true), (Some("wrong".to_owned()), false), (None, false)] {
        let connection = both.connect(HttpClientConfig { bearer, ..HttpClientConfig::patient() }, deaf());
        let result = connection.peer().request_raw("initialize", RawParams::none()).await;
        assert_eq!(result.is_ok(), opens, "{result:?}");
        if let Err(CallError::Peer(error)) = result {
            assert!(error.message.contains("wrong API key"), "{error}");
        }
    }
}
