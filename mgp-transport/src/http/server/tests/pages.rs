//! A page on an address of its own.

use crate::http::server::{ServeError, TextPage};
use std::net::SocketAddr;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use xtask_testing::{until_some, within};

const LOOPBACK: &str = "127.0.0.1:0";

fn page() -> TextPage {
    TextPage::new("/metrics", "text/plain; version=0.0.4", || "up 1\n".to_owned())
}

fn address(text: &str) -> SocketAddr {
    text.parse().unwrap()
}

/// Returns the whole answer to a request.
async fn ask(address: SocketAddr, request_line: &str, headers: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("{request_line} HTTP/1.1\r\n{headers}Connection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    within(stream.read_to_string(&mut answer)).await.unwrap();
    answer
}

#[tokio::test]
async fn a_page_is_served_only_at_its_path() {
    let serving = page().bind(address(LOOPBACK)).await.unwrap();
    let at = serving.address();
    assert_eq!(serving.url(), format!("http://{at}/metrics"));
    let answer = ask(at, "GET /metrics", "Host: localhost\r\n").await;
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("\r\n\r\nup 1\n"), "{answer}");
    assert!(answer.contains("content-type: text/plain; version=0.0.4\r\n"), "{answer}");
    for (line, status) in [("GET /", "404"), ("GET /metrics/", "404"), ("POST /metrics", "405")] {
        let answer = ask(at, line, "Host: localhost\r\n").await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{line}: {answer}");
    }
}

#[tokio::test]
async fn a_web_page_cannot_read_it_through_its_own_host_name() {
    let serving = page().bind(address(LOOPBACK)).await.unwrap();
    for headers in [
        "Host: evil.example\r\n",
        "Host: localhost\r\nOrigin: http://evil.example\r\n",
        "Host: localhost\r\nHost: evil.example\r\n",
    ] {
        let answer = ask(serving.address(), "GET /metrics", headers).await;
        assert!(answer.starts_with("HTTP/1.1 40") && !answer.contains("up 1"), "{headers}: {answer}");
    }
}

#[tokio::test]
async fn only_an_open_page_is_reachable_by_others() {
    let everywhere = address("0.0.0.0:0");
    let error = page().bind(everywhere).await.unwrap_err();
    assert!(matches!(error, ServeError::OpenPage(_)), "{error}");
    let serving = page().open_to_all().bind(everywhere).await.unwrap();
    let at = SocketAddr::from(([127, 0, 0, 1], serving.address().port()));
    let answer = ask(at, "GET /metrics", "Host: gateway.example\r\n").await;
    assert!(answer.ends_with("up 1\n"), "{answer}");
}

#[tokio::test]
async fn silent_connections_are_evicted_for_one_that_asks() {
    let serving = page().bind(address(LOOPBACK)).await.unwrap();
    let at = serving.address();
    let mut silent = Vec::new();
    for _ in 0..40 {
        silent.push(TcpStream::connect(at).await.unwrap());
    }
    assert!(ask(at, "GET /metrics", "Host: localhost\r\n").await.ends_with("up 1\n"));
}

#[tokio::test]
async fn a_taken_address_is_named_and_a_dropped_page_frees_its_own() {
    let serving = page().bind(address(LOOPBACK)).await.unwrap();
    let taken = serving.address();
    let error = page().bind(taken).await.unwrap_err().to_string();
    assert!(error.contains(&taken.to_string()), "{error}");
    drop(serving);
    until_some(async || page().bind(taken).await.ok()).await;
}
