//! Keys under which a call is made only once, even if it is sent again.
//!
//! A key is carried in a call's `_meta`, and the [note](ReplayNote) in that of its result.

use crate::{
    json::{RawJson, RawObject},
    rpc::ErrorObject,
};
use std::fmt;

/// The member of a call's `_meta` that holds its key.
pub const IDEMPOTENCY_KEY: &str = "idempotency_key";

/// The member of a call's `_meta` that holds the time for which its key is kept, in seconds.
pub const IDEMPOTENCY_TTL_SECONDS: &str = "idempotency_ttl_seconds";

/// The name of the error of a key that was used with other arguments.
pub const IDEMPOTENCY_CONFLICT: &str = "IDEMPOTENCY_CONFLICT";

/// The pattern of keys.
const PATTERN: &str = r"^[a-zA-Z0-9_\-:.]{1,128}$";

/// A key under which a call is made only once: 1 to 128 letters, digits and `_-:.`.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct IdempotencyKey(Box<str>);

impl IdempotencyKey {
    /// Creates a key, or returns `None` for a text that is not a valid key.
    ///
    /// ```
    /// use mgp_types::idempotency::IdempotencyKey;
    /// assert!(IdempotencyKey::new("op-2026-03-15:a.1").is_some());
    /// assert!(IdempotencyKey::new("two words").is_none());
    /// ```
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"_-:.".contains(&byte);
        ((1..=128).contains(&text.len()) && text.bytes().all(fits)).then(|| Self(text.into()))
    }

    /// Returns the key as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for IdempotencyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl fmt::Display for IdempotencyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The request that a call be made only once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotentRequest {
    /// The key.
    pub key: IdempotencyKey,
    /// The time for which the key is kept, in seconds; `None` leaves it to the receiver.
    pub ttl_seconds: Option<u64>,
}

impl IdempotentRequest {
    /// Reads the request from the params of a call, or returns `None` if the call has no key.
    ///
    /// ```
    /// use mgp_types::{idempotency::IdempotentRequest, json::RawObject};
    /// let params = RawObject::parse(r#"{"name":"a","_meta":{"idempotency_key":"op-1"}}"#)?;
    /// let request = IdempotentRequest::of(&params).unwrap().unwrap();
    /// assert_eq!((request.key.as_str(), request.ttl_seconds), ("op-1", None));
    /// # Ok::<(), mgp_types::json::JsonError>(())
    /// ```
    ///
    /// # Errors
    /// -32602 for an invalid key or time, and for a `_meta` that can be read in two ways.
    pub fn of(params: &RawObject) -> Result<Option<Self>, ErrorObject> {
        let Some(meta) =
            params.get("_meta").filter(|meta| meta.is_object() && meta.may_hold(IDEMPOTENCY_KEY))
        else {
            return Ok(None);
        };
        let meta = RawObject::from_json(meta)
            .map_err(|error| ErrorObject::invalid_params(format!("invalid _meta: {error}")))?;
        let Some(key) = meta.get(IDEMPOTENCY_KEY) else { return Ok(None) };
        let wrong = |field: &str, expected: &str, found: &RawJson| {
            let found: String = found.as_str().chars().take(140).collect();
            ErrorObject::invalid_params(format!("invalid _meta.{field}: expected {expected}, found {found}"))
        };
        let fitting = key.to_text().and_then(|text| IdempotencyKey::new(&text));
        let expected = || format!("a string that matches {PATTERN}");
        let ttl = meta.get(IDEMPOTENCY_TTL_SECONDS).map(|ttl| {
            let seconds = ttl.decode::<u64>().ok().filter(|seconds| *seconds > 0);
            seconds.ok_or_else(|| wrong(IDEMPOTENCY_TTL_SECONDS, "a positive integer", ttl))
        });
        Ok(Some(Self {
            key: fitting.ok_or_else(|| wrong(IDEMPOTENCY_KEY, &expected(), key))?,
            ttl_seconds: ttl.transpose()?,
        }))
    }

    /// Puts the request into the params of a call.
    pub fn write(&self, params: &mut RawObject) {
        params.edit("_meta", |meta| {
            meta.insert(IDEMPOTENCY_KEY, RawJson::string(self.key.as_str()));
            // A number always serializes.
            if let Some(Ok(seconds)) = self.ttl_seconds.as_ref().map(RawJson::from_value) {
                meta.insert(IDEMPOTENCY_TTL_SECONDS, seconds);
            }
            true
        });
    }
}

/// The note in the `_meta` of the answer to a call with a key: of its result, or of the data of its error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplayNote {
    /// The key of the call.
    pub key: IdempotencyKey,
    /// True if the answer is that of an earlier call.
    pub was_replay: bool,
    /// The time at which the call was made, in RFC 3339.
    pub original_timestamp: String,
}

impl ReplayNote {
    /// The member that states whether an answer is that of an earlier call.
    pub const WAS_REPLAY: &'static str = "was_replay";

    /// Puts the note into the `_meta` of a result, or of the data of an error.
    pub fn write(&self, object: &mut RawObject) {
        object.edit("_meta", |meta| {
            meta.insert(IDEMPOTENCY_KEY, RawJson::string(self.key.as_str()));
            meta.insert(Self::WAS_REPLAY, self.was_replay.into());
            meta.insert("original_timestamp", RawJson::string(&self.original_timestamp));
            true
        });
    }

    /// Reads the note of a result, or of the data of an error, if any.
    #[must_use]
    pub fn of(object: &RawObject) -> Option<Self> {
        Self::in_meta(&object.object("_meta")?)
    }

    /// Reads the note in the data of the error that answers a call, if any.
    #[must_use]
    pub fn of_error(error: &ErrorObject) -> Option<Self> {
        Self::of(&RawObject::from_json(error.data.as_ref()?).ok()?)
    }

    /// Reads the note in the `_meta` of a result, if any.
    #[must_use]
    pub fn in_meta(meta: &RawObject) -> Option<Self> {
        Some(Self {
            key: IdempotencyKey::new(&meta.text(IDEMPOTENCY_KEY)?)?,
            was_replay: meta.decode(Self::WAS_REPLAY).ok()??,
            original_timestamp: meta.text("original_timestamp").unwrap_or_default(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(meta: &str) -> Result<Option<IdempotentRequest>, String> {
        let params = RawObject::parse(format!(r#"{{"name":"a","_meta":{meta}}}"#)).unwrap();
        IdempotentRequest::of(&params).map_err(|error| error.to_string())
    }

    #[test]
    fn a_key_is_read_and_a_call_without_one_has_none() {
        let longest = "k".repeat(128);
        for (meta, key, ttl) in [
            (r#"{"idempotency_key":"a_B-1:.","x":1}"#, "a_B-1:.", None),
            (r#"{"idempotency_ttl_seconds":7,"\u0069dempotency_key":"k"}"#, "k", Some(7)),
            (&format!(r#"{{"idempotency_key":"{longest}"}}"#), &longest, None),
        ] {
            let request = of(meta).unwrap().unwrap();
            assert_eq!((request.key.as_str(), request.ttl_seconds), (key, ttl), "{meta}");
            let mut params = RawObject::new();
            request.write(&mut params);
            assert_eq!(IdempotentRequest::of(&params).unwrap(), Some(request));
        }
        for meta in ["{}", "null", r#""idempotency_key""#, r#"{"idempotency_ttl_seconds":"x"}"#] {
            assert_eq!(of(meta), Ok(None), "{meta}");
        }
    }

    #[test]
    fn an_invalid_key_is_reported_with_field_value_and_pattern() {
        let long = format!(r#"{{"idempotency_key":"{}"}}"#, "k".repeat(129));
        for (meta, texts) in [
            (r#"{"idempotency_key":""}"#, [r#"found """#, PATTERN]),
            (r#"{"idempotency_key":"a b"}"#, [r#"found "a b""#, PATTERN]),
            (r#"{"idempotency_key":"é"}"#, [r#"found "é""#, PATTERN]),
            (r#"{"idempotency_key":7}"#, ["found 7", PATTERN]),
            (r#"{"idempotency_key":null}"#, ["found null", PATTERN]),
            (&long, ["_meta.idempotency_key", PATTERN]),
            (r#"{"idempotency_key":"a","idempotency_key":"b"}"#, ["invalid _meta", "duplicate"]),
            (r#"{"idempotency_key":"a","idempotency_ttl_seconds":0}"#, ["ttl_seconds", "found 0"]),
            (r#"{"idempotency_key":"a","idempotency_ttl_seconds":"1"}"#, ["ttl_seconds", r#"found "1""#]),
            (r#"{"idempotency_key":"a","idempotency_ttl_seconds":1.5}"#, ["ttl_seconds", "found 1.5"]),
        ] {
            let error = of(meta).unwrap_err();
            assert!(texts.iter().all(|text| error.contains(text)) && error.contains("-32602"), "{error}");
        }
    }

    #[test]
    fn a_written_note_reads_back() {
        let mut result = RawObject::parse(r#"{"content":[],"_meta":{"a":1}}"#).unwrap();
        assert_eq!(ReplayNote::of(&result), None);
        let note = ReplayNote {
            key: IdempotencyKey::new("k").unwrap(),
            was_replay: true,
            original_timestamp: "2026-03-15T10:30:00Z".into(),
        };
        note.write(&mut result);
        assert_eq!(ReplayNote::of(&result), Some(note));
        assert_eq!(result.object("_meta").unwrap().len(), 4);
    }
}
