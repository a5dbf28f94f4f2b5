//! The intent of a call: a sentence in which the caller states the purpose of the call.

use crate::{
    json::{RawJson, RawObject},
    rpc::ErrorObject,
};
use std::{fmt, sync::Arc};

/// The intent of a call, in the caller's own words, from `_meta.intent` of its params. It is never judged and grants nothing: it is kept for
/// the people who approve and audit calls, and helps to find a tool that fits better.
///
/// ```
/// use mgp_types::{intent::Intent, json::RawObject};
///
/// let params = RawObject::parse(r#"{"name":"search","_meta":{"intent":"find Friday's incident"}}"#)?;
/// assert_eq!(Intent::of_params(&params)?.unwrap().as_str(), "find Friday's incident");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Intent(Arc<str>);

impl Intent {
    /// The name of the member: of `_meta` in the params of `tools/call`, and of the arguments of `mgp_tools_call`.
    pub const MEMBER: &'static str = "intent";

    /// The longest intent, in bytes.
    pub const MAX_BYTES: usize = 2_000;

    /// Reads the intent of a call from its params, if the caller gave one.
    ///
    /// # Errors
    /// -32602 if it is not a string, is blank, or is longer than [`MAX_BYTES`](Self::MAX_BYTES).
    pub fn of_params(params: &RawObject) -> Result<Option<Self>, ErrorObject> {
        // Most calls have no intent, so their `_meta` is not read.
        let meta = params.get("_meta").filter(|meta| meta.may_hold(Self::MEMBER));
        let Some(meta) = meta.and_then(|meta| RawObject::from_json(meta).ok()) else { return Ok(None) };
        meta.get(Self::MEMBER).map(|intent| Self::read(intent, "_meta.intent")).transpose()
    }

    /// Reads an intent. `field` is its name in errors.
    ///
    /// # Errors
    /// See [`of_params`](Self::of_params).
    pub fn read(intent: &RawJson, field: &str) -> Result<Self, ErrorObject> {
        let invalid = |found: String| {
            let expected = format!("expected a sentence of at most {} bytes", Self::MAX_BYTES);
            ErrorObject::invalid_params(format!("invalid {field}: {expected}, found {found}"))
        };
        let Some(text) = intent.to_text() else { return Err(invalid(intent.kind().to_owned())) };
        match text.len() {
            _ if text.trim().is_empty() => Err(invalid("a blank text".to_owned())),
            length if length > Self::MAX_BYTES => Err(invalid(format!("{length} bytes"))),
            _ => Ok(Self(text.into())),
        }
    }

    /// Returns the sentence.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Intent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(meta: &str) -> Result<Option<String>, String> {
        let params = RawObject::parse(format!(r#"{{"name":"t","_meta":{meta}}}"#)).unwrap();
        let intent = Intent::of_params(&params).map_err(|error| error.message)?;
        Ok(intent.map(|intent| intent.as_str().to_owned()))
    }

    #[test]
    fn an_intent_is_a_sentence_of_bounded_length() {
        assert_eq!(read(r#"{"intent":"find \"it\""}"#), Ok(Some("find \"it\"".into())));
        assert_eq!(read(r#"{"x":{"intent":"inner"}}"#), Ok(None));
        assert_eq!(read("{}"), Ok(None));
        for (meta, found) in [
            (r#"{"intent":7}"#.to_owned(), "found a number"),
            (r#"{"intent":" "}"#.to_owned(), "found a blank text"),
            (format!(r#"{{"intent":"{}"}}"#, "x".repeat(2_001)), "found 2001 bytes"),
        ] {
            let error = read(&meta).unwrap_err();
            assert!(error.starts_with("invalid _meta.intent: ") && error.ends_with(found), "{error}");
        }
    }
}
