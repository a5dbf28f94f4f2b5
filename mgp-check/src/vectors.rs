//! Recorded vectors: requests, and the answers that are allowed.

use crate::{
    CheckSettings, CheckStatus, CheckTarget,
    outcome::Miss,
    session::{Answer, Session, greet},
    target::VERSION,
};
use mgp_types::{json::RawJson, json_schema::CompiledSchema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::{collections::BTreeSet, fmt};
use tokio::time::{Instant, timeout_at};

/// A request, and a JSON Schema of the answers that are allowed. A file of vectors has one of them in each line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vector {
    /// The id.
    pub id: String,
    /// The rule, in one sentence.
    pub rule: String,
    /// The part of the specifications that the rule is of.
    pub of: String,
    /// True if MGP is offered in the session of the request.
    #[serde(default)]
    pub mgp: bool,
    /// The capability or the extension of MGP without which the vector is skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needs: Option<String>,
    /// The method of the request.
    pub method: String,
    /// The params of the request.
    pub params: Value,
    /// JSON Schema of the answer: an object with the member `result` or `error`.
    pub answer: Value,
}

/// The reason that a file of vectors cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VectorError(String);

impl fmt::Display for VectorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for VectorError {}

impl Vector {
    /// Reads a file: a vector in each line that is not empty.
    ///
    /// # Errors
    /// A line that is no vector, an id that stands twice, and an answer that is no valid schema.
    pub fn read(text: &str) -> Result<Vec<Self>, VectorError> {
        let mut vectors: Vec<Self> = Vec::new();
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let wrong = |problem: String| VectorError(format!("line {}: {problem}", index + 1));
            let vector: Self = serde_json::from_str(line).map_err(|error| wrong(error.to_string()))?;
            CompiledSchema::compile(&vector.answer).map_err(|error| wrong(format!("the answer: {error}")))?;
            if vectors.iter().any(|other| other.id == vector.id) {
                return Err(wrong(format!("the id {:?} stands twice", vector.id)));
            }
            vectors.push(vector);
        }
        Ok(vectors)
    }

    /// Returns whether an answer is allowed, with the reason if it is not.
    fn judge(&self, answer: &Answer) -> Result<(), String> {
        let message = match answer {
            Answer::Result(result) => json!({ "result": result }),
            Answer::Error(error) => json!({ "error": error.value }),
            Answer::Missing(reason) => return Err(format!("came {reason}")),
        };
        let text = message.to_string();
        let schema = CompiledSchema::compile(&self.answer).map_err(|error| error.to_string())?;
        let json = RawJson::parse(text.clone()).map_err(|error| error.to_string())?;
        schema.check(&json).map_err(|mismatch| format!("came {}: {mismatch}", crate::outcome::quoted(&text)))
    }
}

/// Sends each vector's request to a server, in two sessions: a plain one and one that offers MGP. Returns the status and the reason for
/// each vector. Vectors that were not sent within the longest run of the settings are skipped.
///
/// # Errors
/// The reason that no session could be opened.
pub async fn run_vectors<'a>(
    target: &CheckTarget,
    settings: &CheckSettings,
    vectors: &'a [Vector],
) -> Result<Vec<(&'a Vector, CheckStatus, String)>, String> {
    let until = Instant::now() + settings.total;
    let mut outcomes = Vec::new();
    let mut has_session = vectors.is_empty();
    let mut reason = String::new();
    for with_mgp in [false, true] {
        let of_session: Vec<_> = vectors.iter().filter(|vector| vector.mgp == with_mgp).collect();
        if of_session.is_empty() {
            continue;
        }
        let mut session = match target.open(settings.timeout) {
            Ok(connection) => Session::new(connection, settings.timeout),
            Err(error) => {
                reason.clone_from(&error);
                outcomes.extend(
                    of_session.into_iter().map(|vector| (vector, CheckStatus::Failed, error.clone())),
                );
                continue;
            }
        };
        let has = match greet(&mut session, VERSION, with_mgp).await {
            Ok(greeting) => {
                has_session = true;
                let capabilities = greeting.result["capabilities"].as_object().into_iter().flatten();
                let extensions =
                    greeting.mgp().and_then(|mgp| mgp["extensions"].as_array()).into_iter().flatten();
                let extensions = extensions.filter_map(Value::as_str).map(str::to_owned);
                capabilities.map(|(name, _)| name.clone()).chain(extensions).collect::<BTreeSet<_>>()
            }
            Err(Miss::Failed(error) | Miss::Skipped(error)) => {
                reason.clone_from(&error);
                outcomes.extend(
                    of_session.into_iter().map(|vector| (vector, CheckStatus::Failed, error.clone())),
                );
                session.close().await;
                continue;
            }
        };
        for vector in of_session {
            if let Some(needed) = vector.needs.as_ref().filter(|needed| !has.contains(*needed)) {
                outcomes.push((vector, CheckStatus::Skipped, format!("the server has no {needed}")));
                continue;
            }
            let request = session.request(&vector.method, vector.params.clone());
            let Ok(exchange) = timeout_at(until, request).await else {
                let late = format!("the run took longer than {:?}", settings.total);
                outcomes.push((vector, CheckStatus::Skipped, late));
                continue;
            };
            outcomes.push(match vector.judge(&exchange.answer) {
                Ok(()) => (vector, CheckStatus::Passed, exchange.came()),
                Err(problem) => (vector, CheckStatus::Failed, format!("sent {}; {problem}", exchange.sent)),
            });
        }
        session.close().await;
    }
    if has_session { Ok(outcomes) } else { Err(reason) }
}
