//! A server that speaks in lines, in either era, as a test says, and keeps every message that it read.

use crate::support::within;
use mgp_kernel::{Endpoint, Era, EraChoice, InProcess, ServerSpec};
use mgp_transport::memory;
use mgp_types::access::DefaultPolicy;
use parking_lot::Mutex;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    sync::{Notify, mpsc},
};

/// A function from a message to the answers of a server; `None` for the default answers.
type Script = dyn Fn(&Value) -> Option<Vec<Value>> + Send + Sync;

/// A character that servers write as half of another one, which a [`Value`] cannot hold.
pub(crate) const HALF: char = '\u{e000}';

/// A server that speaks in lines. Clones share the same server.
#[derive(Clone)]
pub(crate) struct RawServer(Arc<Inner>);

struct Inner {
    era: Era,
    capabilities: Value,
    script: Box<Script>,
    read: Mutex<Vec<Value>>,
    /// Notified when a message was read.
    more: Notify,
    /// The channel to the host on the latest connection.
    to_host: Mutex<Option<mpsc::UnboundedSender<Value>>>,
    /// Notified when the server is to hang up.
    hang_up: Notify,
    /// The predicate of the messages on which the server hangs up.
    hangs_up: Box<dyn Fn(&Value) -> bool + Send + Sync>,
}

/// Returns the spec of a server that lists these tools, and which everybody may use.
pub(crate) fn listing(id: &str, tools: Value) -> ServerSpec {
    let server = RawServer::new(Era::Initialize, json!({"tools": {}}), move |message| {
        (message["method"] == "tools/list").then(|| vec![result(message, json!({"tools": tools}))])
    });
    server.spec(id)
}

/// Returns the spec of a server with a tool that takes more tokens than the meta-tools, so that no list of `hybrid` has all tools.
pub(crate) fn long(id: &str) -> ServerSpec {
    let description = "Fills the list. ".repeat(2000);
    let tool = json!({"name": "filler", "description": description, "inputSchema": {"type": "object"}});
    listing(id, json!([tool]))
}

impl RawServer {
    /// Creates a server with a tool `work`, and the answers of `script`.
    pub(crate) fn new(
        era: Era,
        capabilities: Value,
        script: impl Fn(&Value) -> Option<Vec<Value>> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(Inner {
            era,
            capabilities,
            script: Box::new(script),
            read: Mutex::default(),
            more: Notify::new(),
            to_host: Mutex::default(),
            hang_up: Notify::new(),
            hangs_up: Box::new(|_| false),
        }))
    }

    /// Makes the server hang up when it reads a method.
    pub(crate) fn hanging_up_on(self, method: &'static str) -> Self {
        self.hanging_up_where(move |message| message["method"] == method)
    }

    /// Makes the server hang up on messages while `so` returns `true`.
    pub(crate) fn hanging_up_while(self, so: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        self.hanging_up_where(move |_| so())
    }

    fn hanging_up_where(self, which: impl Fn(&Value) -> bool + Send + Sync + 'static) -> Self {
        let inner = Arc::into_inner(self.0).expect("it is not used yet");
        Self(Arc::new(Inner { hangs_up: Box::new(which), ..inner }))
    }

    /// Returns the spec of the server, which everybody may use.
    pub(crate) fn spec(&self, id: &str) -> ServerSpec {
        let this = self.clone();
        let mut spec =
            ServerSpec::new(id, Endpoint::InProcess(InProcess::new(move || this.clone().connect())));
        spec.default_policy = DefaultPolicy::OptOut;
        spec.era = EraChoice::Known(self.0.era);
        spec
    }

    fn connect(self) -> memory::End {
        let (here, (input, mut output)) = memory::pair();
        let (say, mut said) = mpsc::unbounded_channel::<Value>();
        *self.0.to_host.lock() = Some(say.clone());
        tokio::spawn(async move {
            while let Some(message) = said.recv().await {
                let line = format!("{message}\n").replace(HALF, r"\ud83d");
                if output.write_all(line.as_bytes()).await.is_err() {
                    return;
                }
            }
        });
        tokio::spawn(async move {
            let mut lines = BufReader::new(input).lines();
            loop {
                let line = tokio::select! {
                    line = lines.next_line() => line,
                    () = self.0.hang_up.notified() => break,
                };
                let Ok(Some(line)) = line else { break };
                let message: Value = serde_json::from_str(&line).unwrap();
                if (self.0.hangs_up)(&message) {
                    self.0.read.lock().push(message);
                    break;
                }
                let answers = self.answer(&message);
                // Who has an answer finds the message.
                self.0.read.lock().push(message);
                for answer in answers {
                    let _ = say.send(answer);
                }
                self.0.more.notify_waiters();
            }
            // The input is gone, and the output ends too.
            self.0.to_host.lock().take();
        });
        here
    }

    /// Hangs up.
    pub(crate) fn hang_up(&self) {
        self.0.hang_up.notify_one();
    }

    fn answer(&self, message: &Value) -> Vec<Value> {
        if let Some(answers) = (self.0.script)(message) {
            return answers;
        }
        let info = json!({"name": "raw", "version": "1"});
        let answer = match (message["method"].as_str(), self.0.era) {
            _ if message.get("id").is_none() || message.get("method").is_none() => return Vec::new(),
            (Some("initialize"), Era::Initialize) => result(
                message,
                json!({"protocolVersion": "2025-11-25", "capabilities": self.0.capabilities, "serverInfo": info}),
            ),
            (Some("server/discover"), Era::Stateless) => result(
                message,
                json!({"supportedVersions": ["2026-07-28"], "capabilities": self.0.capabilities,
                    "_meta": {"io.modelcontextprotocol/serverInfo": info},
                    "resultType": "complete", "ttlMs": 0, "cacheScope": "private"}),
            ),
            (Some("ping"), Era::Initialize) => result(message, json!({})),
            (Some("tools/list"), _) => result(
                message,
                json!({"tools": [{"name": "work", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}}]}),
            ),
            _ => error(message, -32601, "no such method"),
        };
        vec![answer]
    }

    /// Sends a message unasked.
    pub(crate) fn say(&self, message: Value) {
        self.0.to_host.lock().as_ref().unwrap().send(message).unwrap();
    }

    /// Returns every message that the server read.
    pub(crate) fn read(&self) -> Vec<Value> {
        self.0.read.lock().clone()
    }

    /// Returns the messages of a method that the server read.
    pub(crate) fn read_of(&self, method: &str) -> Vec<Value> {
        self.read().into_iter().filter(|message| message["method"] == method).collect()
    }

    /// Waits until the server has read `count` messages of a method.
    pub(crate) async fn has_read(&self, method: &str, count: usize) -> Vec<Value> {
        self.reads(|message| message["method"] == method, count).await
    }

    /// Waits until the server has read `count` messages for which `which` returns `true`.
    pub(crate) async fn reads(&self, which: impl Fn(&Value) -> bool, count: usize) -> Vec<Value> {
        within(async {
            loop {
                let more = self.0.more.notified();
                tokio::pin!(more);
                more.as_mut().enable();
                let read: Vec<_> = self.read().into_iter().filter(&which).collect();
                if read.len() >= count {
                    return read;
                }
                more.await;
            }
        })
        .await
    }
}

/// Returns an answer with a result.
pub(crate) fn result(to: &Value, result: Value) -> Value {
    let mut answer = json!({"jsonrpc": "2.0", "id": to["id"]});
    answer["result"] = result;
    answer
}

/// Returns an answer with an error.
pub(crate) fn error(to: &Value, code: i64, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": to["id"], "error": {"code": code, "message": message}})
}

/// Returns an answer with the result of a tool.
pub(crate) fn text(to: &Value, text: &str) -> Value {
    result(to, json!({"content": [{"type": "text", "text": text}]}))
}

/// Returns a question, or a notification without an id.
pub(crate) fn says(id: Option<i64>, method: &str, params: Value) -> Value {
    let mut message = json!({"jsonrpc": "2.0", "method": method});
    message["params"] = params;
    if let Some(id) = id {
        message["id"] = id.into();
    }
    message
}

/// Returns a server whose one resource can be watched.
pub(crate) fn watched(era: Era) -> RawServer {
    let capabilities = json!({"resources": {"subscribe": true, "listChanged": true}});
    RawServer::new(era, capabilities, |message| match message["method"].as_str() {
        Some("resources/list") => {
            Some(vec![result(message, json!({"resources": [{"uri": "w://1", "name": "w"}]}))])
        }
        Some("resources/templates/list") => Some(vec![result(message, json!({"resourceTemplates": []}))]),
        Some("resources/subscribe" | "resources/unsubscribe") => Some(vec![result(message, json!({}))]),
        // The request stays open until it is cancelled.
        Some("subscriptions/listen") => {
            let params = json!({"notifications": message["params"]["notifications"],
                "_meta": {"io.modelcontextprotocol/subscriptionId": message["id"]}});
            Some(vec![says(None, "notifications/subscriptions/acknowledged", params)])
        }
        _ => None,
    })
}
