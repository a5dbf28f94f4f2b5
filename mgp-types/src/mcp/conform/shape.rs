//! The shapes of values, and the check of a value by its shape.

use super::{
    mend::{Mend, Remedy},
    references::dangling_reference,
    schema, timestamp,
};
use crate::json::{RawJson, RawObject};

/// The shape that a value must have.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shape {
    /// A string.
    Text,
    /// A string with a date and a time (RFC 3339).
    Timestamp,
    /// One of some strings.
    OneOf(&'static [&'static str]),
    /// A boolean.
    Flag,
    /// A number from 0 to 1.
    Share,
    /// A number.
    Number,
    /// An object with any members.
    AnyObject,
    /// An object with these members, and any others.
    Object(&'static [Member]),
    /// An array of values of one shape. A value that has another shape is left out.
    List(&'static Shape),
    /// A JSON Schema whose root accepts objects only.
    Schema,
    /// Such a schema that hosts compile: a reference that leads nowhere costs a host the whole list.
    CompiledSchema,
}

/// A member of an object.
#[derive(Debug, Clone, Copy)]
pub(super) struct Member {
    pub(super) name: &'static str,
    pub(super) shape: Shape,
    pub(super) is_required: bool,
}

/// The result of the check of one value.
pub(super) enum Checked {
    Valid,
    Changed(RawJson),
    Invalid,
}

impl Shape {
    /// Returns what is expected of a value, for people.
    pub(super) fn expected(self) -> &'static str {
        match self {
            Self::Text => "a string",
            Self::Timestamp => "a string with a date and a time, such as \"2026-01-31T12:00:00Z\"",
            Self::OneOf(_) => "one of the strings that MCP names",
            Self::Flag => "a boolean",
            Self::Share => "a number from 0 to 1",
            Self::Number => "a number",
            Self::AnyObject => "an object",
            Self::Object(_) => "an object with the members that it must have",
            Self::List(_) => "an array",
            Self::Schema => "a JSON Schema of an object",
            Self::CompiledSchema => "a JSON Schema of an object, whose references lead to places within it",
        }
    }

    /// Checks a value, and changes what has to be changed. Adds each change to `mends`.
    pub(super) fn check(self, value: &RawJson, pointer: &str, mends: &mut Vec<Mend>) -> Checked {
        let is_valid = match self {
            Self::Text => value.to_text().is_some(),
            Self::Timestamp => value.to_text().is_some_and(|text| timestamp::is_timestamp(&text)),
            Self::OneOf(texts) => value.to_text().is_some_and(|text| texts.contains(&text.as_str())),
            Self::Flag => matches!(value.as_bytes(), b"true" | b"false"),
            Self::Share => value.decode::<f64>().is_ok_and(|number| (0.0..=1.0).contains(&number)),
            Self::Number => value.decode::<f64>().is_ok_and(f64::is_finite),
            Self::AnyObject => value.is_object(),
            Self::Object(members) => return check_object(members, value, pointer, mends),
            Self::List(item) => return check_list(*item, value, pointer, mends),
            Self::Schema => return schema::check(value, pointer, mends),
            Self::CompiledSchema => match value.decode() {
                Ok(schema) if dangling_reference(&schema).is_none() => {
                    return schema::check(value, pointer, mends);
                }
                _ => false,
            },
        };
        if is_valid { Checked::Valid } else { Checked::Invalid }
    }
}

/// Checks the members of an object. Members that no shape is known of stay as they are.
pub(super) fn check_object(
    members: &[Member],
    value: &RawJson,
    pointer: &str,
    mends: &mut Vec<Mend>,
) -> Checked {
    let Ok(mut object) = RawObject::from_json(value) else { return Checked::Invalid };
    let mut is_changed = false;
    for Member { name, shape, is_required } in members {
        let Some(member) = object.get(name).cloned() else {
            if *is_required {
                return Checked::Invalid;
            }
            continue;
        };
        let place = format!("{pointer}/{name}");
        match shape.check(&member, &place, mends) {
            Checked::Valid => {}
            Checked::Changed(mended) => {
                object.insert(name, mended);
                is_changed = true;
            }
            Checked::Invalid if *is_required => return Checked::Invalid,
            Checked::Invalid => {
                mends.push(left_out(place, &member, shape.expected()));
                object.remove(name);
                is_changed = true;
            }
        }
    }
    if is_changed { Checked::Changed(object.to_json()) } else { Checked::Valid }
}

fn check_list(item: Shape, value: &RawJson, pointer: &str, mends: &mut Vec<Mend>) -> Checked {
    if !value.is_array() {
        return Checked::Invalid;
    }
    let Ok(values) = value.decode::<Vec<RawJson>>() else { return Checked::Invalid };
    let (mut kept, mut is_changed) = (Vec::with_capacity(values.len()), false);
    for (index, value) in values.into_iter().enumerate() {
        let place = format!("{pointer}/{index}");
        match item.check(&value, &place, mends) {
            Checked::Valid => kept.push(value),
            Checked::Changed(mended) => {
                kept.push(mended);
                is_changed = true;
            }
            Checked::Invalid => {
                mends.push(left_out(place, &value, item.expected()));
                is_changed = true;
            }
        }
    }
    match RawJson::from_value(&kept) {
        Ok(list) if is_changed => Checked::Changed(list),
        Ok(_) => Checked::Valid,
        Err(_) => Checked::Invalid,
    }
}

/// Returns the note of a part that is left out.
pub(super) fn left_out(pointer: String, found: &RawJson, expected: &'static str) -> Mend {
    Mend { pointer, found: found.kind(), expected, remedy: Remedy::LeftOut }
}
