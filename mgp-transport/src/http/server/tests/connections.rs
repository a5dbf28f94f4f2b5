//! TCP connections of strangers take no place from those who may call.

use super::Rig;
use crate::http::server::{
    ApiKey, HttpServerConfig,
    connections::{Connections, Limits},
    listener,
};
use mgp_types::context::Principal;
use std::{net::SocketAddr, time::Duration};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWriteExt, DuplexStream},
    net::TcpStream,
    task::JoinHandle,
    time::{Instant, sleep},
};

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
    const BODY: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize"}"#;
    let length = BODY.len();
    format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-API-Key: {key}\r\nAccept: */*\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{BODY}"
    )
}

/// The status line of what comes next on a connection.
async fn status(stream: &mut (impl AsyncRead + Unpin)) -> String {
    let mut text = String::new();
    while !text.contains("\r\n") {
        let mut part = [0; 1000];
        let n = tokio::time::timeout(Duration::from_secs(20), stream.read(&mut part))
            .await
            .expect("an answer")
            .unwrap();
        assert!(n > 0, "closed after {text:?}");
        text.push_str(std::str::from_utf8(&part[..n]).unwrap());
    }
    text.lines().next().unwrap().to_owned()
}

#[tokio::test]
async fn callers_get_in_while_strangers_hold_all_the_connections_that_they_can() {
    let serving = rig().server.bind("127.0.0.1:0").await.unwrap();
    let mut strangers = Vec::new();
    for _ in 0..20 {
        strangers.push(stranger(serving.address()).await);
    }
    let mut caller = TcpStream::connect(serving.address()).await.unwrap();
    caller.write_all(request("key").as_bytes()).await.unwrap();
    assert_eq!(status(&mut caller).await, "HTTP/1.1 200 OK");
    // And stay, however many more come.
    for _ in 0..20 {
        strangers.push(stranger(serving.address()).await);
    }
    caller.write_all(request("key").as_bytes()).await.unwrap();
    assert_eq!(status(&mut caller).await, "HTTP/1.1 200 OK");
    serving.shutdown().await;
}

/// A connection in memory, and the task that serves it.
fn connection(rig: &Rig) -> (DuplexStream, JoinHandle<()>) {
    let (far, near) = tokio::io::duplex(4096);
    let (place, end) = Connections::new(Limits::of(&rig.server.0.config)).admit();
    (far, tokio::spawn(listener::serve(near, rig.server.router(), place, end)))
}

#[tokio::test(start_paused = true)]
async fn a_head_has_a_deadline_whatever_comes_of_it_meanwhile() {
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
async fn a_connection_may_be_idle_for_longer_once_a_request_has_authenticated() {
    for (key, expected, seconds) in [("wrong", "401 Unauthorized", 10), ("key", "200 OK", 60)] {
        let rig = rig();
        let (mut far, served) = connection(&rig);
        sleep(Duration::from_secs(9)).await;
        far.write_all(request(key).as_bytes()).await.unwrap();
        assert_eq!(status(&mut far).await, format!("HTTP/1.1 {expected}"));
        let answered = Instant::now();
        served.await.unwrap();
        assert_eq!(answered.elapsed().as_secs(), seconds, "{key}");
    }
}
