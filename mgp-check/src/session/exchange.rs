//! A request and its answer.

use crate::outcome::{Miss, quoted};
use serde_json::Value;

/// An error of the protocol.
#[derive(Debug, Clone)]
pub(crate) struct WireError {
    /// The code; a code that is written as text is accepted, too.
    pub(crate) code: Option<i64>,
    pub(crate) value: Value,
}

impl WireError {
    pub(crate) fn new(value: Value) -> Self {
        let code = &value["code"];
        let code = code.as_i64().or_else(|| code.as_str()?.parse().ok());
        Self { code, value }
    }

    pub(crate) fn data(&self) -> &Value {
        &self.value["data"]
    }
}

/// The answer to a request.
#[derive(Debug, Clone)]
pub(crate) enum Answer {
    Result(Value),
    Error(WireError),
    /// There was none, for the given reason.
    Missing(String),
}

/// A request, the notifications received while it ran, and its answer.
#[derive(Debug, Clone)]
pub(crate) struct Exchange {
    /// The id of the request.
    pub(crate) id: Value,
    pub(crate) sent: String,
    pub(crate) heard: Vec<Value>,
    pub(crate) answer: Answer,
}

impl Exchange {
    /// Returns the result, or the failure with the expectation.
    pub(crate) fn result(&self, expected: &str) -> Result<&Value, Miss> {
        match &self.answer {
            Answer::Result(result) => Ok(result),
            _ => Err(self.wrong(expected)),
        }
    }

    /// Returns the error, or the failure with the expectation.
    pub(crate) fn error(&self, expected: &str) -> Result<&WireError, Miss> {
        match &self.answer {
            Answer::Error(error) => Ok(error),
            _ => Err(self.wrong(expected)),
        }
    }

    /// Returns `true` if the answer is an error with one of the codes.
    pub(crate) fn has_code(&self, codes: &[i64]) -> bool {
        matches!(&self.answer, Answer::Error(error) if error.code.is_some_and(|code| codes.contains(&code)))
    }

    /// Returns the failure of an answer: the message sent, the answer and the expectation.
    pub(crate) fn wrong(&self, expected: &str) -> Miss {
        Miss::Failed(format!("sent {}; got {}; expected {expected}", quoted(&self.sent), self.came()))
    }

    pub(crate) fn came(&self) -> String {
        match &self.answer {
            Answer::Result(result) => format!("the result {}", quoted(&result.to_string())),
            Answer::Error(error) => format!("the error {}", quoted(&error.value.to_string())),
            Answer::Missing(reason) => reason.clone(),
        }
    }
}
