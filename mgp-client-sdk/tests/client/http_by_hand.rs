//! An HTTP server by hand: one answer for each request, then the connection is closed.

use crate::scripted::Lines;
use crate::support::within;
use mgp_client_sdk::{
    HttpClientConfig,
    client::{Client, ClientBuilder, ClientError},
};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
};

/// The status, content type and body of an answer; `None` keeps the client waiting, and the status 0 closes the connection without an answer.
pub(crate) type Answer = Option<(u16, &'static str, String)>;

/// An answer to a request: its message, whose member `headers` holds the headers.
pub(crate) type Script = Arc<dyn Fn(&Value) -> Answer + Send + Sync>;

pub(crate) fn json_body(mut message: Value, request: &Value) -> Answer {
    message["jsonrpc"] = json!("2.0");
    message["id"] = request["id"].clone();
    Some((200, "application/json", message.to_string()))
}

/// Serves on a port of its own. Returns the URL, and the record of the messages that are posted.
pub(crate) async fn serve(script: Script) -> (String, Lines) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let lines = Lines::default();
    let kept = lines.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(one(stream, script.clone(), kept.clone()));
        }
    });
    (url, lines)
}

async fn one(stream: TcpStream, script: Script, lines: Lines) {
    let mut stream = BufReader::new(stream);
    let (mut headers, mut first) = (serde_json::Map::new(), None);
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await.unwrap_or_default() == 0 {
            return;
        }
        match line.trim_end().split_once(": ") {
            Some((name, value)) => drop(headers.insert(name.to_lowercase(), json!(value))),
            None if line.trim_end().is_empty() => break,
            None => drop(first.get_or_insert(line)),
        }
    }
    let is_post = first.is_some_and(|line| line.starts_with("POST "));
    let mut answer = Some((405, "text/plain", String::new()));
    if is_post {
        let length = headers["content-length"].as_str().unwrap().parse().unwrap();
        let mut body = vec![0; length];
        stream.read_exact(&mut body).await.unwrap();
        let mut message: Value = serde_json::from_slice(&body).unwrap();
        message["headers"] = Value::Object(headers);
        lines.push(message.clone());
        answer = script(&message);
    }
    let Some((status, content_type, body)) = answer else { return std::future::pending().await };
    if status == 0 {
        return;
    }
    let head = format!("HTTP/1.1 {status} X\r\nContent-Type: {content_type}\r\nConnection: close\r\n\r\n");
    let _ = stream.write_all(format!("{head}{body}").as_bytes()).await;
}

/// Connects a client to a server by hand.
pub(crate) async fn connect(script: Script, builder: ClientBuilder) -> (Result<Client, ClientError>, Lines) {
    let (url, lines) = serve(script).await;
    (within(builder.connect_http(&url, HttpClientConfig::default())).await, lines)
}
