//! Requests over HTTP, byte for byte.

use serde_json::{Map, Value, json};
use std::{net::Ipv4Addr, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

/// The longest wait for an answer.
const PATIENCE: Duration = Duration::from_secs(30);

/// The most of an answer that is read, in bytes.
const MAX_ANSWER: u64 = 4 << 20;

/// A request over HTTP.
#[derive(Debug)]
pub(super) struct Request<'a> {
    /// The method, path and version; HTTP/1.0 if the version is left out.
    pub(super) line: &'a str,
    pub(super) headers: Vec<String>,
    pub(super) body: &'a str,
}

impl Request<'_> {
    /// Sends the request on a new connection. The answer is an object with `status`, `headers`, `text` and, if the body has JSON, `json`.
    pub(super) async fn send(&self, port: u16) -> Result<Value, String> {
        let exchange = async {
            let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await?;
            stream.write_all(self.text(port).as_bytes()).await?;
            let mut answer = Vec::new();
            stream.take(MAX_ANSWER).read_to_end(&mut answer).await?;
            Ok::<_, std::io::Error>(answer)
        };
        let answer = timeout(PATIENCE, exchange).await;
        let answer = answer.map_err(|_| format!("{} was not answered within {PATIENCE:?}", self.line))?;
        let answer = answer.map_err(|error| format!("{} failed: {error}", self.line))?;
        read(&String::from_utf8_lossy(&answer)).ok_or_else(|| format!("{} has no answer of HTTP", self.line))
    }

    fn text(&self, port: u16) -> String {
        let version = if self.line.contains(" HTTP/") { "" } else { " HTTP/1.0" };
        let mut head = format!("{}{version}\r\n", self.line);
        let has = |name: &str| {
            let named = |header: &String| header.to_ascii_lowercase().starts_with(&format!("{name}:"));
            self.headers.iter().any(named)
        };
        if !has("host") {
            head += &format!("Host: 127.0.0.1:{port}\r\n");
        }
        if !self.body.is_empty() && !has("content-type") {
            head += "Content-Type: application/json\r\n";
        }
        if !self.body.is_empty() && !has("accept") {
            head += "Accept: application/json, text/event-stream\r\n";
        }
        if !self.body.is_empty() && !has("content-length") && !has("transfer-encoding") {
            head += &format!("Content-Length: {}\r\n", self.body.len());
        }
        for header in &self.headers {
            head += &format!("{header}\r\n");
        }
        format!("{head}Connection: close\r\n\r\n{}", self.body)
    }
}

fn read(answer: &str) -> Option<Value> {
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let mut lines = head.lines();
    let status: u16 = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    let headers: Map<String, Value> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().into()))
        .collect();
    // The answer is the last message of a stream.
    let last = body.lines().filter_map(|line| line.strip_prefix("data:")).next_back().unwrap_or(body);
    let json: Value = serde_json::from_str(last.trim()).unwrap_or_default();
    Some(json!({ "status": status, "headers": headers, "text": body, "json": json }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_as_json_and_as_a_stream() {
        let answer = read("HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n{\"a\":1}").unwrap();
        assert_eq!((&answer["status"], &answer["json"]["a"]), (&json!(200), &json!(1)));
        assert_eq!(answer["headers"]["content-type"], "application/json");
        let events = "HTTP/1.1 200 OK\r\n\r\nid: 1\ndata: {\"a\":1}\n\ndata: {\"a\":2}\n\n";
        assert_eq!(read(events).unwrap()["json"]["a"], 2);
        assert_eq!(read("HTTP/1.1 204 No Content\r\n\r\n").unwrap()["json"], Value::Null);
        assert_eq!(read("nothing"), None);
    }
}
