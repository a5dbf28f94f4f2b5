//! A server by hand, over byte streams, which answers by a function and records the messages that it reads.

use crate::support::within;
use mgp_client_sdk::{
    EraChoice,
    client::{Client, ClientBuilder, ClientError},
};
use mgp_transport::memory;
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use xtask_testing::until_some;

/// The messages that a server has read.
#[derive(Clone, Default)]
pub(crate) struct Lines(Arc<Mutex<Vec<Value>>>);

impl Lines {
    pub(crate) fn all(&self) -> Vec<Value> {
        self.0.lock().clone()
    }

    /// Returns the methods in order.
    pub(crate) fn methods(&self) -> Vec<String> {
        let method = |line: &Value| line["method"].as_str().map(str::to_owned);
        self.all().iter().filter_map(method).collect()
    }

    /// Returns the messages of a method.
    pub(crate) fn of(&self, method: &str) -> Vec<Value> {
        self.all().into_iter().filter(|line| line["method"] == method).collect()
    }

    pub(crate) fn push(&self, line: Value) {
        self.0.lock().push(line);
    }

    /// Waits for `count` messages of a method.
    #[track_caller]
    pub(crate) fn wait_for(&self, method: &str, count: usize) -> impl Future<Output = Vec<Value>> {
        until_some(async move || Some(self.of(method)).filter(|messages| messages.len() >= count))
    }
}

/// A function from a message that a server reads to the messages that it writes, in order. The answer to a request leaves out its id.
pub(crate) type Script = Arc<dyn Fn(&Value) -> Vec<Value> + Send + Sync>;

pub(crate) fn result(result: Value) -> Vec<Value> {
    vec![Value::Object([("result".to_owned(), result)].into_iter().collect())]
}

pub(crate) fn error(code: i64, message: &str) -> Vec<Value> {
    vec![json!({"error": {"code": code, "message": message}})]
}

/// Returns the answer of a plain server to `initialize` or `server/discover`, and `None` for any other message.
pub(crate) fn plain(line: &Value, capabilities: &Value) -> Option<Vec<Value>> {
    match line["method"].as_str()? {
        "initialize" => Some(result(json!({
            "protocolVersion": "2025-11-25", "capabilities": capabilities,
            "serverInfo": {"name": "plain", "version": "1"}
        }))),
        "server/discover" => Some(result(json!({
            "resultType": "complete", "ttlMs": 0, "cacheScope": "private",
            "supportedVersions": ["2026-07-28"], "capabilities": capabilities
        }))),
        _ => None,
    }
}

/// Starts a server by hand. Returns the client's end of the connection, and the record of the messages that the server reads.
pub(crate) fn start(script: Script) -> (memory::End, Lines) {
    let (here, (input, mut output)) = memory::pair();
    let lines = Lines::default();
    let kept = lines.clone();
    tokio::spawn(async move {
        let mut read = BufReader::new(input).lines();
        while let Ok(Some(line)) = read.next_line().await {
            let line: Value = serde_json::from_str(&line).unwrap();
            kept.push(line.clone());
            for mut message in script(&line) {
                message["jsonrpc"] = json!("2.0");
                if message.get("method").is_none() {
                    message["id"] = line["id"].clone();
                }
                if output.write_all(format!("{message}\n").as_bytes()).await.is_err() {
                    return;
                }
            }
        }
    });
    (here, lines)
}

/// Connects a client to a server by hand.
pub(crate) async fn connect(
    script: Script,
    builder: ClientBuilder,
    choice: EraChoice,
) -> (Result<Client, ClientError>, Lines) {
    let ((input, output), lines) = start(script);
    (within(builder.era(choice).connect(input, output)).await, lines)
}
