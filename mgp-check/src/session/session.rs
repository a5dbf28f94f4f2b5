//! The messages of one connection.

use super::{
    Envelope,
    exchange::{Answer, Exchange, WireError},
    fault::{Fault, FaultKind},
    kept::{KeptBytes, MAX_READ, MAX_VALUES, has_too_many_values},
    message::{self, Message},
};
use crate::CheckSettings;
use mgp_transport::raw::{RawConnection, RawEvent};
use serde_json::{Map, Value, json};
use std::{collections::BTreeSet, time::Duration};
use tokio::time::Instant;

/// The most faults, errors and notifications that are kept of a session.
const KEPT: usize = 200;
/// The most messages that are read while one request is open.
const MESSAGES: usize = 20_000;
/// The bytes that a message counts if its length is unknown because it is too long.
const TOO_LONG: usize = 1 << 20;
/// The number of requests in a row without an answer after which no more requests are sent.
const STRIKES: u32 = 3;

/// A session with the server. It notes the faults of every message that it reads.
#[derive(Debug)]
pub(crate) struct Session {
    connection: RawConnection,
    timeout: Duration,
    next_id: i64,
    /// The ids that were answered, as text.
    answered: BTreeSet<String>,
    /// The ids whose answers are no longer awaited.
    given_up: BTreeSet<String>,
    strikes: u32,
    kept: KeptBytes,
    /// True if the handshake is skipped.
    pub(super) is_stateless: bool,
    /// The members of each request, if there is no handshake.
    envelope: Option<Envelope>,
    /// The reason why no more requests can be sent.
    pub(crate) ended: Option<String>,
    pub(crate) faults: Vec<Fault>,
    pub(crate) errors: Vec<WireError>,
    pub(crate) heard: Vec<Value>,
}

impl Session {
    pub(crate) fn new(connection: RawConnection, settings: &CheckSettings) -> Self {
        Self {
            connection,
            timeout: settings.timeout,
            next_id: 1,
            answered: BTreeSet::new(),
            given_up: BTreeSet::new(),
            strikes: 0,
            kept: KeptBytes::new(),
            is_stateless: settings.without_initialize,
            envelope: None,
            ended: None,
            faults: Vec::new(),
            errors: Vec::new(),
            heard: Vec::new(),
        }
    }

    /// Sends a request and waits for its answer.
    pub(crate) async fn request(&mut self, method: &str, params: Value) -> Exchange {
        let id = self.take_id();
        self.request_as(id, method, params).await
    }

    /// Returns an id for [`request_as`](Self::request_as).
    pub(crate) fn take_id(&mut self) -> Value {
        self.next_id += 1;
        json!(self.next_id - 1)
    }

    /// Sends a request under an id.
    pub(crate) async fn request_as(&mut self, id: Value, method: &str, mut params: Value) -> Exchange {
        if let Some(envelope) = &self.envelope {
            envelope.write(&mut params);
        }
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.exchange(id, message.to_string()).await
    }

    /// Sends a text unchanged and waits for the answer with an id, which is `null` for a text without an id.
    pub(crate) async fn exchange(&mut self, id: Value, sent: String) -> Exchange {
        let mut heard = Vec::new();
        let answer = match self.send(sent.clone()).await {
            Ok(()) => self.answer_to(&id, &mut heard).await,
            Err(reason) => Answer::Missing(reason),
        };
        Exchange { id, sent, heard, answer }
    }

    /// Sends a notification.
    pub(crate) async fn notify(&mut self, method: &str, params: Value) {
        let message = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        let _ = self.send(message.to_string()).await;
    }

    /// Sets the revision of the handshake for all later requests over HTTP.
    pub(crate) fn speak(&self, version: &str) {
        self.connection.set_version(version);
    }

    /// Describes the client in all later requests, as the stateless revision requires.
    pub(crate) fn describe_client(&mut self, envelope: Envelope) {
        self.envelope = Some(envelope);
    }

    /// Sends a text that is not a message.
    pub(crate) async fn send_text(&mut self, text: &str) {
        let _ = self.send(text.to_owned()).await;
    }

    /// Reads messages without a request, for a time.
    pub(crate) async fn listen(&mut self, time: Duration) {
        let until = Instant::now() + time;
        for _ in 0..MESSAGES {
            let Some(event) = self.next(until).await else { return };
            for message in self.read(event) {
                if let Message::Response { id, message } = message {
                    self.stray(&id, &Value::Object(message).to_string());
                }
            }
        }
    }

    /// Ends the session, and the server's process if one was started for it.
    pub(crate) async fn close(self) {
        self.connection.close(Duration::from_secs(1)).await;
    }

    /// Describes the server's process; empty if there is none.
    pub(crate) async fn report(&mut self) -> String {
        let report = self.connection.report(Duration::from_millis(500)).await;
        report.map_or_else(String::new, |report| format!("; {report}"))
    }

    async fn send(&mut self, text: String) -> Result<(), String> {
        if let Some(reason) = &self.ended {
            return Err(reason.clone());
        }
        if self.connection.send(text, self.timeout).await {
            return Ok(());
        }
        let reason = "nothing, because the server took no more messages".to_owned();
        self.ended = Some(reason.clone());
        Err(reason)
    }

    async fn answer_to(&mut self, id: &Value, heard: &mut Vec<Value>) -> Answer {
        let until = Instant::now() + self.timeout;
        for _ in 0..MESSAGES {
            let Some(event) = self.next(until).await else {
                return self.no_answer(id);
            };
            if let RawEvent::Status(..) | RawEvent::Failed(_) = event {
                let reason = match event {
                    RawEvent::Status(status, body) => format!("HTTP status {status} with {body:?}"),
                    RawEvent::Failed(reason) => reason,
                    _ => String::new(),
                };
                return self.strike(format!("no answer, but {reason}"));
            }
            let mut answer = None;
            for message in self.read(event) {
                match message {
                    Message::Notification(notification) => {
                        if heard.len() < KEPT {
                            heard.extend(self.kept.copy(&notification));
                        }
                    }
                    Message::Response { id: of, message } => match self.belongs(&of, id, &message) {
                        true if answer.is_none() => answer = Some(self.answer(message)),
                        true => {
                            self.note(FaultKind::Twice, &Value::Object(message).to_string(), "one answer");
                        }
                        false => {}
                    },
                    Message::Request { .. } | Message::Unreadable => {}
                }
            }
            if let Some(answer) = answer {
                self.answered.insert(id.to_string());
                self.strikes = 0;
                return answer;
            }
            if let Some(reason) = &self.ended {
                return Answer::Missing(reason.clone());
            }
        }
        self.ended = Some(format!("nothing, because the server sent {MESSAGES} messages before the answer"));
        Answer::Missing(self.ended.clone().unwrap_or_default())
    }

    fn no_answer(&mut self, id: &Value) -> Answer {
        if let Some(reason) = &self.ended {
            return Answer::Missing(reason.clone());
        }
        self.given_up.insert(id.to_string());
        self.strike(format!("no answer within {:?}", self.timeout))
    }

    fn strike(&mut self, reason: String) -> Answer {
        self.strikes += 1;
        if self.strikes >= STRIKES {
            self.ended = Some(format!(
                "nothing: no more requests are sent, after {STRIKES} requests in a row without an answer"
            ));
        }
        Answer::Missing(reason)
    }

    async fn next(&mut self, until: Instant) -> Option<RawEvent> {
        if self.ended.is_some() {
            return None;
        }
        self.connection.next(until).await
    }

    /// Reads an event: notes the faults of its messages, and answers requests.
    fn read(&mut self, event: RawEvent) -> Vec<Message> {
        let text = match event {
            RawEvent::Text(text) => text,
            RawEvent::TooLong => {
                self.note(FaultKind::NoMessage, "a message that is too long", "at most 8 MiB");
                self.take(TOO_LONG);
                return Vec::new();
            }
            RawEvent::Closed(reason) => {
                self.ended = Some(format!("nothing, because the connection ended: {reason}"));
                return Vec::new();
            }
            _ => return Vec::new(),
        };
        if !self.take(text.len()) {
            return Vec::new();
        }
        if has_too_many_values(&text) {
            self.note(
                FaultKind::NoMessage,
                "a message of too many values",
                &format!("at most {MAX_VALUES} in one message"),
            );
            return Vec::new();
        }
        let shown = String::from_utf8_lossy(&text).into_owned();
        let messages = message::read(&text);
        for message in &messages {
            match message {
                Message::Unreadable => {
                    self.note(FaultKind::NoMessage, &shown, "nothing but messages of JSON-RPC");
                }
                Message::Request { id, method } => self.asked(id, method, &shown),
                Message::Notification(notification) => {
                    self.check_version(notification.get("jsonrpc"), &shown);
                    if self.heard.len() < KEPT {
                        self.heard.extend(self.kept.copy(notification));
                    }
                }
                Message::Response { message, .. } => self.check_response(message, &shown),
            }
        }
        messages
    }

    /// Adds the length of a message that was read. Returns `false`, and ends the session, if the server has sent too much.
    fn take(&mut self, bytes: usize) -> bool {
        let has_room = self.kept.read(bytes);
        if !has_room {
            let mib = MAX_READ >> 20;
            self.ended = Some(format!("nothing, because the server sent more than {mib} MiB in one session"));
        }
        has_room
    }

    fn check_version(&mut self, version: Option<&Value>, shown: &str) {
        if version.and_then(Value::as_str) != Some("2.0") {
            self.note(FaultKind::Version, shown, "the member \"jsonrpc\": \"2.0\"");
        }
    }

    fn check_response(&mut self, message: &Map<String, Value>, shown: &str) {
        self.check_version(message.get("jsonrpc"), shown);
        if message.contains_key("result") == message.contains_key("error") {
            self.note(FaultKind::Members, shown, "either \"result\" or \"error\"");
        }
        if let Some(error) = message.get("error") {
            if !error["code"].is_i64() || !error["message"].is_string() {
                self.note(FaultKind::ErrorForm, shown, "an error with an integer code and a message");
            }
            if self.errors.len() < KEPT {
                self.errors.extend(self.kept.copy(error).map(WireError::new));
            }
        }
    }

    /// Answers a request of the server. The client has declared no features, so only `ping` is valid.
    fn asked(&mut self, id: &Value, method: &str, shown: &str) {
        let answer = if method == "ping" {
            json!({ "jsonrpc": "2.0", "id": id, "result": {} })
        } else {
            self.note(
                FaultKind::Asked,
                shown,
                "only requests that the client declared, and it declared none",
            );
            json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32601, "message": "not declared" } })
        };
        // If there is no room, the server does not read, and its own wait for an answer is in vain.
        self.connection.try_send(answer.to_string());
    }

    /// Returns whether a response belongs to the open request, and records a wrong id.
    fn belongs(&mut self, of: &Value, open: &Value, message: &Map<String, Value>) -> bool {
        let shown = Value::Object(message.clone()).to_string();
        if of == open {
            return true;
        }
        let text = |id: &Value| id.as_str().map_or_else(|| id.to_string(), str::to_owned);
        if text(of) == text(open) || (of.is_null() && !open.is_null()) {
            self.note(FaultKind::Id, &format!("the id {of} with {shown}"), &format!("the id {open}"));
            return true;
        }
        self.stray(of, &shown);
        false
    }

    fn stray(&mut self, id: &Value, shown: &str) {
        let key = id.to_string();
        if self.answered.contains(&key) {
            self.note(
                FaultKind::Twice,
                &format!("the id {id} again with {shown}"),
                "one answer to a request",
            );
        } else if !self.given_up.contains(&key) {
            self.note(FaultKind::Unasked, &format!("the id {id} with {shown}"), "answers to requests only");
        }
    }

    fn answer(&mut self, mut message: Map<String, Value>) -> Answer {
        match (message.remove("result"), message.remove("error")) {
            (Some(result), _) => Answer::Result(result),
            (None, Some(error)) => Answer::Error(WireError::new(error)),
            (None, None) => Answer::Result(Value::Null),
        }
    }

    fn note(&mut self, kind: FaultKind, came: &str, expected: &str) {
        if self.faults.len() < KEPT {
            self.faults.push(Fault::new(kind, came, expected));
        }
    }
}
