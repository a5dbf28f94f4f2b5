//! One JSON value as text, cheap to clone and to slice.

use super::{JsonError, check_depth};
use bytes::Bytes;
use memchr::{memchr, memchr_iter, memmem};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::DeserializeOwned};
use serde_json::value::RawValue;
use std::fmt;

/// One JSON value, kept as the text that it was read from.
///
/// Clones share the text. Numbers, key order and unknown members are never changed, because nothing is rebuilt. The
/// text is valid JSON, at most [`MAX_DEPTH`](super::MAX_DEPTH) levels deep and without surrounding white space.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct RawJson(Bytes);

impl RawJson {
    /// Returns the value `null`.
    #[must_use]
    pub const fn null() -> Self {
        Self(Bytes::from_static(b"null"))
    }

    /// Returns the value `{}`.
    #[must_use]
    pub const fn empty_object() -> Self {
        Self(Bytes::from_static(b"{}"))
    }

    /// Reads a text that holds one JSON value. The text is kept, not copied: it is a `&'static str`, a `String` or `Bytes`.
    ///
    /// # Errors
    /// [`JsonError::Syntax`] and [`JsonError::TooDeep`].
    pub fn parse(text: impl Into<Bytes>) -> Result<Self, JsonError> {
        let text = text.into();
        check_depth(&text)?;
        let value: &RawValue = serde_json::from_slice(&text)?;
        Ok(Self(text.slice_ref(value.get().as_bytes())))
    }

    /// Makes the JSON string whose value is `text`. To read a text that holds JSON, use [`parse`](Self::parse): there
    /// is no conversion from `&str`, because it would not show which of the two is meant.
    ///
    /// ```
    /// use mgp_types::json::RawJson;
    /// assert_eq!(RawJson::string(r#"{"a":1}"#).as_str(), r#""{\"a\":1}""#);
    /// assert_eq!(RawJson::parse(r#"{"a":1}"#)?.as_str(), r#"{"a":1}"#);
    /// # Ok::<(), mgp_types::json::JsonError>(())
    /// ```
    /// ```compile_fail,E0277
    /// let arguments: mgp_types::json::RawJson = r#"{"a":1}"#.into();
    /// ```
    #[must_use]
    pub fn string(text: &str) -> Self {
        let mut out = Vec::with_capacity(text.len() + 2);
        super::write_string(&mut out, text);
        Self(out.into())
    }

    /// Writes a value as JSON.
    ///
    /// # Errors
    /// [`JsonError::Syntax`] if the value cannot be JSON, such as a map whose keys are not strings.
    pub fn from_value<T: Serialize + ?Sized>(value: &T) -> Result<Self, JsonError> {
        Ok(Self(serde_json::to_vec(value)?.into()))
    }

    /// Creates an object with one member. The key must not need escapes.
    pub(crate) fn with_member(key: &'static str, value: &Self) -> Self {
        let mut out = Vec::with_capacity(key.len() + value.0.len() + 5);
        for part in [b"{\"", key.as_bytes(), b"\":", &value.0, b"}"] {
            out.extend_from_slice(part);
        }
        Self(out.into())
    }

    /// Wraps a part of a text that a parser has already accepted.
    pub(crate) fn from_checked(text: Bytes) -> Self {
        Self(text)
    }

    /// Reads the value as a Rust type.
    ///
    /// # Errors
    /// [`JsonError::Syntax`] if the value does not have that type's form.
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, JsonError> {
        Ok(serde_json::from_slice(&self.0)?)
    }

    /// Returns a copy that shares nothing with the text that the value was cut from: a share keeps the whole text in memory.
    #[must_use]
    pub fn detached(&self) -> Self {
        Self(Bytes::copy_from_slice(&self.0))
    }

    /// Returns the text as bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns the text as shared bytes.
    #[must_use]
    pub fn bytes(&self) -> &Bytes {
        &self.0
    }

    /// Returns the text as a string.
    #[must_use]
    pub fn as_str(&self) -> &str {
        // The parser has checked the text; an empty string would show up in every test.
        std::str::from_utf8(&self.0).unwrap_or_default()
    }

    /// Returns the string that the value holds, or `None` if it is not a string or holds escapes.
    #[must_use]
    pub fn as_plain_text(&self) -> Option<&str> {
        let text = self.as_str().strip_prefix('"')?.strip_suffix('"')?;
        (!text.contains('\\')).then_some(text)
    }

    /// Returns the string that the value holds, unescaped, or `None` if it is not a string.
    #[must_use]
    pub fn to_text(&self) -> Option<String> {
        match self.as_plain_text() {
            Some(text) => Some(text.to_owned()),
            None => self.0.starts_with(b"\"").then(|| serde_json::from_slice(&self.0).ok()).flatten(),
        }
    }

    /// Returns whether a name may occur in the text as a key. Most payloads do not contain a given name, and need not
    /// be parsed to find that out.
    ///
    /// ```
    /// use mgp_types::json::RawJson;
    /// assert!(!RawJson::parse(r#"{"content":[]}"#)?.may_hold("isError"));
    /// assert!(RawJson::parse(r#"{"is\u0045rror":true}"#)?.may_hold("isError"));
    /// assert!(RawJson::parse(r#"{"a.b\/c":true}"#)?.may_hold("a.b/c"));
    /// # Ok::<(), mgp_types::json::JsonError>(())
    /// ```
    #[must_use]
    pub fn may_hold(&self, name: &str) -> bool {
        // A key with escapes may be any key.
        holds(&self.0, name.as_bytes())
            || memchr(b'\\', &self.0).is_some()
                && (holds(&self.0, b"\\u00") || name.contains('/') && holds(&self.0, b"\\/"))
    }

    /// Returns `true` if the value is `null`.
    #[must_use]
    pub fn is_null(&self) -> bool {
        &self.0[..] == b"null"
    }

    /// Returns `true` if the value is an object.
    #[must_use]
    pub fn is_object(&self) -> bool {
        self.0.starts_with(b"{")
    }

    /// Returns `true` if the value is an array.
    #[must_use]
    pub fn is_array(&self) -> bool {
        self.0.starts_with(b"[")
    }

    /// Returns the kind of the value, in words for an error message.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self.0.first() {
            Some(b'{') => "an object",
            Some(b'[') => "an array",
            Some(b'"') => "a string",
            Some(b't' | b'f') => "a boolean",
            Some(b'n') => "null",
            _ => "a number",
        }
    }

    /// Returns the object that a string holds as text; `None` for any other value. Some clients write a call's arguments this way.
    ///
    /// ```
    /// use mgp_types::json::RawJson;
    /// let text = RawJson::string(r#" {"a":1.0} "#);
    /// assert_eq!(text.object_in_text().map(|object| object.to_string()).as_deref(), Some(r#"{"a":1.0}"#));
    /// assert_eq!(RawJson::string("[1]").object_in_text(), None);
    /// assert_eq!(RawJson::empty_object().object_in_text(), None);
    /// ```
    #[must_use]
    pub fn object_in_text(&self) -> Option<Self> {
        let text = self.0.starts_with(b"\"").then(|| self.to_text()).flatten()?;
        let starts_as_one = text.trim_start().starts_with('{');
        starts_as_one.then(|| Self::parse(text).ok()).flatten()
    }

    /// Returns the kind of a value for which [`to_text`](Self::to_text) returned no text. A string has no text only if
    /// it holds an unpaired surrogate.
    ///
    /// ```
    /// use mgp_types::json::RawJson;
    /// let half = RawJson::parse(r#""\ud800""#)?;
    /// assert_eq!((half.to_text(), half.kind_without_text()), (None, "a string with an unpaired surrogate"));
    /// assert_eq!(RawJson::parse("7")?.kind_without_text(), "a number");
    /// # Ok::<(), mgp_types::json::JsonError>(())
    /// ```
    #[must_use]
    pub fn kind_without_text(&self) -> &'static str {
        if self.0.starts_with(b"\"") { "a string with an unpaired surrogate" } else { self.kind() }
    }
}

/// The longest text that is compared before a search is prepared, in bytes.
const SHORT: usize = 512;

/// Returns whether a text contains another one.
fn holds(text: &[u8], part: &[u8]) -> bool {
    let (Some(first), Some(last)) = (part.first(), part.last()) else { return true };
    // Preparing a search takes longer than comparing a text of the usual length.
    if text.len() > SHORT {
        return memmem::find(text, part).is_some();
    }
    // Most texts do not contain both bytes in their distance. Every byte is compared, without an early exit, because many bytes can be
    // compared at once.
    let ends = text.get(part.len() - 1..).unwrap_or_default();
    text.iter().zip(ends).fold(false, |any, (start, end)| any | ((start == first) & (end == last)))
        && memchr_iter(*first, text).any(|start| text[start..].starts_with(part))
}

impl From<bool> for RawJson {
    fn from(value: bool) -> Self {
        Self(Bytes::from_static(if value { b"true" } else { b"false" }))
    }
}

impl fmt::Debug for RawJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for RawJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for RawJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &RawValue = serde_json::from_slice(&self.0).map_err(serde::ser::Error::custom)?;
        raw.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for RawJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        let text: Box<str> = raw.into();
        Ok(Self(Bytes::from(text.into_boxed_bytes())))
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for RawJson {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "AnyValue".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        true.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_numbers_and_key_order_survive() {
        let text = r#"{"z":123456789012345678901234567890.10,"a":1e400}"#;
        let raw: RawJson = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&raw).unwrap(), text);
    }

    #[test]
    fn only_white_space_around_the_value_is_dropped() {
        assert_eq!(RawJson::parse(" { \"a\" : 1 } \n").unwrap().as_str(), "{ \"a\" : 1 }");
    }

    #[test]
    fn anything_but_one_value_is_refused() {
        for text in ["", "{", "1 2", "{\"a\":1}}", "\u{feff}1", "nul"] {
            assert!(matches!(RawJson::parse(text), Err(JsonError::Syntax(_))), "{text:?}");
        }
    }

    #[test]
    fn null_stays_null_in_an_optional_member() {
        #[derive(Deserialize)]
        struct Holder {
            value: RawJson,
        }
        let holder: Holder = serde_json::from_str(r#"{"value":null}"#).unwrap();
        assert!(holder.value.is_null());
    }
}
