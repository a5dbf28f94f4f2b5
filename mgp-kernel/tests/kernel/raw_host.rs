//! A host that speaks in lines, in either era, and keeps every line that it read.

use crate::support::{PAUSE, Setup, pause_clock};
use mgp_kernel::{Era, Kernel};
use mgp_transport::{
    connection::{Config, Connection},
    memory,
    seam::Session,
};
use mgp_types::{
    context::Principal,
    negotiation::{Carrier, Extension, ExtensionSet, offer, put_offer},
};
use serde_json::{Value, json};
use tokio::io::{DuplexStream, ReadHalf, WriteHalf};
use xtask_testing::RawPeer;

/// Both eras.
pub(crate) const ERAS: [Era; 2] = [Era::Initialize, Era::Stateless];

/// A function from a question to the answer of a host.
type HostAnswer = Box<dyn FnMut(&str, &Value) -> Result<Value, Value> + Send>;

/// The description of a host.
pub(crate) struct As {
    pub(crate) era: Era,
    pub(crate) principal: Principal,
    pub(crate) capabilities: Value,
    pub(crate) mgp: bool,
}

impl As {
    /// Describes a plain MCP host that can be asked everything.
    pub(crate) fn plain(era: Era) -> Self {
        Self { era, principal: Principal::agent("agent.test"), capabilities: all(), mgp: false }
    }

    /// Describes a host that speaks MGP and can be asked everything.
    pub(crate) fn mgp(era: Era) -> Self {
        Self { mgp: true, ..Self::plain(era) }
    }

    /// Describes a host that speaks MGP, and whose user cannot be asked.
    pub(crate) fn unasked() -> Self {
        let offered = ExtensionSet::ALL.iter().filter(|extension| *extension != Extension::Callbacks);
        let mut capabilities = serde_json::from_value(json!({})).unwrap();
        put_offer(&mut capabilities, offered.collect());
        Self::plain(Era::Initialize).can(serde_json::to_value(capabilities).unwrap())
    }

    pub(crate) fn of(mut self, principal: &str) -> Self {
        self.principal = Principal::agent(principal);
        self
    }

    pub(crate) fn can(mut self, capabilities: Value) -> Self {
        self.capabilities = capabilities;
        self
    }
}

/// Returns the capabilities of a host that can be asked everything.
pub(crate) fn all() -> Value {
    json!({"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}})
}

/// A host that speaks in lines.
pub(crate) struct RawHost {
    peer: RawPeer,
    era: Era,
    capabilities: Value,
    says: HostAnswer,
    next: i64,
    /// The lowest level of log messages that the host wants, in the stateless era.
    pub(crate) log_level: Option<&'static str>,
    /// The answer to the host's `initialize`, in the era that has one.
    pub(crate) greeting: Value,
    /// Every message that the host read.
    pub(crate) read: Vec<Value>,
    /// The questions that the host was asked, in requests or in rounds.
    pub(crate) asked: Vec<(String, Value)>,
    /// The notifications that the host read.
    pub(crate) heard: Vec<Value>,
    /// The number of rounds of input.
    pub(crate) rounds: usize,
}

impl Setup {
    /// Connects a host that speaks in lines.
    pub(crate) async fn raw_host(&self, this: As) -> RawHost {
        RawHost::connect(&self.kernel, this).await
    }

    /// Connects a host that was not started by the operator, like one over HTTP.
    pub(crate) async fn raw_remote_host(&self, this: As) -> RawHost {
        let (here, there) = memory::pair();
        let session = Session::new("remote");
        session.set(this.principal.clone());
        let face = self.kernel.face();
        let connection = Connection::builder(face.service()).lane(face.lane()).session(session);
        tokio::spawn(connection.over(there.0, there.1).closed());
        RawHost::over(here, this).await
    }
}

impl RawHost {
    pub(crate) async fn connect(kernel: &Kernel, this: As) -> Self {
        let (here, there) = memory::pair();
        let connection = kernel.face().serve(this.principal.clone(), Config::default(), there.0, there.1);
        tokio::spawn(connection.closed());
        Self::over(here, this).await
    }

    /// Connects over one end of a connection.
    pub(crate) async fn over(here: (ReadHalf<DuplexStream>, WriteHalf<DuplexStream>), this: As) -> Self {
        let mut capabilities = this.capabilities;
        if this.mgp {
            let mut with = serde_json::from_value(capabilities).unwrap();
            match this.era {
                Era::Initialize => put_offer(&mut with, ExtensionSet::ALL),
                Era::Stateless => Carrier::Extensions.put(&mut with, &offer(ExtensionSet::ALL)),
            }
            capabilities = serde_json::to_value(with).unwrap();
        }
        let mut host = Self {
            peer: RawPeer::new(here),
            era: this.era,
            capabilities,
            says: Box::new(said),
            next: 1,
            log_level: None,
            greeting: Value::Null,
            read: Vec::new(),
            asked: Vec::new(),
            heard: Vec::new(),
            rounds: 0,
        };
        if host.era == Era::Initialize {
            let hello = json!({
                "protocolVersion": "2025-11-25",
                "capabilities": host.capabilities,
                "clientInfo": {"name": "host", "version": "1"},
            });
            host.greeting = host.ask("initialize", hello).await;
            host.say(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
            // This request is answered after the notification was read.
            host.ask("tools/list", json!({})).await;
            host.read.clear();
        }
        host
    }

    /// Answers questions in another way than [`said`].
    pub(crate) fn says(&mut self, says: impl FnMut(&str, &Value) -> Result<Value, Value> + Send + 'static) {
        self.says = Box::new(says);
    }

    /// Writes a message as it is.
    pub(crate) async fn say(&mut self, message: Value) {
        self.peer.send(message).await;
    }

    /// Writes a line as it is.
    pub(crate) async fn say_text(&mut self, line: &str) {
        self.peer.send(line).await;
    }

    /// Sends a request. Returns its id.
    pub(crate) async fn send(&mut self, method: &str, mut params: Value) -> i64 {
        let id = self.next;
        self.next += 1;
        if self.era == Era::Stateless {
            let meta = &mut params["_meta"];
            meta["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
            meta["io.modelcontextprotocol/clientCapabilities"] = self.capabilities.clone();
            if let Some(level) = self.log_level {
                meta["io.modelcontextprotocol/logLevel"] = level.into();
            }
        }
        self.peer.request(id, method, params).await;
        id
    }

    /// Reads one line as it is.
    pub(crate) async fn line(&mut self) -> String {
        self.peer.text().await
    }

    /// Reads one message, and does not answer it.
    pub(crate) async fn message(&mut self) -> Value {
        self.peer.message().await
    }

    /// Reads one message, and answers it if it is a question. Skips notifications that the list of tools changed, which are kept for
    /// [`hear`](Self::hear): a tool that a call used may be listed from then on, which the host is told some time later.
    pub(crate) async fn next(&mut self) -> Value {
        loop {
            let message = self.any().await;
            if message["method"] != "notifications/tools/list_changed" {
                return message;
            }
        }
    }

    /// Reads one message of any kind, and answers it if it is a question.
    pub(crate) async fn any(&mut self) -> Value {
        let message = self.peer.message().await;
        self.read.push(message.clone());
        match (message["method"].as_str(), &message["id"]) {
            (Some(_), Value::Null) => self.heard.push(message.clone()),
            (Some(method), id) => {
                let mut answer = json!({"jsonrpc": "2.0", "id": id});
                match self.answer(method, &message["params"]) {
                    Ok(result) => answer["result"] = result,
                    Err(error) => answer["error"] = error,
                }
                self.say(answer).await;
            }
            (None, _) => {}
        }
        message
    }

    fn answer(&mut self, method: &str, params: &Value) -> Result<Value, Value> {
        self.asked.push((method.to_owned(), params.clone()));
        (self.says)(method, params)
    }

    /// Reads up to the answer of a request.
    pub(crate) async fn answer_to(&mut self, id: i64) -> Value {
        loop {
            let message = self.next().await;
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
        }
    }

    /// Sends a request and returns its answer, whether a result or an error.
    pub(crate) async fn once(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params).await;
        self.answer_to(id).await
    }

    /// Sends a request, answers every round of input, and returns the answer.
    pub(crate) async fn ask(&mut self, method: &str, params: Value) -> Value {
        let mut answer = self.once(method, params.clone()).await;
        while answer["result"]["resultType"] == "input_required" {
            let again = self.with_answers(&params, &answer["result"]);
            answer = self.once(method, again).await;
        }
        answer
    }

    /// Returns the params of the next round.
    pub(crate) fn with_answers(&mut self, params: &Value, required: &Value) -> Value {
        self.rounds += 1;
        let mut again = params.clone();
        again["requestState"] = required["requestState"].clone();
        let questions = required["inputRequests"].as_object().cloned().unwrap_or_default();
        for (key, question) in questions {
            let answer = self.answer(question["method"].as_str().unwrap(), &question["params"]);
            again["inputResponses"][key] = answer.unwrap();
        }
        again
    }

    /// Sends a request, answers every round of input, and returns the result.
    pub(crate) async fn get(&mut self, method: &str, params: Value) -> Value {
        let answer = self.ask(method, params).await;
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// Sends a request that is refused, and returns the error.
    pub(crate) async fn refused(&mut self, method: &str, params: Value) -> Value {
        let answer = self.ask(method, params).await;
        assert!(answer.get("result").is_none(), "{method}: {answer}");
        answer["error"].clone()
    }

    /// Calls a tool and returns its result.
    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.get("tools/call", json!({"name": tool, "arguments": arguments})).await
    }

    /// Calls a tool and returns the text of its result.
    pub(crate) async fn text(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments).await;
        assert_ne!(result["isError"], true, "{result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// Reads until a notification of a method has arrived, and takes it.
    pub(crate) async fn hear(&mut self, method: &str) -> Value {
        loop {
            if let Some(at) = self.heard.iter().position(|heard| heard["method"] == method) {
                return self.heard.remove(at);
            }
            self.any().await;
        }
    }

    /// Reads messages until no more can come: see [`idle`](crate::support::idle).
    pub(crate) async fn settle(&mut self) {
        let _paused = pause_clock();
        while tokio::time::timeout(PAUSE, self.any()).await.is_ok() {}
    }

    /// Reads the messages that a kernel still sends just after its start, and forgets its notifications. Where a kernel tells every host that
    /// tools changed, its servers are those of [`spec_of_sessions`](crate::support::spec_of_sessions).
    pub(crate) async fn after_start(&mut self) {
        self.settle().await;
        self.heard.clear();
    }

    /// Returns the number of notifications of a method that the host has read.
    pub(crate) fn count(&self, method: &str) -> usize {
        self.heard.iter().filter(|heard| heard["method"] == method).count()
    }
}

/// Returns the default answer to a question: the user is Ann, the model says hello, and there is one root folder.
pub(crate) fn said(method: &str, _: &Value) -> Result<Value, Value> {
    Ok(match method {
        "elicitation/create" => json!({"action": "accept", "content": {"name": "Ann", "decision": "once"}}),
        "sampling/createMessage" => {
            json!({"role": "assistant", "content": {"type": "text", "text": "hello"}, "model": "m"})
        }
        "roots/list" => json!({"roots": [{"uri": "file:///work"}]}),
        other => return Err(json!({"code": -32601, "message": format!("asked {other}")})),
    })
}
