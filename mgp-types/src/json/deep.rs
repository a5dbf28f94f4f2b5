//! Deep reading: a whole value as a tree, within the bounds that a gate needs.

use super::{JsonError, RawJson, check_depth};
use serde::{
    Deserialize, Deserializer,
    de::{Error, MapAccess, SeqAccess, Visitor},
};
use std::{collections::HashSet, fmt};

/// A JSON value read to its leaves.
///
/// Used by layers that judge the content of a payload, such as validators. They must see the same content as the
/// server, so an object with a duplicate key is refused at every level, and so is nesting deeper than
/// [`MAX_DEPTH`](super::MAX_DEPTH). Numbers are read as doubles.
#[derive(Debug, Clone, PartialEq)]
pub enum Deep {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, as a double; the raw text is what is forwarded.
    Number(f64),
    /// A string, unescaped.
    String(String),
    /// An array.
    Array(Vec<Deep>),
    /// An object, members in order.
    Object(Vec<(String, Deep)>),
}

/// A part of a value that carries content.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Part<'a> {
    /// A member's name.
    Name(&'a str),
    /// A string.
    Text(&'a str),
    /// A number.
    Number(f64),
}

impl Deep {
    /// Calls `visit` with every string, every number and every member's name, together with its JSON pointer (RFC
    /// 6901). For a name, the pointer leads to the object that has the member.
    pub fn for_each_part(&self, visit: &mut dyn FnMut(&str, Part<'_>)) {
        self.walk(&mut String::new(), visit);
    }

    fn walk(&self, pointer: &mut String, visit: &mut dyn FnMut(&str, Part<'_>)) {
        let length = pointer.len();
        match self {
            Self::String(text) => visit(pointer, Part::Text(text)),
            Self::Number(number) => visit(pointer, Part::Number(*number)),
            Self::Array(items) => {
                for (i, item) in items.iter().enumerate() {
                    pointer.push_str(&format!("/{i}"));
                    item.walk(pointer, visit);
                    pointer.truncate(length);
                }
            }
            Self::Object(members) => {
                for (key, value) in members {
                    visit(pointer, Part::Name(key));
                    pointer.push('/');
                    pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
                    value.walk(pointer, visit);
                    pointer.truncate(length);
                }
            }
            Self::Null | Self::Bool(_) => {}
        }
    }
}

/// Reads a value to its leaves.
///
/// # Errors
/// [`JsonError::DuplicateKey`] for a duplicate key at any level, and [`JsonError::TooDeep`].
///
/// ```
/// use mgp_types::json::{JsonError, RawJson, read_deep};
/// let twice = RawJson::parse(r#"{"a":{"command":"ls","command":"rm -rf /"}}"#)?;
/// assert_eq!(read_deep(&twice), Err(JsonError::DuplicateKey("command".into())));
/// # Ok::<(), JsonError>(())
/// ```
pub fn read_deep(json: &RawJson) -> Result<Deep, JsonError> {
    check_depth(json.as_bytes())?;
    serde_json::from_slice(json.as_bytes()).map_err(|error| match error.to_string().strip_prefix(DUPLICATE) {
        Some(rest) => JsonError::DuplicateKey(rest.split('\u{0}').next().unwrap_or_default().to_owned()),
        None => error.into(),
    })
}

/// Marks the custom error of a duplicate key on its way through serde_json, which passes on only messages.
const DUPLICATE: &str = "duplicate key \u{0}";

impl<'de> Deserialize<'de> for Deep {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(DeepVisitor)
    }
}

struct DeepVisitor;

impl<'de> Visitor<'de> for DeepVisitor {
    type Value = Deep;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }
    fn visit_unit<E>(self) -> Result<Deep, E> {
        Ok(Deep::Null)
    }
    fn visit_bool<E>(self, value: bool) -> Result<Deep, E> {
        Ok(Deep::Bool(value))
    }
    #[expect(clippy::cast_precision_loss, reason = "the raw text keeps the exact number")]
    fn visit_i64<E>(self, value: i64) -> Result<Deep, E> {
        Ok(Deep::Number(value as f64))
    }
    #[expect(clippy::cast_precision_loss, reason = "the raw text keeps the exact number")]
    fn visit_u64<E>(self, value: u64) -> Result<Deep, E> {
        Ok(Deep::Number(value as f64))
    }
    fn visit_f64<E>(self, value: f64) -> Result<Deep, E> {
        Ok(Deep::Number(value))
    }
    fn visit_str<E>(self, value: &str) -> Result<Deep, E> {
        Ok(Deep::String(value.to_owned()))
    }
    fn visit_string<E>(self, value: String) -> Result<Deep, E> {
        Ok(Deep::String(value))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Deep, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Deep::Array(items))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Deep, A::Error> {
        let mut members: Vec<(String, Deep)> = Vec::new();
        let mut seen = HashSet::new();
        while let Some(key) = map.next_key::<String>()? {
            if !seen.insert(key.clone()) {
                return Err(A::Error::custom(format!("{DUPLICATE}{key}\u{0}")));
            }
            let value = map.next_value()?;
            members.push((key, value));
        }
        Ok(Deep::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_string_number_and_name_is_visited_with_its_pointer() {
        let json = RawJson::parse(r#"{"a/b":["x",{"c~d":"y"}],"n":1.5,"t":true,"s":""}"#).unwrap();
        let mut seen = Vec::new();
        read_deep(&json).unwrap().for_each_part(&mut |at, part| {
            seen.push(match part {
                Part::Name(name) => format!("{at} has {name}"),
                Part::Text(text) => format!("{at}={text}"),
                Part::Number(number) => format!("{at}={number}"),
            });
        });
        assert_eq!(
            seen,
            [
                " has a/b",
                "/a~1b/0=x",
                "/a~1b/1 has c~d",
                "/a~1b/1/c~0d=y",
                " has n",
                "/n=1.5",
                " has t",
                " has s",
                "/s="
            ]
        );
    }

    #[test]
    fn duplicate_keys_are_found_at_any_level_and_when_escaped() {
        let json = RawJson::parse(r#"[{"x":[{"a":1,"\u0061":2}]}]"#).unwrap();
        assert_eq!(read_deep(&json), Err(JsonError::DuplicateKey("a".into())));
    }

    #[test]
    fn numbers_out_of_range_are_refused_not_misread() {
        let json = RawJson::parse("[1e999]").unwrap();
        assert!(matches!(read_deep(&json), Err(JsonError::Syntax(_))));
    }
}
