//! The values of arguments as texts.

use crate::schema::Kind;
use mgp_types::json::{RawJson, RawObject};

/// A value in the form in which styles write it. A nested list or object is JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Parts {
    Scalar(String),
    List(Vec<String>),
    Map(Vec<(String, String)>),
}

impl Parts {
    /// Reads a value. Numbers keep their spelling. Null is an empty text, and left out of lists and objects.
    pub(super) fn of(value: &RawJson) -> Self {
        if let Some(items) = items(value) {
            return Self::List(items.iter().filter(|item| !item.is_null()).map(text).collect());
        }
        if let Some(members) = members(value) {
            let members = members.iter().filter(|(_, value)| !value.is_null());
            return Self::Map(members.map(|(name, value)| (name.to_owned(), text(value))).collect());
        }
        Self::Scalar(text(value))
    }
}

/// Returns the items of a list.
pub(super) fn items(value: &RawJson) -> Option<Vec<RawJson>> {
    value.is_array().then(|| value.decode().ok())?
}

/// Returns the members of an object.
pub(super) fn members(value: &RawJson) -> Option<RawObject> {
    value.is_object().then(|| RawObject::from_json(value).ok())?
}

/// Returns the text of a string, and the JSON of any other value.
pub(super) fn text(value: &RawJson) -> String {
    match value.to_text() {
        Some(text) => text,
        None if value.is_null() => String::new(),
        None => value.as_str().to_owned(),
    }
}

/// Returns the kind of a value. A number without a fraction is an integer.
pub(super) fn kind_of(value: &RawJson) -> Kind {
    let json = value.as_str();
    match json.as_bytes().first() {
        Some(b'"') => Kind::String,
        Some(b'{') => Kind::Object,
        Some(b'[') => Kind::Array,
        Some(b't' | b'f') => Kind::Boolean,
        Some(b'n') => Kind::Null,
        _ if json.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') => Kind::Integer,
        _ if json.parse::<f64>().is_ok_and(|number| number.is_finite() && number.fract() == 0.0) => {
            Kind::Integer
        }
        _ => Kind::Number,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_and_texts_follow_the_json() {
        for (json, kind, expected) in [
            ("1", Kind::Integer, "1"),
            ("-12345678901234567890123", Kind::Integer, "-12345678901234567890123"),
            ("1.0", Kind::Integer, "1.0"),
            ("1.50", Kind::Number, "1.50"),
            ("\"a\\n\"", Kind::String, "a\n"),
            ("true", Kind::Boolean, "true"),
            ("null", Kind::Null, ""),
            ("[1, 2]", Kind::Array, "[1, 2]"),
        ] {
            let value = RawJson::parse(json).unwrap();
            assert_eq!((kind_of(&value), text(&value)), (kind, expected.to_owned()), "{json}");
        }
    }
}
