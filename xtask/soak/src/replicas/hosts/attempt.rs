//! One attempt at a call: all requests until its end, with one trace.

use super::Context;
use crate::{
    hosts::{Era, Host, Response, put_answers},
    ledger::CallEnd,
};
use serde_json::{Value, json};
use std::time::Duration;

/// The most requests of one attempt; a tool asks once.
const MAX_ROUNDS: usize = 4;
/// The pause before another attempt to open a session, in milliseconds.
const PAUSE_MS: std::ops::Range<u64> = 50..300;

/// The end of an attempt.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Attempt {
    /// A result.
    Done(Value),
    /// An error. The call may have been carried out, unless the error is retryable.
    Refused { error_type: String, is_retryable: bool },
    /// No answer, so the outcome is unknown.
    Lost,
}

impl Context {
    /// Calls a tool, and answers its questions.
    pub(super) async fn attempt(&self, host: &mut Host, kind: &'static str, mut params: Value) -> Attempt {
        if !self.open(host).await {
            return Attempt::unsent();
        }
        let trace = self.ledger.trace();
        for _ in 0..MAX_ROUNDS {
            let had_session = host.session.is_some();
            let Some(response) = host.send_call(kind, params.clone(), trace).await else {
                self.ledger.call(trace, CallEnd::Lost);
                return Attempt::Lost;
            };
            if had_session && host.session.is_none() {
                self.outcomes.change(|book| book.lost_sessions += 1);
            }
            if let Some(required) = response.asks() {
                put_answers(&mut params, required);
                continue;
            }
            self.ledger.call(trace, response.end());
            return Attempt::of(&response);
        }
        self.ledger.call(trace, CallEnd::Cut);
        Attempt::Lost
    }

    /// Opens a session if the host's era needs one and it has none. Returns whether the host can send requests.
    pub(super) async fn open(&self, host: &mut Host) -> bool {
        while host.era == Era::Sessions && host.session.is_none() {
            if host.greet().await {
                break;
            }
            if self.is_stopped() {
                return false;
            }
            tokio::time::sleep(host.random.millis(PAUSE_MS)).await;
        }
        true
    }
}

impl Attempt {
    /// Returns the end of a call that reached no replica.
    fn unsent() -> Self {
        Self::Refused { error_type: String::new(), is_retryable: true }
    }

    pub(super) fn of(response: &Response) -> Self {
        let Some(answer) = response.answers.first() else {
            // The balancer repeats no request that a replica has received: its own refusals are 503, and others are unknown.
            return match response.status {
                503 | 404 | 429 => Self::unsent(),
                _ => Self::Lost,
            };
        };
        let error = &answer["error"];
        if error.is_null() && answer["result"]["isError"] != true {
            return Self::Done(answer["result"].clone());
        }
        let data = &error["data"];
        let error_type = data["error_type"].as_str().unwrap_or_default().to_owned();
        Self::Refused { error_type, is_retryable: data["retryable"] == true }
    }
}

/// Returns the params of a call of a tool that notes an operation.
pub(super) fn params(tool: &str, operation: &str, ms: u64, meta: Value) -> Value {
    let mut meta = meta;
    meta["progressToken"] = operation.into();
    json!({"name": tool, "arguments": {"operation": operation, "ms": ms}, "_meta": meta})
}

/// Returns a random pause.
pub(super) async fn pause(host: &mut Host, ms: std::ops::Range<u64>) {
    let time: Duration = host.random.millis(ms);
    tokio::time::sleep(time).await;
}
