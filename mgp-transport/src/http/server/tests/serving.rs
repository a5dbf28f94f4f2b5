//! Binding an address, and stopping.

use super::Rig;
use crate::{
    http::server::{ApiKey, HttpServer, HttpServerBuilder, ReplyForm, ServeError},
    seam::{BoxError, Incoming, Reply, Session, boxed},
};
use mgp_types::context::Principal;
use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
    },
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use xtask_testing::until;

const BODY: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize"}"#;

async fn raw(address: SocketAddr, host: &str, rest: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {host}\r\nAccept: */*\r\nContent-Type: application/json\r\n{rest}"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream
}

async fn answer(mut stream: TcpStream) -> String {
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    text
}

#[tokio::test]
async fn a_public_address_needs_keys_or_explicit_permission() {
    let anywhere = "0.0.0.0:0";
    let refused = Rig::new(|b| b).server.bind(anywhere).await;
    let Err(error @ ServeError::OpenToAll(_)) = refused else { panic!("bound to {anywhere}") };
    assert!(error.to_string().contains("neither an API key nor a token is required"), "{error}");
    let key = ApiKey::of("k");
    for rig in [Rig::new(|b| b.api_key(key, Principal::agent("a"))), Rig::new(HttpServerBuilder::open_to_all)]
    {
        // Bound and dropped at once: nothing is asked of it.
        drop(rig.server.bind(anywhere).await.unwrap());
    }
    drop(Rig::new(|b| b).server.bind("127.0.0.1:0").await.unwrap());
}

#[tokio::test]
async fn an_address_in_use_is_named() {
    let rig = Rig::new(|b| b);
    let serving = rig.server.bind("127.0.0.1:0").await.unwrap();
    let address = serving.address();
    let error = Rig::new(|b| b).server.bind(address).await.map(drop).unwrap_err();
    let told = error.to_string();
    assert!(told.starts_with(&format!("failed to bind {address}: Address already in use")), "{told}");
    assert_eq!(format!("{error:?}"), told);
}

#[tokio::test]
async fn a_raw_request_is_answered_unless_its_host_is_foreign() {
    let rig = Rig::new(|b| b);
    let serving = rig.server.bind("127.0.0.1:0").await.unwrap();
    let rest = format!("Connection: close\r\nContent-Length: {}\r\n\r\n{BODY}", BODY.len());
    let good = answer(raw(serving.address(), "localhost", &rest).await).await;
    assert!(
        good.starts_with("HTTP/1.1 200 OK") && good.to_lowercase().contains("mcp-session-id: "),
        "{good}"
    );
    let evil = answer(raw(serving.address(), "evil.example", &rest).await).await;
    assert!(evil.starts_with("HTTP/1.1 403 Forbidden"), "{evil}");
    serving.shutdown().await;
}

#[tokio::test]
async fn the_health_path_reports_if_calls_are_accepted() {
    let (_, key) = ApiKey::generate().unwrap();
    let rig = Rig::new(|b| b.api_key(key, Principal::agent("a")));
    let serving = rig.server.bind("127.0.0.1:0").await.unwrap();
    let probe = async || {
        let mut stream = TcpStream::connect(serving.address()).await.unwrap();
        let head = "GET /health HTTP/1.1\r\nHost: 10.1.2.3:80\r\nConnection: close\r\n\r\n";
        stream.write_all(head.as_bytes()).await.unwrap();
        answer(stream).await
    };
    let taken = probe().await;
    assert!(taken.starts_with("HTTP/1.1 200 OK") && taken.ends_with(r#"{"status":"ok"}"#), "{taken}");
    rig.server.drain().await;
    let drained = probe().await;
    assert!(
        drained.starts_with("HTTP/1.1 503") && drained.ends_with(r#"{"status":"draining"}"#),
        "{drained}"
    );
}

/// Returns the answer to a GET request, as a balancer sends it.
async fn probe(address: SocketAddr, path: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let head = format!("GET {path} HTTP/1.1\r\nHost: 10.1.2.3:80\r\nConnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).await.unwrap();
    answer(stream).await
}

#[tokio::test]
async fn only_a_server_that_can_serve_calls_is_ready() {
    let is_up = Arc::new(AtomicBool::new(false));
    let checked = is_up.clone();
    let rig = Rig::new(|builder| {
        builder.ready_when(move || {
            let is_up = checked.load(SeqCst);
            async move { if is_up { Ok(()) } else { Err("a secret reason".to_owned()) } }
        })
    });
    let serving = rig.server.bind("127.0.0.1:0").await.unwrap();
    let probe = async |path: &str| probe(serving.address(), path).await;
    let unready = probe("/readyz").await;
    assert!(unready.starts_with("HTTP/1.1 503") && unready.ends_with(r#"{"status":"unready"}"#), "{unready}");
    assert!(probe("/livez").await.starts_with("HTTP/1.1 200"));
    assert!(probe("/health").await.starts_with("HTTP/1.1 200"));
    is_up.store(true, SeqCst);
    assert!(probe("/readyz").await.starts_with("HTTP/1.1 200"));
    rig.server.drain().await;
    let drained = probe("/readyz").await;
    assert!(
        drained.starts_with("HTTP/1.1 503") && drained.ends_with(r#"{"status":"draining"}"#),
        "{drained}"
    );
    assert!(probe("/livez").await.starts_with("HTTP/1.1 200"));
}

#[tokio::test]
async fn an_announced_shutdown_refuses_no_call_yet() {
    let rig = Rig::with_config(|config| config.shutdown_delay = Duration::from_secs(3600));
    let serving = rig.server.bind("127.0.0.1:0").await.unwrap();
    let probe = async |path: &str| probe(serving.address(), path).await;
    assert!(probe("/readyz").await.starts_with("HTTP/1.1 200"));
    tokio::select! {
        biased;
        () = serving.announce_shutdown() => panic!("the delay has not passed"),
        () = std::future::ready(()) => {}
    }
    let unready = probe("/readyz").await;
    assert!(
        unready.starts_with("HTTP/1.1 503") && unready.ends_with(r#"{"status":"draining"}"#),
        "{unready}"
    );
    assert!(probe("/health").await.starts_with("HTTP/1.1 200"));
    let session = rig.open().await;
    let called = rig.call(&session, r#"{"jsonrpc":"2.0","id":1,"method":"echo","params":{}}"#).await;
    assert!(called.status().is_success());
}

#[tokio::test]
async fn an_endpoint_at_the_health_path_keeps_it() {
    let rig = Rig::new(|b| b.path("/health"));
    let serving = rig.server.bind("127.0.0.1:0").await.unwrap();
    let rest = format!("Connection: close\r\nContent-Length: {}\r\n\r\n{BODY}", BODY.len());
    let mut stream = TcpStream::connect(serving.address()).await.unwrap();
    let head = "POST /health HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
    stream.write_all(format!("{head}{rest}").as_bytes()).await.unwrap();
    let opened = answer(stream).await;
    assert!(opened.starts_with("HTTP/1.1 200 OK"), "{opened}");
}

#[tokio::test]
async fn a_taken_or_invalid_path_is_refused_by_name() {
    let empty = tower::service_fn(|_: Incoming| async { Ok::<_, BoxError>(Reply::none()) });
    let builder = || HttpServer::builder(move |_: &Session| (boxed(empty), None));
    for (server, path) in [
        (builder().rest().path("/tools"), "/tools"),
        (builder().path("/openapi.json").rest(), "/openapi.json"),
        (builder().rest().http_sse("/tools"), "/tools"),
        (builder().path("/sse").http_sse("/sse"), "/sse"),
        (builder().path("/messages").http_sse("/sse"), "/messages"),
        (builder().path("mcp"), "mcp"),
        (builder().path("/{mcp}"), "/{mcp}"),
        (builder().path("/a/:b"), "/a/:b"),
    ] {
        let error = server.build().bind("127.0.0.1:0").await.map(drop).unwrap_err();
        assert!(matches!(error, ServeError::Path { .. }), "{error}");
        assert!(error.to_string().starts_with(&format!("refused to serve {path:?}: expected ")), "{error}");
    }
    // The other form of each path is that of REST.
    for server in [builder().rest().path("/tools/"), builder().path("/openapi.json/").rest()] {
        server.build().bind("127.0.0.1:0").await.unwrap().shutdown().await;
    }
    builder().path("/tools").build().bind("127.0.0.1:0").await.unwrap().shutdown().await;
}

#[tokio::test]
async fn a_body_with_two_lengths_is_refused_with_all_after_it() {
    let rig = Rig::new(|b| b);
    let serving = rig.server.bind("127.0.0.1:0").await.unwrap();
    let chunked = format!("{:x}\r\n{BODY}\r\n0\r\n\r\n", BODY.len());
    let smuggled =
        format!("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n{BODY}", BODY.len());
    for lengths in [
        format!("Content-Length: {}\r\nTransfer-Encoding: chunked", chunked.len()),
        "Transfer-Encoding: chunked\r\nContent-Length: 3".to_owned(),
    ] {
        let rest = format!("{lengths}\r\n\r\n{chunked}{smuggled}");
        let refused = answer(raw(serving.address(), "localhost", &rest).await).await;
        assert!(refused.starts_with("HTTP/1.1 400") && refused.contains("expected one of them"), "{refused}");
        assert_eq!(refused.matches("HTTP/1.1").count(), 1, "{refused}");
    }
    // A body in chunks alone is as good as any.
    let rest = format!("Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n{chunked}");
    let good = answer(raw(serving.address(), "localhost", &rest).await).await;
    assert!(good.starts_with("HTTP/1.1 200 OK"), "{good}");
    serving.shutdown().await;
}

#[tokio::test]
async fn two_lengths_are_refused_after_a_pipelined_request() {
    let denials = Arc::new(AtomicUsize::new(0));
    let counted = denials.clone();
    let rig = Rig::new(|b| {
        b.on_denial(move |_| {
            counted.fetch_add(1, SeqCst);
        })
    });
    let serving = rig.server.bind("127.0.0.1:0").await.unwrap();
    let two = "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
    let behind =
        format!("Content-Length: {}\r\n\r\n{BODY}POST /mcp HTTP/1.1\r\nHost: localhost\r\n{two}", BODY.len());
    let both = answer(raw(serving.address(), "localhost", &behind).await).await;
    assert!(both.starts_with("HTTP/1.1 200 OK") && both.contains("HTTP/1.1 400"), "{both}");
    assert!(both.contains("expected one of them"), "{both}");
    for path in ["/health", "/.well-known/oauth-protected-resource", "/docs", "/none"] {
        let mut stream = TcpStream::connect(serving.address()).await.unwrap();
        stream
            .write_all(format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n{two}").as_bytes())
            .await
            .unwrap();
        let refused = answer(stream).await;
        assert!(refused.starts_with("HTTP/1.1 400") && refused.contains("expected one of them"), "{refused}");
    }
    assert_eq!(denials.load(SeqCst), 5);
    serving.shutdown().await;
}

#[tokio::test]
async fn unlimited_times_are_served_like_any_other() {
    let rig = Rig::with_config(|config| {
        for time in [
            &mut config.read_timeout,
            &mut config.authenticate_timeout,
            &mut config.write_timeout,
            &mut config.idle_timeout,
            &mut config.json_timeout,
            &mut config.resume.timeout,
            &mut config.idle_connection_timeout,
            &mut config.drain_timeout,
            &mut config.session.write_timeout,
        ] {
            *time = Duration::MAX;
        }
        config.reply_form = ReplyForm::Stream;
        config.keep_alive = Some(Duration::MAX);
        (config.resume.retry, config.resume.poll_after) = (Some(Duration::MAX), Some(Duration::MAX));
    });
    let serving = rig.server.bind("127.0.0.1:0").await.unwrap();
    let rest = format!("Connection: close\r\nContent-Length: {}\r\n\r\n{BODY}", BODY.len());
    let good = answer(raw(serving.address(), "localhost", &rest).await).await;
    assert!(good.starts_with("HTTP/1.1 200 OK") && good.contains("data: "), "{good}");
    serving.shutdown().await;
}

#[tokio::test]
async fn shutting_down_waits_for_calls_and_accepts_no_new_ones() {
    let rig = Rig::new(|b| b);
    let serving = rig.server.bind("127.0.0.1:0").await.unwrap();
    let address = serving.address();
    let session = rig.open().await;
    let wait = r#"{"jsonrpc":"2.0","id":1,"method":"wait"}"#;
    let rest = format!(
        "Connection: close\r\nMcp-Session-Id: {session}\r\nContent-Length: {}\r\n\r\n{wait}",
        wait.len()
    );
    let call = raw(address, "localhost", &rest).await;
    rig.probe.begun.notified().await;
    let shutdown = tokio::spawn(serving.shutdown());
    until(|| rig.server.0.draining.load(SeqCst)).await;
    let refused = answer(raw(address, "localhost", &rest).await).await;
    assert!(refused.starts_with("HTTP/1.1 503"), "{refused}");
    rig.probe.gate.notify_one();
    let text = answer(call).await;
    assert!(text.contains(r#""result":"waited""#), "{text}");
    shutdown.await.unwrap();
    assert_eq!(rig.server.sessions(), 0);
    assert!(TcpStream::connect(address).await.is_err());
}
