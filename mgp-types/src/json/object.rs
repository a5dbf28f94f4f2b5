//! A JSON object whose values stay text.

use super::{JsonError, RawJson, check_depth, keys, slices};
use bytes::Bytes;
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{DeserializeOwned, MapAccess, Visitor},
    ser::SerializeMap,
};
use serde_json::value::RawValue;
use std::{borrow::Cow, fmt};

/// A JSON object whose keys are read, in order, and whose values are still text.
///
/// Use it to forward a payload with one member changed: everything else is written as it was read. An object that holds
/// a key twice is refused, however the key is spelled, because two readers could interpret it differently.
///
/// ```
/// use mgp_types::json::{RawJson, RawObject};
///
/// let mut params = RawObject::parse(r#"{"name":"add","n":12345678901234567890123}"#)?;
/// params.insert("_mgp", RawJson::parse(r#"{"stream":true}"#)?);
/// assert_eq!(params.to_json().as_str(), r#"{"name":"add","n":12345678901234567890123,"_mgp":{"stream":true}}"#);
/// assert!(RawObject::parse(r#"{"name":"a","na\u006de":"b"}"#).is_err());
/// # Ok::<(), mgp_types::json::JsonError>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct RawObject {
    members: Vec<(Bytes, RawJson)>,
}

impl RawObject {
    /// Creates an object with no members.
    #[must_use]
    pub const fn new() -> Self {
        Self { members: Vec::new() }
    }

    /// Reads the keys of a text that holds one JSON object.
    ///
    /// # Errors
    /// Every kind of [`JsonError`].
    pub fn parse(text: impl Into<Bytes>) -> Result<Self, JsonError> {
        Self::parse_shared(&text.into())
    }

    /// Reads the keys of a text, as [`parse`](Self::parse) does, and leaves the text to the caller.
    pub(crate) fn parse_shared(text: &Bytes) -> Result<Self, JsonError> {
        check_depth(text)?;
        Self::of(Self::read(text)?)
    }

    /// Reads the keys of a value that is an object.
    ///
    /// # Errors
    /// [`JsonError::NotAnObject`] and [`JsonError::DuplicateKey`].
    pub fn from_json(json: &RawJson) -> Result<Self, JsonError> {
        Self::of(match slices::members(json.bytes()) {
            Some(members) => members,
            None => Self::read(json.bytes())?,
        })
    }

    fn read(text: &Bytes) -> Result<Vec<(Bytes, RawJson)>, JsonError> {
        if text.iter().find(|b| !b.is_ascii_whitespace()) != Some(&b'{') {
            let value = RawJson::parse(text.clone())?;
            return Err(JsonError::NotAnObject(value.kind()));
        }
        // Checked once as a whole: a reader of bytes would check each value again.
        let checked = std::str::from_utf8(text).map_err(|error| JsonError::Syntax(error.to_string()))?;
        let mut reader = serde_json::Deserializer::from_str(checked);
        let members = reader.deserialize_map(Members(text))?;
        reader.end()?;
        Ok(members)
    }

    fn of(members: Vec<(Bytes, RawJson)>) -> Result<Self, JsonError> {
        let object = Self { members };
        match object.duplicate() {
            Some(key) => Err(JsonError::DuplicateKey(String::from_utf8_lossy(key).into_owned())),
            None => Ok(object),
        }
    }

    /// Returns a key that occurs in the object twice.
    fn duplicate(&self) -> Option<&Bytes> {
        // Comparing every pair beats hashing for the few members that messages have.
        if self.members.len() <= 16 {
            let earlier = |i: usize| self.members[..i].iter().map(|(key, _)| key);
            return self
                .members
                .iter()
                .enumerate()
                .find(|(i, (key, _))| earlier(*i).any(|k| k == key))
                .map(|(_, (key, _))| key);
        }
        let mut seen = std::collections::HashSet::with_capacity(self.members.len());
        self.members.iter().map(|(key, _)| key).find(|key| !seen.insert(*key))
    }

    /// Returns the value of a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&RawJson> {
        self.members.iter().find(|(k, _)| k == key.as_bytes()).map(|(_, value)| value)
    }

    /// Returns the value of a key that holds a string.
    #[must_use]
    pub fn text(&self, key: &str) -> Option<String> {
        self.get(key)?.to_text()
    }

    /// Returns the value of a key that holds an object.
    #[must_use]
    pub fn object(&self, key: &str) -> Option<Self> {
        Self::from_json(self.get(key)?).ok()
    }

    /// Returns the value of a key as a Rust type, or `None` if the key is absent.
    ///
    /// # Errors
    /// [`JsonError::Syntax`] if the value does not have that type's form.
    pub fn decode<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, JsonError> {
        self.get(key).map(RawJson::decode).transpose()
    }

    /// Sets a key, in place if the object has it already, otherwise at the end. Returns the old value.
    pub fn insert(&mut self, key: &'static str, value: RawJson) -> Option<RawJson> {
        self.set(key, value, || Bytes::from_static(key.as_bytes()))
    }

    /// Sets a key that is only known at run time, as [`insert`](Self::insert) does.
    pub fn insert_named(&mut self, key: &str, value: RawJson) -> Option<RawJson> {
        self.set(key, value, || Bytes::copy_from_slice(key.as_bytes()))
    }

    fn set(&mut self, key: &str, value: RawJson, shared: impl FnOnce() -> Bytes) -> Option<RawJson> {
        match self.members.iter_mut().find(|(k, _)| k == key.as_bytes()) {
            Some((_, old)) => Some(std::mem::replace(old, value)),
            None => {
                self.members.push((shared(), value));
                None
            }
        }
    }

    /// Removes a key. The order of the others is unchanged.
    pub fn remove(&mut self, key: &str) -> Option<RawJson> {
        let at = self.members.iter().position(|(k, _)| k == key.as_bytes())?;
        Some(self.members.remove(at).1)
    }

    /// Removes a key and returns its value as a Rust type, or `None` if the key is absent.
    ///
    /// # Errors
    /// [`JsonError::Member`], naming the key, if the value does not have that type's form.
    pub fn take<T: DeserializeOwned>(&mut self, key: &str) -> Result<Option<T>, JsonError> {
        let Some(value) = self.remove(key) else { return Ok(None) };
        value.decode().map(Some).map_err(|error| JsonError::Member {
            key: key.to_owned(),
            problem: match error {
                JsonError::Syntax(message) => message,
                other => other.to_string(),
            },
        })
    }

    /// Removes a key and returns its value as a Rust type. Returns `None`, and leaves the key, if the value does not
    /// have that type's form.
    pub fn take_readable<T: DeserializeOwned>(&mut self, key: &str) -> Option<T> {
        let value = self.get(key)?.decode().ok()?;
        self.remove(key);
        Some(value)
    }

    /// Changes the object that a key holds, or a new one if there is none. `change` returns whether it has changed the
    /// object: only then is the object written again, or removed with its key if it is empty. A value that is not an
    /// object, or that holds a key twice, is removed first, because a later reader could interpret it differently.
    ///
    /// ```
    /// use mgp_types::json::RawObject;
    ///
    /// let mut params = RawObject::parse(r#"{"n":1,"_meta":{"a":1,"b":2}}"#)?;
    /// params.edit("_meta", |meta| meta.remove("a").is_some());
    /// assert_eq!(params.to_json().as_str(), r#"{"n":1,"_meta":{"b":2}}"#);
    /// params.edit("_meta", |meta| meta.remove("b").is_some());
    /// assert_eq!(params.to_json().as_str(), r#"{"n":1}"#);
    /// # Ok::<(), mgp_types::json::JsonError>(())
    /// ```
    pub fn edit(&mut self, key: &'static str, change: impl FnOnce(&mut Self) -> bool) {
        let mut object = match self.get(key).map(Self::from_json) {
            Some(Ok(object)) => object,
            Some(Err(_)) => {
                self.remove(key);
                Self::new()
            }
            None => Self::new(),
        };
        if !change(&mut object) {
            return;
        }
        if object.is_empty() {
            self.remove(key);
        } else {
            self.insert(key, object.to_json());
        }
    }

    /// Adds the members of another object to the object that a key holds, or sets the key to the other object. The two objects must not have
    /// a key in common. Neither is read: use it for members that are written often.
    ///
    /// ```
    /// use mgp_types::json::{RawJson, RawObject};
    ///
    /// let mut params = RawObject::parse(r#"{"_meta":{"a":1}}"#)?;
    /// params.append("_meta", &RawJson::parse(r#"{"b":2,"c":3}"#)?);
    /// assert_eq!(params.to_json().as_str(), r#"{"_meta":{"a":1,"b":2,"c":3}}"#);
    /// # Ok::<(), mgp_types::json::JsonError>(())
    /// ```
    pub fn append(&mut self, key: &'static str, members: &RawJson) {
        let start = self.get(key).and_then(|object| object.as_bytes().strip_suffix(b"}"));
        let start = start.map(<[u8]>::trim_ascii_end).filter(|start| *start != b"{");
        let all = match (start, members.as_bytes().strip_prefix(b"{").map(<[u8]>::trim_ascii_start)) {
            (Some(_), Some(b"}")) => return,
            (Some(start), Some(rest)) => RawJson::from_checked([start, b",", rest].concat().into()),
            _ => members.clone(),
        };
        self.insert(key, all);
    }

    /// Returns the members, in order, with the keys as bytes of their UTF-8.
    pub(super) fn members(&self) -> &[(Bytes, RawJson)] {
        &self.members
    }

    /// Returns the members, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &RawJson)> {
        self.members.iter().map(|(key, value)| (std::str::from_utf8(key).unwrap_or_default(), value))
    }

    /// Returns the number of members.
    #[must_use]
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Returns `true` if there are no members.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Returns the object as text.
    #[must_use]
    pub fn to_json(&self) -> RawJson {
        if self.members.is_empty() {
            return RawJson::empty_object();
        }
        // Exact to the byte if no key needs escapes: spare room in the buffer would cost one more allocation.
        let size: usize =
            self.members.iter().map(|(key, value)| key.len() + value.as_bytes().len() + 4).sum();
        let mut out = Vec::with_capacity(size + 1);
        out.push(b'{');
        for (i, (key, value)) in self.members.iter().enumerate() {
            if i > 0 {
                out.push(b',');
            }
            write_text(&mut out, key);
            out.push(b':');
            out.extend_from_slice(value.as_bytes());
        }
        out.push(b'}');
        RawJson::from_checked(out.into())
    }
}

/// Writes a string as JSON.
pub(crate) fn write_string(out: &mut Vec<u8>, text: &str) {
    write_text(out, text.as_bytes());
}

/// Writes a string as JSON, given as the bytes of its UTF-8.
fn write_text(out: &mut Vec<u8>, text: &[u8]) {
    // Every byte is checked, without an early exit, because many bytes can be checked at once.
    let plain = |b: &u8| (*b >= 0x20) & (*b != b'"') & (*b != b'\\');
    if text.iter().fold(true, |all, byte| all & plain(byte)) {
        out.push(b'"');
        out.extend_from_slice(text);
        out.push(b'"');
    } else {
        // Writing a string into memory cannot fail.
        let _ = serde_json::to_writer(out, &String::from_utf8_lossy(text));
    }
}

impl fmt::Debug for RawObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<K: AsRef<str>> FromIterator<(K, RawJson)> for RawObject {
    /// Collects members; a repeated key replaces the earlier value.
    fn from_iter<I: IntoIterator<Item = (K, RawJson)>>(members: I) -> Self {
        let mut object = Self::new();
        for (key, value) in members {
            object.insert_named(key.as_ref(), value);
        }
        object
    }
}

impl Serialize for RawObject {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.len()))?;
        for (key, value) in self.iter() {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for RawObject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = RawJson::deserialize(deserializer)?;
        Self::from_json(&json).map_err(serde::de::Error::custom)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for RawObject {
    fn schema_name() -> Cow<'static, str> {
        "AnyObject".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "object" })
    }
}

/// Collects members as slices of the text that they are read from.
struct Members<'a>(&'a Bytes);

impl<'de> Visitor<'de> for Members<'de> {
    type Value = Vec<(Bytes, RawJson)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::with_capacity(4);
        while let Some(Key(key)) = map.next_key()? {
            let value: &'de RawValue = map.next_value()?;
            let key = match key {
                Cow::Borrowed(key) => keys::keep(self.0, key.as_bytes()),
                Cow::Owned(key) => Bytes::from(key),
            };
            members.push((key, RawJson::from_checked(keys::keep_value(self.0, value.get().as_bytes()))));
        }
        Ok(members)
    }
}

/// A key, borrowed if it holds no escapes.
struct Key<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct KeyVisitor;
        impl<'de> Visitor<'de> for KeyVisitor {
            type Value = Key<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }
            fn visit_borrowed_str<E>(self, key: &'de str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Borrowed(key)))
            }
            fn visit_str<E>(self, key: &str) -> Result<Key<'de>, E> {
                Ok(Key(Cow::Owned(key.to_owned())))
            }
        }
        deserializer.deserialize_str(KeyVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_member_changes_and_the_rest_is_untouched() {
        let text = r#"{"b": [1, 2.50], "a":{"x":1e999,"x2":"\u0041"}}"#;
        let mut object = RawObject::parse(text).unwrap();
        object.insert("a2", RawJson::null());
        assert_eq!(object.to_json().as_str(), r#"{"b":[1, 2.50],"a":{"x":1e999,"x2":"\u0041"},"a2":null}"#);
        object.insert("b", RawJson::null());
        object.remove("a");
        assert_eq!(object.to_json().as_str(), r#"{"b":null,"a2":null}"#);
    }

    #[test]
    fn members_are_appended_to_an_object_or_replace_another_value() {
        for (before, members, after) in [
            (r#"{"k":{"a":1} }"#, r#"{ "b":2}"#, r#"{"k":{"a":1,"b":2}}"#),
            (r#"{"k":{"a":1 }}"#, "{}", r#"{"k":{"a":1 }}"#),
            (r#"{"k":{ }}"#, r#"{"b":2}"#, r#"{"k":{"b":2}}"#),
            (r#"{"k":7,"n":1}"#, r#"{"b":2}"#, r#"{"k":{"b":2},"n":1}"#),
            (r#"{"n":1}"#, r#"{"b":2}"#, r#"{"n":1,"k":{"b":2}}"#),
        ] {
            let mut object = RawObject::parse(before).unwrap();
            object.append("k", &RawJson::parse(members).unwrap());
            assert_eq!(object.to_json().as_str(), after);
        }
    }

    #[test]
    fn duplicate_keys_are_refused_in_any_object_even_if_escaped() {
        assert_eq!(RawObject::parse(r#"{"a":1,"\u0061":2}"#), Err(JsonError::DuplicateKey("a".into())));
        let many: Vec<_> = (0..40).map(|i| format!("\"k{i}\":1")).chain(["\"k7\":2".into()]).collect();
        assert_eq!(
            RawObject::parse(format!("{{{}}}", many.join(","))),
            Err(JsonError::DuplicateKey("k7".into()))
        );
    }

    #[test]
    fn other_values_are_named_in_the_error() {
        for (text, kind) in
            [("[1]", "an array"), (" 12", "a number"), ("null", "null"), ("\"x\"", "a string")]
        {
            assert_eq!(RawObject::parse(text), Err(JsonError::NotAnObject(kind)));
        }
        assert!(matches!(RawObject::parse("{\"a\":1} x"), Err(JsonError::Syntax(_))));
    }

    #[test]
    fn keys_that_need_escapes_are_written_with_them() {
        let object: RawObject = [("a\"\n\u{1}é", RawJson::null())].into_iter().collect();
        assert_eq!(RawObject::from_json(&object.to_json()).unwrap(), object);
        assert_eq!(object.to_json().as_str(), "{\"a\\\"\\n\\u0001é\":null}");
    }
}
