//! Requests that a host waits for.

use super::{Era, Host, exchange::Response, host::Session, listen::EventStream};
use crate::{
    ledger::{Answer, CallEnd, Trace},
    wire::{self, Connection},
};
use serde_json::{Value, json};
use std::time::Duration;

/// The time limit for deleting a session.
const GOODBYE_TIMEOUT: Duration = Duration::from_secs(5);
/// The most requests that one call may take; a child asks once.
const MAX_ROUNDS: usize = 8;

impl Host {
    /// Opens a session. Returns whether one is open now.
    pub(crate) async fn greet(&mut self) -> bool {
        let ticket = self.shared.ledger.send("initialize");
        let message = Era::Sessions.request(ticket.id(), "initialize", Era::hello(), None);
        let heard = match self.exchange(&message, ticket.id(), "initialize").await {
            Ok(heard) => heard,
            Err(why) => {
                ticket.lost(&why);
                return false;
            }
        };
        ticket.answered(heard.answer(), heard.answers.len());
        let Some(id) = heard.session else { return false };
        self.session = Some(Session { id, _stream: None });
        self.tell(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        let stream = match self.random.below(8) {
            0 | 1 => EventStream::open(self, true).await,
            2 => EventStream::open(self, false).await,
            _ => None,
        };
        if let Some(session) = &mut self.session {
            session._stream = stream;
        }
        true
    }

    /// Ends the host's session, if it has one.
    pub(crate) async fn say_goodbye(&mut self) {
        let Some(session) = self.session.take() else { return };
        let headers =
            [("Mcp-Session-Id", session.id.as_str()), ("MCP-Protocol-Version", self.era.revision())];
        let request = wire::request("DELETE", &self.shared.endpoint, &headers, None);
        let deleted = async {
            let mut connection = Connection::open(self.shared.endpoint.address).await?;
            connection.send(&request).await?;
            connection.head().await
        };
        // If the request fails, the session expires.
        let _ = tokio::time::timeout(GOODBYE_TIMEOUT, deleted).await;
    }

    /// Lists the tools. Returns `None` if the request was lost.
    pub(crate) async fn list(&mut self) -> Option<Response> {
        let ticket = self.shared.ledger.send("tools/list");
        let message = self.era.request(ticket.id(), "tools/list", json!({}), None);
        match self.exchange(&message, ticket.id(), "tools/list").await {
            Ok(heard) => {
                ticket.answered(heard.answer(), heard.answers.len());
                Some(heard)
            }
            Err(why) => {
                ticket.lost(&why);
                None
            }
        }
    }

    /// Has a child publish many events.
    pub(super) async fn burst(&mut self) {
        let publishers: Vec<usize> = self.shared.servers.publishers().collect();
        let number = publishers[self.random.below(publishers.len())];
        let params = json!({"name": format!("burst{number}"), "arguments": {}});
        self.call_with("burst", params).await;
    }

    /// Calls a tool of a random child, and answers its questions.
    pub(super) async fn call(&mut self, tool: &'static str, arguments: Value) {
        let params = self.params(tool, &arguments);
        self.call_with(tool, params).await;
    }

    async fn call_with(&mut self, tool: &'static str, mut params: Value) {
        let trace = self.shared.ledger.trace();
        for _ in 0..MAX_ROUNDS {
            let Some(heard) = self.send_call(tool, params.clone(), trace).await else {
                return self.shared.ledger.call(trace, CallEnd::Lost);
            };
            match heard.asks() {
                Some(required) => super::ask::put_answers(&mut params, required),
                None => return self.shared.ledger.call(trace, heard.end()),
            }
        }
        self.shared.ledger.call(trace, CallEnd::Cut);
    }

    /// Sends one request of a call. Returns `None` if the request was lost.
    pub(crate) async fn send_call(
        &mut self,
        tool: &'static str,
        params: Value,
        trace: Trace,
    ) -> Option<Response> {
        let ticket = self.shared.ledger.send(tool);
        let message = self.era.request(ticket.id(), "tools/call", params, Some(trace));
        match self.exchange(&message, ticket.id(), tool).await {
            Ok(heard) => {
                ticket.answered(heard.answer(), heard.answers.len());
                Some(heard)
            }
            Err(why) => {
                ticket.lost(&why);
                None
            }
        }
    }

    /// Returns the params of a call of a random child's tool.
    pub(super) fn params(&mut self, tool: &str, arguments: &Value) -> Value {
        let child = self.shared.servers.called(&mut self.random);
        json!({"name": format!("{tool}{child}"), "arguments": arguments, "_meta": {"progressToken": self.random.next() >> 12}})
    }
}

impl Response {
    /// Returns the kind of answer that the ledger counts.
    pub(crate) fn answer(&self) -> Answer {
        let error = match self.answers.first() {
            None => return Answer::Error(format!("HTTP {}", self.status)),
            Some(answer) => &answer["error"],
        };
        if !error.is_null() {
            return Answer::Error(format!("{}: {}", error["code"], words(&error["message"])));
        }
        match self.failed() {
            Some(text) => Answer::Error(format!("tool error: {}", words(text))),
            None => Answer::Result,
        }
    }

    /// Returns the text of a tool that failed.
    fn failed(&self) -> Option<&Value> {
        let result = &self.answers.first()?["result"];
        (result["isError"] == true).then(|| &result["content"][0]["text"])
    }

    /// Returns the end of the call that the ledger counts.
    pub(crate) fn end(&self) -> CallEnd {
        if self.answer() == Answer::Result { CallEnd::Result } else { CallEnd::Failed }
    }
}

/// Removes the varying parts of a message, so that equal causes are counted together.
fn words(message: &Value) -> String {
    let text = message.as_str().unwrap_or("no message");
    let mut kept = String::new();
    for character in text.chars().take(120) {
        match character {
            digit if digit.is_ascii_digit() => {
                if !kept.ends_with('#') {
                    kept.push('#');
                }
            }
            other => kept.push(other),
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(answer: Value) -> Response {
        Response { status: 200, answers: vec![answer], session: None, length: 0 }
    }

    #[test]
    fn errors_with_one_cause_count_together() {
        let answer = heard(json!({"error": {"code": -5, "message": "no soak17 in 30 ms"}})).answer();
        assert_eq!(answer, Answer::Error("-5: no soak# in # ms".to_owned()));
        assert_eq!(heard(json!({"result": {"isError": true, "content": []}})).end(), CallEnd::Failed);
        assert_eq!(heard(json!({"result": {"content": []}})).end(), CallEnd::Result);
    }
}
