//! The version of a document.

use super::DocumentError;
use crate::text::{shown, shown_value};
use serde_json::Value;

/// Checks that a document is OpenAPI 3.0 or 3.1.
pub(super) fn check(root: &Value) -> Result<(), DocumentError> {
    let Value::Object(members) = root else {
        return Err(form("", root, "an object with the member `openapi`"));
    };
    let Some(version) = members.get("openapi") else {
        return Err(match members.get("swagger") {
            Some(swagger) => DocumentError::Swagger { version: plain(swagger) },
            None => form("", root, "the member `openapi` with version 3.0 or 3.1"),
        });
    };
    // YAML without quotes makes a number of `3.0`.
    let text = plain(version);
    match text.split('.').take(2).collect::<Vec<_>>().as_slice() {
        ["3", "0" | "1"] => Ok(()),
        _ => Err(DocumentError::Version { version: text }),
    }
}

/// Returns an error about a part of a document.
pub(super) fn form(pointer: &str, value: &Value, expected: &'static str) -> DocumentError {
    DocumentError::Form { pointer: pointer.to_owned(), value: shown_value(value), expected }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| shown(&value.to_string()), shown)
}
