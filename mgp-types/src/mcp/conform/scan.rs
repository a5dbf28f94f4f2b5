//! A check on the text of a value that a parser has accepted, without a parser and without memory of its own: most answers are valid and only
//! forwarded.
//!
//! It reads each byte about once: strings are skipped with `memchr`, as [`RawJson::may_hold`] does, and members without a known shape are
//! skipped.

use super::shape::{Member, Shape, ShapeCheck};
use crate::json::{
    RawJson,
    slices::{blanks, key_length, string, value_length},
};
use bytes::Bytes;

/// Returns whether a value certainly has a shape. If not, [`Shape::check`] decides.
pub(super) fn is_valid(members: &[Member], value: &RawJson) -> bool {
    object(members, value.as_bytes()) == Some(value.as_bytes().len())
}

/// Returns the length of the value at the start of a text, if the value certainly has a shape.
fn valid_length(shape: Shape, text: &[u8]) -> Option<usize> {
    match shape {
        Shape::Text => string(text),
        Shape::OneOf(texts) => {
            let length = string(text)?;
            texts.iter().any(|one| one.as_bytes() == &text[1..length - 1]).then_some(length)
        }
        Shape::Flag => {
            [&b"true"[..], b"false"].iter().find(|word| text.starts_with(word)).map(|word| word.len())
        }
        Shape::Base64 => {
            let length = string(text)?;
            super::base64::is_base64(&text[1..length - 1]).then_some(length)
        }
        Shape::Any => value_length(text),
        Shape::AnyObject => text.starts_with(b"{").then(|| value_length(text)).flatten(),
        Shape::Object(members) => object(members, text),
        Shape::List(item) => list(*item, usize::MAX, text),
        Shape::ShortList(item, most) => list(*item, most, text),
        Shape::AnyOf(shapes) => shapes.iter().find_map(|shape| valid_length(*shape, text)),
        // Short, and rare in answers.
        Shape::Uri | Shape::Timestamp | Shape::Share | Shape::Integer | Shape::Token => {
            let length = value_length(text)?;
            let value = RawJson::from_checked(Bytes::copy_from_slice(&text[..length]));
            matches!(shape.check(&value, "", &mut Vec::new()), ShapeCheck::Valid).then_some(length)
        }
        Shape::Schema | Shape::CompiledSchema => None,
    }
}

fn object(members: &[Member], text: &[u8]) -> Option<usize> {
    let mut rest = blanks(text.strip_prefix(b"{")?);
    let mut seen = 0u32;
    if let Some(after) = rest.strip_prefix(b"}") {
        rest = after;
    } else {
        loop {
            let key = key_length(rest)?;
            let name = &rest[1..key - 1];
            let value = blanks(blanks(&rest[key..]).strip_prefix(b":")?);
            let length = match members.iter().position(|member| member.name.as_bytes() == name) {
                None => value_length(value)?,
                Some(at) if seen & (1 << at) != 0 => return None,
                Some(at) => {
                    seen |= 1 << at;
                    valid_length(members[at].shape, value)?
                }
            };
            rest = blanks(&value[length..]);
            match rest {
                [b',', more @ ..] => rest = blanks(more),
                [b'}', after @ ..] => {
                    rest = after;
                    break;
                }
                _ => return None,
            }
        }
    }
    let has_all = members.iter().enumerate().all(|(at, member)| !member.is_required || seen & (1 << at) != 0);
    has_all.then(|| text.len() - rest.len())
}

fn list(item: Shape, most: usize, text: &[u8]) -> Option<usize> {
    let mut rest = blanks(text.strip_prefix(b"[")?);
    let mut count = 0;
    if let Some(after) = rest.strip_prefix(b"]") {
        return Some(text.len() - after.len());
    }
    loop {
        count += 1;
        let length = valid_length(item, rest).filter(|_| count <= most)?;
        rest = blanks(&rest[length..]);
        match rest {
            [b',', more @ ..] => rest = blanks(more),
            [b']', after @ ..] => return Some(text.len() - after.len()),
            _ => return None,
        }
    }
}
