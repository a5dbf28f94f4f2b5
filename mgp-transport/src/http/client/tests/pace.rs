//! Reopening of streams, and the time before it.

use super::{HandMadeServer, events, hand_made::echo, json, status};
use crate::{
    connection::Connection,
    http::client::{HttpClientConfig, HttpConnection},
    seam::{BoxError, BoxPeerService, Incoming, Reply, boxed},
};
use mgp_types::rpc::RawParams;
use parking_lot::Mutex;
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};
use tokio::sync::mpsc;
use xtask_testing::within;

const HOUR: Duration = Duration::from_secs(3600);
const NEWS: &str = "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n\n";

fn config(wait: Duration) -> HttpClientConfig {
    HttpClientConfig {
        reconnect_delay: wait,
        min_reconnect_delay: wait,
        max_reconnect_delay: wait,
        reconnects: 3,
        ..HttpClientConfig::patient()
    }
}

/// Returns a service, and the methods of the notifications that it gets.
fn listener() -> (BoxPeerService, mpsc::UnboundedReceiver<String>) {
    let (sender, heard) = mpsc::unbounded_channel();
    let service = tower::service_fn(move |incoming: Incoming| {
        let _ = sender.send(incoming.method.to_string());
        async { Ok::<_, BoxError>(Reply::none()) }
    });
    (boxed(service), heard)
}

async fn open(server: &HandMadeServer, config: HttpClientConfig, service: BoxPeerService) -> HttpConnection {
    let connection = server.connect_with(config, Connection::builder(service));
    connection.peer().request_raw("initialize", RawParams::none()).await.unwrap();
    connection.peer().notify("notifications/initialized", RawParams::none()).await.unwrap();
    connection
}

/// The times of the GET requests.
#[derive(Debug, Clone, Default)]
struct Times(Arc<Mutex<Vec<Instant>>>);

impl Times {
    /// Records a request. Returns the number of requests so far.
    fn note(&self) -> usize {
        let mut times = self.0.lock();
        times.push(Instant::now());
        times.len()
    }

    /// Returns the times between the requests.
    fn waits(&self) -> Vec<Duration> {
        self.0.lock().windows(2).map(|pair| pair[1] - pair[0]).collect()
    }
}

#[tokio::test]
async fn a_failed_or_refused_server_stream_is_retried_later() {
    // The number of attempts after which the wait is longer.
    for (code, quick) in [(503, 3), (400, 1), (404, 1), (200, 1)] {
        let (times, given_up_delay) = (Times::default(), Duration::from_millis(50));
        let shared = times.clone();
        let server = HandMadeServer::new(move |seen| {
            let times = shared.clone();
            async move {
                match &*seen.what {
                    "POST initialize" => json(&seen, "{}"),
                    "GET" if times.note() > quick => events(NEWS),
                    "GET" => status(code, ""),
                    _ => status(202, ""),
                }
            }
        })
        .await;
        let config = HttpClientConfig { given_up_delay, ..config(Duration::from_millis(1)) };
        let (service, mut heard) = listener();
        let _connection = open(&server, config, service).await;
        assert_eq!(within(heard.recv()).await.unwrap(), "notifications/x", "{code}");
        let waits = times.waits();
        assert!(waits[quick - 1] >= given_up_delay, "{code}: {waits:?}");
    }
}

#[tokio::test]
async fn a_reopened_session_has_a_stream() {
    for code in [405, 400, 503] {
        let sessions = Arc::new(AtomicUsize::new(0));
        let server = HandMadeServer::new(move |seen| {
            let sessions = sessions.clone();
            async move {
                let session = seen.headers.get("mcp-session-id").map(|it| it.to_str().unwrap().to_owned());
                match (&*seen.what, session.as_deref()) {
                    ("POST initialize", _) => {
                        let mut response = json(&seen, "{}");
                        let name = format!("s-{}", sessions.fetch_add(1, Ordering::SeqCst) + 1);
                        response.headers_mut().insert("mcp-session-id", name.parse().unwrap());
                        response
                    }
                    ("GET", Some("s-1")) => status(code, ""),
                    ("GET", _) => events(NEWS),
                    ("POST x", Some("s-1")) => status(404, ""),
                    _ if seen.id.is_empty() => status(202, ""),
                    _ => json(&seen, "{}"),
                }
            }
        })
        .await;
        let config = HttpClientConfig { given_up_delay: HOUR, ..config(Duration::from_millis(1)) };
        let (service, mut heard) = listener();
        let connection = open(&server, config, service).await;
        server.until("GET", if code == 503 { 3 } else { 1 }).await;
        connection.peer().request_raw("x", RawParams::none()).await.unwrap();
        assert_eq!(within(heard.recv()).await.unwrap(), "notifications/x", "{code}");
    }
}

#[tokio::test]
async fn a_server_that_requests_no_wait_is_polled_no_faster() {
    let least = Duration::from_millis(20);
    for own in [false, true] {
        let times = Times::default();
        let shared = times.clone();
        let server = HandMadeServer::new(move |seen| {
            let times = shared.clone();
            async move {
                match &*seen.what {
                    "POST initialize" => json(&seen, "{}"),
                    "POST x" => events("id: e1\nretry: 0\ndata:\n\n"),
                    "GET" if times.note() == 4 && !own => {
                        events("data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":7}\n\n")
                    }
                    "GET" => events("id: e2\nretry: 0\ndata:\n\n"),
                    _ => status(202, ""),
                }
            }
        })
        .await;
        if own {
            let _connection = open(&server, config(least), echo()).await;
            server.until("GET", 4).await;
        } else {
            let connection = server.connect_with(config(least), Connection::builder(echo()));
            within(connection.peer().request_raw("x", RawParams::none())).await.unwrap();
        }
        let waits = times.waits();
        assert!(waits.len() >= 3 && waits.iter().all(|wait| *wait >= least), "{own}: {waits:?}");
    }
}

#[tokio::test]
async fn an_empty_stream_is_delayed_longer_each_time() {
    let times = Times::default();
    let shared = times.clone();
    let server = HandMadeServer::new(move |seen| {
        let times = shared.clone();
        async move {
            match &*seen.what {
                "POST initialize" => json(&seen, "{}"),
                "GET" => {
                    times.note();
                    events(": nothing\n\n")
                }
                _ => status(202, ""),
            }
        }
    })
    .await;
    let least = Duration::from_millis(5);
    let config = HttpClientConfig { max_reconnect_delay: HOUR, given_up_delay: HOUR, ..config(least) };
    let _connection = open(&server, config, echo()).await;
    // More often than a stream that fails is tried.
    server.until("GET", 5).await;
    let waits = times.waits();
    for (wait, factor) in waits.iter().zip([2, 4, 8, 16]) {
        assert!(*wait >= least * factor, "{waits:?}");
    }
}

#[tokio::test]
async fn a_short_stream_is_delayed_longer_each_time() {
    let (unreadable, news) = ("id: e2\ndata: x\n\n".to_owned(), format!("id: e2\n{NEWS}"));
    let least = Duration::from_millis(5);
    for (own, brings) in [
        (true, unreadable.clone()),
        (true, news.clone()),
        (true, NEWS.to_owned()),
        (false, unreadable),
        (false, news),
    ] {
        let (times, text) = (Times::default(), format!("retry: 1\n{brings}"));
        let shared = (times.clone(), text.clone());
        let server = HandMadeServer::new(move |seen| {
            let (times, text) = shared.clone();
            async move {
                match &*seen.what {
                    "POST initialize" => json(&seen, "{}"),
                    "POST x" => events("id: e1\nretry: 1\ndata:\n\n"),
                    "GET" => {
                        times.note();
                        events(&text)
                    }
                    _ => status(202, ""),
                }
            }
        })
        .await;
        let config = HttpClientConfig { min_reconnect_delay: least, given_up_delay: HOUR, ..config(HOUR) };
        if own {
            let _connection = open(&server, config, echo()).await;
            server.until("GET", 5).await;
        } else {
            let connection = server.connect_with(config, Connection::builder(echo()));
            let _call = connection.peer().start("x", RawParams::none()).await.unwrap();
            server.until("GET", 5).await;
        }
        for (wait, factor) in times.waits().iter().zip([1, 2, 4, 8]) {
            assert!(*wait >= least * factor, "{own} {text:?}: {:?}", times.waits());
        }
    }
}
