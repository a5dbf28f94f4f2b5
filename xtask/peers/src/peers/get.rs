//! Reads pages over plain HTTP.

use std::net::Ipv4Addr;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// Reads the page at a path of a program of this machine.
pub(crate) async fn get(port: u16, path: &str) -> Result<String, String> {
    let failed = |error: std::io::Error| format!("failed to read {path}: {error}");
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await.map_err(failed)?;
    let request = format!("GET {path} HTTP/1.0\r\nHost: 127.0.0.1:{port}\r\n\r\n");
    stream.write_all(request.as_bytes()).await.map_err(failed)?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.map_err(failed)?;
    match answer.split_once("\r\n\r\n") {
        Some((head, body)) if head.lines().next().is_some_and(|status| status.contains(" 200 ")) => {
            Ok(body.to_owned())
        }
        _ => Err(format!("the answer of {path} is {answer:?}")),
    }
}
