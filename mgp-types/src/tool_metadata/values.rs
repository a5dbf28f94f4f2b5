//! Reads the values of members, each within its bound.

use super::limits::{MAX_NAME, MAX_TEXT, MAX_VALUE};
use crate::json::RawJson;
use serde::de::DeserializeOwned;

/// A value, or the expectation and the value that was found.
pub(super) type Value<T> = Result<T, String>;

/// The longest part of a value that an error shows, in characters.
const SHOWN: usize = 60;

/// Reads a value by its type's own rules.
pub(super) fn of_type<T: DeserializeOwned>(json: &RawJson) -> Value<T> {
    bounded(json, MAX_VALUE)?;
    json.decode().map_err(|error| match error {
        crate::json::JsonError::Syntax(message) => message,
        other => other.to_string(),
    })
}

/// Reads a text that is not empty.
pub(super) fn text(json: &RawJson) -> Value<String> {
    text_within(json, MAX_TEXT)
}

/// Reads a name: a short text.
pub(super) fn name(json: &RawJson) -> Value<String> {
    text_within(json, MAX_NAME)
}

fn text_within(json: &RawJson, most: usize) -> Value<String> {
    // An escape takes at most six bytes.
    bounded(json, most.saturating_mul(6))?;
    match json.to_text() {
        Some(text) if text.trim().is_empty() => Err("expected a text, found an empty one".to_owned()),
        Some(text) if text.len() > most => {
            Err(format!("expected a text of at most {most} bytes, found {}", text.len()))
        }
        Some(text) => Ok(text),
        None => Err(format!("expected a text, found {}", json.kind())),
    }
}

/// Reads a truth value.
pub(super) fn flag(json: &RawJson) -> Value<bool> {
    json.decode().map_err(|_| format!("expected true or false, found {}", shown(json)))
}

/// Reads a whole number that is not negative.
pub(super) fn count(json: &RawJson) -> Value<u64> {
    json.decode().map_err(|_| format!("expected a whole number that is not negative, found {}", shown(json)))
}

/// Reads a version.
pub(super) fn version(json: &RawJson) -> Value<semver::Version> {
    let text = name(json)?;
    text.parse().map_err(|error| format!("expected a version such as 1.2.3, found {}: {error}", shown(json)))
}

/// Returns a value as an error shows it.
pub(super) fn shown(json: &RawJson) -> String {
    let mut text: String = json.as_str().chars().take(SHOWN).collect();
    if text.len() < json.as_str().len() {
        text.push('…');
    }
    text
}

/// Refuses a value that is too long.
pub(super) fn bounded(json: &RawJson, most: usize) -> Value<()> {
    match json.as_bytes().len() {
        found if found > most => Err(format!("expected at most {most} bytes, found {found}")),
        _ => Ok(()),
    }
}
