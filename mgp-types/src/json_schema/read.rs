//! Reads a text as a value, and refuses texts that readers could interpret differently.

use super::{limits::VALUE_CHARS, text::cut};
use crate::json::{JsonError, RawJson, check_unique_keys};
use serde_json::Value;

/// Reads a text as a value.
///
/// # Errors
/// The problem: an object with a key twice, or a number that is out of range.
pub(super) fn read(json: &RawJson) -> Result<Value, String> {
    check_unique_keys(json).map_err(|error| match error {
        JsonError::DuplicateKeyAt { key, pointer } => {
            let (key, pointer) = (cut(&key, VALUE_CHARS), cut(&pointer, VALUE_CHARS));
            JsonError::DuplicateKeyAt { key, pointer }.to_string()
        }
        other => other.to_string(),
    })?;
    serde_json::from_slice(json.as_bytes()).map_err(|error| {
        let problem = error.to_string();
        problem.split_once(" at line ").map_or(problem.as_str(), |(problem, _)| problem).to_owned()
    })
}
