//! The shapes of values, and the check of a value by its shape.

use super::{
    base64,
    compilable::is_compilable,
    mend::{Mend, Remedy, note},
    schema, timestamp,
    uri::is_uri,
};
use crate::json::{RawJson, RawObject, slices};

/// The largest whole number that every reader of JSON holds exactly: 2^53 - 1.
const LARGEST_INTEGER: f64 = 9_007_199_254_740_991.0;

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
    /// A whole number that every reader holds exactly.
    Integer,
    /// A string, or a whole number that every reader holds exactly.
    Token,
    /// A string with a URI.
    Uri,
    /// A string with data in Base64.
    Base64,
    /// Any value.
    Any,
    /// An object with any members.
    AnyObject,
    /// An object with these members, and any others.
    Object(&'static [Member]),
    /// An array of values of one shape. A value that has another shape is left out.
    List(&'static Shape),
    /// An array of at most so many values of one shape. Further values are left out.
    ShortList(&'static Shape, usize),
    /// A value of the first of these shapes that it can have.
    AnyOf(&'static [Shape]),
    /// A JSON Schema whose root accepts objects only.
    Schema,
    /// A JSON Schema of an object that hosts compile: a dangling reference costs a host the whole list.
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
pub(super) enum ShapeCheck {
    Valid,
    Changed(RawJson),
    Invalid,
}

impl Shape {
    /// Describes the expected value, for people.
    pub(super) fn expected(self) -> &'static str {
        match self {
            Self::Text => "a string",
            Self::Timestamp => "a string with a date and a time, such as \"2026-01-31T12:00:00Z\"",
            Self::OneOf(_) => "one of the strings that MCP names",
            Self::Flag => "a boolean",
            Self::Share => "a number from 0 to 1",
            Self::Integer => "a whole number of at most 53 bits",
            Self::Token => "a string or a whole number of at most 53 bits",
            Self::Uri => "a URI",
            Self::Base64 => "data in Base64",
            Self::Any => "a value",
            Self::AnyObject => "an object",
            Self::Object(_) => "an object with the members that it must have",
            Self::List(_) => "an array",
            Self::ShortList(..) => "an array that is not too long",
            Self::AnyOf(_) => "an object of one of the kinds that the host's revision of MCP has",
            Self::Schema => "a JSON Schema of an object",
            Self::CompiledSchema => {
                "a JSON Schema of an object with at most 10,000 schemas, whose keywords have values that every host can compile and whose references lead to places within it"
            }
        }
    }

    /// Checks a value, and mends it if needed. Adds each change to `mends`.
    pub(super) fn check(self, value: &RawJson, pointer: &str, mends: &mut Vec<Mend>) -> ShapeCheck {
        let is_valid = match self {
            Self::Text => value.to_text().is_some(),
            Self::Timestamp => value.to_text().is_some_and(|text| timestamp::is_timestamp(&text)),
            Self::OneOf(texts) => value.to_text().is_some_and(|text| texts.contains(&text.as_str())),
            Self::Flag => matches!(value.as_bytes(), b"true" | b"false"),
            Self::Share => value.decode::<f64>().is_ok_and(|number| (0.0..=1.0).contains(&number)),
            Self::Integer => is_integer(value),
            Self::Token => value.to_text().is_some() || is_integer(value),
            Self::Uri => value.to_text().is_some_and(|text| is_uri(&text)),
            Self::Base64 => return check_base64(value, pointer, mends),
            Self::Any => true,
            Self::AnyObject => value.is_object(),
            Self::Object(members) => return check_object(members, value, pointer, mends),
            Self::List(item) => return check_list(*item, usize::MAX, value, pointer, mends),
            Self::ShortList(item, most) => return check_list(*item, most, value, pointer, mends),
            Self::AnyOf(shapes) => {
                let mut of_shape = Vec::new();
                let checked = shapes.iter().find_map(|shape| {
                    of_shape.clear();
                    match shape.check(value, pointer, &mut of_shape) {
                        ShapeCheck::Invalid => None,
                        checked => Some(checked),
                    }
                });
                let Some(checked) = checked else { return ShapeCheck::Invalid };
                of_shape.into_iter().for_each(|mend| note(mends, mend));
                return checked;
            }
            Self::Schema => return schema::check(value, pointer, mends),
            Self::CompiledSchema => return check_compiled(value, pointer, mends),
        };
        if is_valid { ShapeCheck::Valid } else { ShapeCheck::Invalid }
    }
}

fn is_integer(value: &RawJson) -> bool {
    value.decode::<f64>().is_ok_and(|number| number.fract() == 0.0 && number.abs() <= LARGEST_INTEGER)
}

/// Checks the members of an object. Members without a known shape are unchanged.
pub(super) fn check_object(
    members: &[Member],
    value: &RawJson,
    pointer: &str,
    mends: &mut Vec<Mend>,
) -> ShapeCheck {
    let Ok(mut object) = RawObject::from_json(value) else { return ShapeCheck::Invalid };
    let mut is_changed = false;
    for Member { name, shape, is_required } in members {
        let Some(member) = object.get(name).cloned() else {
            if *is_required {
                return ShapeCheck::Invalid;
            }
            continue;
        };
        let place = format!("{pointer}/{name}");
        match shape.check(&member, &place, mends) {
            ShapeCheck::Valid => {}
            ShapeCheck::Changed(mended) => {
                object.insert(name, mended);
                is_changed = true;
            }
            ShapeCheck::Invalid if *is_required => return ShapeCheck::Invalid,
            ShapeCheck::Invalid => {
                note(mends, left_out(place, &member, shape.expected()));
                object.remove(name);
                is_changed = true;
            }
        }
    }
    if is_changed { ShapeCheck::Changed(object.to_json()) } else { ShapeCheck::Valid }
}

/// Checks a schema that hosts compile, once its root is mended.
fn check_compiled(value: &RawJson, pointer: &str, mends: &mut Vec<Mend>) -> ShapeCheck {
    let mut of_root = Vec::new();
    let checked = schema::check(value, pointer, &mut of_root);
    let mended = match &checked {
        ShapeCheck::Valid => value,
        ShapeCheck::Changed(mended) => mended,
        ShapeCheck::Invalid => return ShapeCheck::Invalid,
    };
    match mended.decode() {
        Ok(schema) if is_compilable(&schema) => {
            of_root.into_iter().for_each(|mend| note(mends, mend));
            checked
        }
        _ => ShapeCheck::Invalid,
    }
}

/// Checks data in Base64. Base64 in another form is converted to the standard one.
fn check_base64(value: &RawJson, pointer: &str, mends: &mut Vec<Mend>) -> ShapeCheck {
    if value.as_plain_text().is_some_and(|text| base64::is_base64(text.as_bytes())) {
        return ShapeCheck::Valid;
    }
    let Some(text) = value.to_text() else { return ShapeCheck::Invalid };
    match base64::read(&text) {
        Some(data) if data == text => ShapeCheck::Valid,
        Some(data) => {
            note(
                mends,
                Mend {
                    pointer: pointer.to_owned(),
                    found: "another form of Base64",
                    expected: Shape::Base64.expected(),
                    remedy: Remedy::Replaced,
                },
            );
            ShapeCheck::Changed(RawJson::string(&data))
        }
        None => ShapeCheck::Invalid,
    }
}

fn check_list(item: Shape, most: usize, value: &RawJson, pointer: &str, mends: &mut Vec<Mend>) -> ShapeCheck {
    let Some(values) = slices::items(value.bytes()) else { return ShapeCheck::Invalid };
    let (mut kept, mut is_changed) = (Vec::with_capacity(values.len().min(most)), values.len() > most);
    if is_changed {
        note(
            mends,
            Mend {
                pointer: pointer.to_owned(),
                found: "too long an array",
                expected: "an array that is not too long",
                remedy: Remedy::Shortened,
            },
        );
    }
    for (index, value) in values.into_iter().take(most).enumerate() {
        let place = format!("{pointer}/{index}");
        match item.check(&value, &place, mends) {
            ShapeCheck::Valid => kept.push(value),
            ShapeCheck::Changed(mended) => {
                kept.push(mended);
                is_changed = true;
            }
            ShapeCheck::Invalid => {
                note(mends, left_out(place, &value, item.expected()));
                is_changed = true;
            }
        }
    }
    if is_changed { ShapeCheck::Changed(RawJson::array(&kept)) } else { ShapeCheck::Valid }
}

/// Returns the note of a part that is left out.
pub(super) fn left_out(pointer: String, found: &RawJson, expected: &'static str) -> Mend {
    Mend { pointer, found: found.kind(), expected, remedy: Remedy::LeftOut }
}
