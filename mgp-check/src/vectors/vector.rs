//! A vector, and files of vectors.

use crate::{outcome::quoted, session::Answer};
use mgp_types::{json::RawJson, json_schema::CompiledSchema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::fmt;

/// A request, and a JSON Schema of the allowed answers; or a notification of a server. A file of vectors has one of them in each
/// line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vector {
    /// The id. It ends with `.invalid` for a request that breaks the rules of its method.
    pub id: String,
    /// The rule, in one sentence.
    pub rule: String,
    /// The source of the rule in the specifications.
    pub of: String,
    /// True if MGP is offered in the session of the request.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub mgp: bool,
    /// The capability or the extension of MGP that the vector needs: without it, the vector is skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needs: Option<String>,
    /// True if the request changes something, so that it is sent only if that is allowed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub changes: bool,
    /// The method of the request, or of the notification.
    pub method: String,
    /// The params of the request; absent for a notification.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub params: Option<Value>,
    /// JSON Schema of the answer: an object with the member `result` or `error`. For a notification: an object with `params`.
    pub answer: Value,
    /// An allowed answer or notification.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded: Option<Value>,
}

/// The reason why a file of vectors cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VectorError(String);

impl fmt::Display for VectorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for VectorError {}

impl Vector {
    /// Reads a file: one vector per non-empty line.
    ///
    /// # Errors
    /// Returns an error for a line that is not a vector, a repeated id, an invalid schema of an answer, and a recorded answer
    /// that the schema does not allow.
    pub fn read(text: &str) -> Result<Vec<Self>, VectorError> {
        let mut vectors: Vec<Self> = Vec::new();
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let wrong = |problem: String| VectorError(format!("line {}: {problem}", index + 1));
            let vector: Self = serde_json::from_str(line).map_err(|error| wrong(error.to_string()))?;
            vector.problem().map_or(Ok(()), |problem| Err(wrong(problem)))?;
            if vectors.iter().any(|other| other.id == vector.id) {
                return Err(wrong(format!("the id {:?} occurs twice", vector.id)));
            }
            vectors.push(vector);
        }
        Ok(vectors)
    }

    /// Returns whether the vector is a notification of the server.
    #[must_use]
    pub fn is_notification(&self) -> bool {
        self.method.starts_with("notifications/")
    }

    /// Returns whether the request breaks the rules of its method, so that it must be refused.
    #[must_use]
    pub fn is_invalid(&self) -> bool {
        self.id.ends_with(".invalid")
    }

    /// Returns the contradiction in a vector, if there is one.
    fn problem(&self) -> Option<String> {
        if let Err(error) = CompiledSchema::compile(&self.answer) {
            return Some(format!("the answer: {error}"));
        }
        match (self.is_notification(), &self.params) {
            (false, None) => return Some("missing field `params`".to_owned()),
            (true, Some(_)) => return Some("unexpected `params` of a notification".to_owned()),
            _ => {}
        }
        let recorded = self.recorded.as_ref()?;
        self.allows(recorded).err().map(|problem| format!("the recorded answer is not allowed: {problem}"))
    }

    /// Returns whether an answer is allowed, with the reason if it is not.
    pub(super) fn judge(&self, answer: &Answer) -> Result<(), String> {
        match answer {
            Answer::Result(result) => self.allows(&json!({ "result": result })),
            Answer::Error(error) => self.allows(&json!({ "error": error.value })),
            Answer::Missing(reason) => Err(format!("got {reason}")),
        }
    }

    /// Returns whether a message with the members that matter is allowed, with the reason if it is not.
    pub(super) fn allows(&self, message: &Value) -> Result<(), String> {
        let text = message.to_string();
        let schema = CompiledSchema::compile(&self.answer).map_err(|error| error.to_string())?;
        let json = RawJson::parse(text.clone()).map_err(|error| error.to_string())?;
        schema.check(&json).map_err(|mismatch| format!("got {}: {mismatch}", quoted(&text)))
    }
}
