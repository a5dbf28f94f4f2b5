//! TCP connections of strangers, which take no place from authenticated callers.

use super::Rig;
use crate::{
    http::server::{
        ApiKey, HttpServerConfig,
        limits::{Connections, Limits},
        listener,
    },
    seam::{Authenticate, Authentication, CredentialError, ResourceMetadata},
};
use async_trait::async_trait;
use http::HeaderMap;
use mgp_types::context::Principal;
use std::{net::SocketAddr, sync::Arc, time::Duration};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWriteExt, DuplexStream},
    net::TcpStream,
    sync::Notify,
    task::JoinHandle,
    time::{Instant, sleep},
};
use xtask_testing::{until_some, within};

const HALF_A_HEAD: &[u8] = b"POST /mcp HTTP/1.1\r\nHost: loc";

async fn stranger(address: SocketAddr) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(HALF_A_HEAD).await.unwrap();
    stream
}

fn rig() -> Rig {
    Rig::new(|builder| {
        builder
            .api_key(ApiKey::of("key"), Principal::agent("a"))
            .config(HttpServerConfig { connections: 8, ..HttpServerConfig::default() })
    })
}

fn request(key: &str) -> String {
    post(&format!("X-API-Key: {key}"), r#"{"jsonrpc":"2.0","id":0,"method":"initialize"}"#)
}

fn post(headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\n{headers}\r\nAccept: */*\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    )
}

/// Reads the status line of the next response on a connection.
async fn status(stream: &mut (impl AsyncRead + Unpin)) -> String {
    head(stream).await.lines().next().unwrap().to_owned()
}

/// The head of what comes next on a connection.
async fn head(stream: &mut (impl AsyncRead + Unpin)) -> String {
    let mut text = String::new();
    while !text.contains("\r\n\r\n") {
        let mut part = [0; 1000];
        let n = within(stream.read(&mut part)).await.unwrap();
        assert!(n > 0, "closed after {text:?}");
        text.push_str(std::str::from_utf8(&part[..n]).unwrap());
    }
    text.to_lowercase()
}

#[tokio::test]
async fn callers_are_admitted_while_strangers_hold_their_maximum() {
    let serving = rig().server.bind("127.0.0.1:0").await.unwrap();
    let mut strangers = Vec::new();
    for _ in 0..20 {
        strangers.push(stranger(serving.address()).await);
    }
    let mut caller = TcpStream::connect(serving.address()).await.unwrap();
    caller.write_all(request("key").as_bytes()).await.unwrap();
    assert_eq!(status(&mut caller).await, "http/1.1 200 ok");
    // And stay, however many more come.
    for _ in 0..20 {
        strangers.push(stranger(serving.address()).await);
    }
    caller.write_all(request("key").as_bytes()).await.unwrap();
    assert_eq!(status(&mut caller).await, "http/1.1 200 ok");
    serving.shutdown().await;
}

/// Returns a connection in memory, and the task that serves it.
fn connection(rig: &Rig) -> (DuplexStream, JoinHandle<()>) {
    let (far, near) = tokio::io::duplex(4096);
    let (place, end) = Connections::new(Limits::of(&rig.server.0.config, false)).admit();
    (far, tokio::spawn(listener::serve(near, (rig.server.router(), None), place, end)))
}

#[tokio::test(start_paused = true)]
async fn a_header_has_a_deadline_whatever_happens_meanwhile() {
    let (start, rig) = (Instant::now(), rig());
    let (mut far, served) = connection(&rig);
    let drip = tokio::spawn(async move {
        for byte in HALF_A_HEAD.iter().cycle() {
            sleep(Duration::from_secs(1)).await;
            if far.write_all(&[*byte]).await.is_err() {
                return;
            }
        }
    });
    served.await.unwrap();
    assert_eq!(start.elapsed().as_secs(), 10);
    drip.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_authenticated_connection_may_be_idle_for_longer() {
    for (key, expected, seconds) in [("wrong", "401 unauthorized", 10), ("key", "200 ok", 60)] {
        let rig = rig();
        let (mut far, served) = connection(&rig);
        sleep(Duration::from_secs(9)).await;
        far.write_all(request(key).as_bytes()).await.unwrap();
        assert_eq!(status(&mut far).await, format!("http/1.1 {expected}"));
        let answered = Instant::now();
        served.await.unwrap();
        assert_eq!(answered.elapsed().as_secs(), seconds, "{key}");
    }
}

/// A judge of the token `slow` when the test says so, and all others at once.
#[derive(Debug, Default)]
struct Judge {
    begun: Notify,
    gate: Notify,
}

#[async_trait]
impl Authenticate for Judge {
    async fn authenticate(&self, headers: &HeaderMap, _: &str) -> Result<Authentication, CredentialError> {
        if headers.get("authorization").is_some_and(|value| value == "Bearer slow") {
            self.begun.notify_one();
            self.gate.notified().await;
        }
        Ok(Authentication::new(Principal::agent("a")))
    }

    fn check(&self, _: &Authentication, _: &str, _: Option<&str>) -> Result<(), CredentialError> {
        Ok(())
    }

    fn metadata(&self) -> ResourceMetadata {
        ResourceMetadata::default()
    }
}

fn token(name: &str) -> String {
    post(&format!("Authorization: Bearer {name}"), r#"{"jsonrpc":"2.0","id":0,"method":"initialize"}"#)
}

async fn send(address: SocketAddr, request: &str) -> TcpStream {
    let mut caller = TcpStream::connect(address).await.unwrap();
    caller.write_all(request.as_bytes()).await.unwrap();
    caller
}

/// A rig whose callers come with tokens, four of its connections unauthenticated ones.
fn judged(judge: &Arc<Judge>) -> Rig {
    Rig::new(|builder| {
        let authenticate_timeout = Duration::from_secs(120);
        let config =
            HttpServerConfig { connections: 16, authenticate_timeout, ..HttpServerConfig::default() };
        builder.authenticate(judge.clone()).config(config)
    })
}

#[tokio::test]
async fn a_request_under_judgement_is_not_evicted_for_strangers() {
    let judge = Arc::new(Judge::default());
    let serving = judged(&judge).server.bind("127.0.0.1:0").await.unwrap();
    let mut caller = send(serving.address(), &token("slow")).await;
    judge.begun.notified().await;
    let mut strangers = Vec::new();
    for _ in 0..20 {
        strangers.push(stranger(serving.address()).await);
    }
    // It is served after all of them were taken.
    let mut last = send(serving.address(), &token("quick")).await;
    assert_eq!(status(&mut last).await, "http/1.1 200 ok");
    judge.gate.notify_one();
    assert_eq!(status(&mut caller).await, "http/1.1 200 ok");
    serving.shutdown().await;
}

#[tokio::test]
async fn strangers_tokens_under_judgement_are_bounded() {
    let judge = Arc::new(Judge::default());
    let serving = judged(&judge).server.bind("127.0.0.1:0").await.unwrap();
    let mut callers = Vec::new();
    for _ in 0..2 {
        callers.push(send(serving.address(), &token("slow")).await);
        judge.begun.notified().await;
    }
    let refused = head(&mut send(serving.address(), &token("slow")).await).await;
    assert!(refused.starts_with("http/1.1 503") && refused.contains("retry-after: 1\r\n"), "{refused}");
    // A token that is judged at once needs no such place, and neither does one on a connection that has authenticated.
    let mut other = send(serving.address(), &token("quick")).await;
    assert_eq!(status(&mut other).await, "http/1.1 200 ok");
    other.write_all(token("slow").as_bytes()).await.unwrap();
    judge.begun.notified().await;
    callers.push(other);
    for mut caller in callers {
        judge.gate.notify_one();
        assert_eq!(status(&mut caller).await, "http/1.1 200 ok");
    }
    serving.shutdown().await;
}

#[tokio::test]
async fn one_caller_cannot_take_all_connections_from_another() {
    let rig = Rig::new(|builder| {
        builder
            .api_key(ApiKey::of("alice"), Principal::agent("alice"))
            .api_key(ApiKey::of("bob"), Principal::agent("bob"))
            .config(HttpServerConfig { connections: 8, ..HttpServerConfig::default() })
    });
    let meta = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
    let wait = |key: &str| {
        let headers = format!("X-API-Key: {key}\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: wait");
        post(&headers, &format!(r#"{{"jsonrpc":"2.0","id":1,"method":"wait","params":{{"_meta":{meta}}}}}"#))
    };
    let serving = rig.server.bind("127.0.0.1:0").await.unwrap();
    // Six places are for those who authenticated, a quarter of them for each.
    let mut of_alice = Vec::new();
    for _ in 0..2 {
        of_alice.push(send(serving.address(), &wait("alice")).await);
        rig.probe.begun.notified().await;
    }
    let refused = head(&mut send(serving.address(), &wait("alice")).await).await;
    assert!(refused.starts_with("http/1.1 429") && refused.contains("retry-after: 1\r\n"), "{refused}");
    let mut of_bob = send(serving.address(), &request("bob")).await;
    assert_eq!(status(&mut of_bob).await, "http/1.1 200 ok");
    // A connection belongs to whoever used it last, such as one of a proxy.
    of_bob.write_all(request("alice").as_bytes()).await.unwrap();
    assert!(status(&mut of_bob).await.starts_with("http/1.1 429"));
    // An idle one makes room for another one of the same caller.
    rig.probe.gate.notify_one();
    assert_eq!(status(&mut of_alice[0]).await, "http/1.1 200 ok");
    until_some(async || {
        let mut next = send(serving.address(), &request("alice")).await;
        status(&mut next).await.ends_with("200 ok").then_some(())
    })
    .await;
    drop(of_alice);
    serving.shutdown().await;
}
