//! Reads a text as a value, and refuses texts that two readers could read in two ways.

use crate::json::RawJson;
use serde::{
    Deserialize,
    de::{Deserializer, Error, MapAccess, SeqAccess, Visitor},
};
use serde_json::Value;
use std::{borrow::Cow, collections::HashSet, fmt};

/// Reads a text as a value.
///
/// # Errors
/// The problem: an object with a key twice, or a number that is out of range.
pub(super) fn read(json: &RawJson) -> Result<Value, String> {
    // Two readings, because only serde_json knows the representation of numbers if a program enables its exact ones.
    let read = serde_json::from_slice::<UniqueValue>(json.as_bytes())
        .and_then(|UniqueValue| serde_json::from_slice(json.as_bytes()));
    read.map_err(|error| {
        let problem = error.to_string();
        problem.split_once(" at line ").map_or(problem.as_str(), |(problem, _)| problem).to_owned()
    })
}

/// A value without an object that holds a key twice.
struct UniqueValue;

#[derive(Deserialize, PartialEq, Eq, Hash)]
struct Key<'k>(#[serde(borrow)] Cow<'k, str>);

impl<'de> Deserialize<'de> for UniqueValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for UniqueValue {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }
    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }
    fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }
    fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }
    fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }
    fn visit_f64<E>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }
    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self, A::Error> {
        while let Some(Self) = seq.next_element()? {}
        Ok(self)
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self, A::Error> {
        let mut seen = HashSet::new();
        while let Some((key, Self)) = map.next_entry::<Key<'de>, Self>()? {
            if let Some(Key(key)) = seen.replace(key) {
                let key = super::text::cut(&key, super::limits::VALUE_CHARS);
                return Err(A::Error::custom(format_args!("duplicate key {key:?}")));
            }
        }
        Ok(self)
    }
}
