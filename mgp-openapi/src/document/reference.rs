//! References within a document.

use crate::{limits::MAX_REFERENCES, text::shown};
use serde_json::Value;
use std::borrow::Cow;

/// The values that the references of a document point to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct References<'d> {
    root: &'d Value,
}

/// A reference that cannot be followed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ReferenceError {
    #[error("the reference `{0}` leaves the document, expected one that begins with `#/`")]
    Outside(String),
    #[error("the reference `{0}` points to nothing in the document")]
    Missing(String),
    #[error("the reference `{0}` leads back to itself, or through more than {MAX_REFERENCES} others")]
    Endless(String),
}

impl<'d> References<'d> {
    pub(crate) fn new(root: &'d Value) -> Self {
        Self { root }
    }

    /// Returns the value that a reference points to.
    pub(crate) fn get(self, reference: &str) -> Result<&'d Value, ReferenceError> {
        let Some(pointer) = reference.strip_prefix('#').filter(|pointer| pointer.starts_with('/')) else {
            return Err(ReferenceError::Outside(shown(reference)));
        };
        self.root.pointer(&decoded(pointer)).ok_or_else(|| ReferenceError::Missing(shown(reference)))
    }

    /// Follows a reference, and those that it leads to. Returns any other value as it is.
    pub(crate) fn follow(self, value: &'d Value) -> Result<&'d Value, ReferenceError> {
        let mut value = value;
        for _ in 0..MAX_REFERENCES {
            let Some(reference) = reference_of(value) else { return Ok(value) };
            value = self.get(reference)?;
        }
        Err(ReferenceError::Endless(shown(reference_of(value).unwrap_or_default())))
    }
}

/// Returns the target of a reference; `None` for any other value.
pub(crate) fn reference_of(value: &Value) -> Option<&str> {
    value.get("$ref").and_then(Value::as_str)
}

/// Returns a pointer without the percent-encoding of a URI's fragment.
fn decoded(pointer: &str) -> Cow<'_, str> {
    percent_encoding::percent_decode_str(pointer).decode_utf8().unwrap_or(Cow::Borrowed(pointer))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn references_are_followed_within_the_document() {
        let root = json!({
            "a": {"$ref": "#/b"}, "b": {"$ref": "#/x~1y/%7Bid%7D"}, "x/y": {"{id}": 7},
            "loop": {"$ref": "#/loop"}, "far": {"$ref": "other.yaml#/a"}, "gone": {"$ref": "#/nothing"},
        });
        let references = References::new(&root);
        let follow = |name: &str| references.follow(&root[name]).map_err(|error| error.to_string());
        assert_eq!(follow("a"), Ok(&json!(7)));
        assert!(follow("loop").unwrap_err().contains("leads back to itself"));
        assert!(follow("far").unwrap_err().contains("leaves the document"));
        assert!(follow("gone").unwrap_err().contains("`#/nothing` points to nothing"));
    }
}
