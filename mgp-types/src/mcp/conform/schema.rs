//! The schemas of tools, whose root must accept objects only.

use super::{
    mend::{Mend, Remedy, note},
    shape::{Shape, ShapeCheck, left_out},
};
use crate::json::{RawJson, RawObject};

/// The type of the root.
const OBJECT: &str = "object";

/// Checks the root of a schema. Arguments and structured content are always objects, so a root without a type, or with additional types,
/// accepts the same values once its type is `"object"`.
pub(super) fn check(schema: &RawJson, pointer: &str, mends: &mut Vec<Mend>) -> ShapeCheck {
    let Ok(mut root) = RawObject::from_json(schema) else { return ShapeCheck::Invalid };
    let mut is_changed = check_type(&mut root, pointer, mends);
    if is_changed.is_none() {
        return ShapeCheck::Invalid;
    }
    for (name, shape) in [
        ("required", Shape::List(&Shape::Text)),
        ("properties", Shape::AnyObject),
        ("$schema", Shape::Text),
        ("title", Shape::Text),
        ("description", Shape::Text),
        ("$defs", Shape::AnyObject),
        ("definitions", Shape::AnyObject),
    ] {
        let Some(member) = root.get(name).cloned() else { continue };
        let place = format!("{pointer}/{name}");
        match shape.check(&member, &place, mends) {
            ShapeCheck::Valid => {}
            ShapeCheck::Changed(mended) => {
                root.insert(name, mended);
                is_changed = Some(true);
            }
            ShapeCheck::Invalid => {
                note(mends, left_out(place, &member, shape.expected()));
                root.remove(name);
                is_changed = Some(true);
            }
        }
    }
    match root.get("properties").map(|properties| (RawObject::from_json(properties), properties)) {
        Some((Ok(properties), _)) => {
            if let Some(mended) = check_properties(&properties, pointer, mends) {
                root.insert("properties", mended);
                is_changed = Some(true);
            }
        }
        Some((Err(_), found)) => {
            // Hosts would read one of two properties with the same name, and it is unknown which.
            let place = format!("{pointer}/properties");
            note(mends, left_out(place, found, "an object whose keys are all different"));
            root.remove("properties");
            is_changed = Some(true);
        }
        None => {}
    }
    if is_changed == Some(true) { ShapeCheck::Changed(root.to_json()) } else { ShapeCheck::Valid }
}

/// Checks the type of the root. Returns whether it was changed, or `None` if no object fits the schema.
fn check_type(root: &mut RawObject, pointer: &str, mends: &mut Vec<Mend>) -> Option<bool> {
    let found = match root.get("type") {
        Some(found) if found.to_text().as_deref() == Some(OBJECT) => return Some(false),
        Some(found) if found.to_text().is_some() => return None,
        Some(found) if found.is_array() => {
            let types: Vec<RawJson> = found.decode().ok()?;
            if !types.iter().any(|found| found.to_text().as_deref() == Some(OBJECT)) {
                return None;
            }
            found.kind()
        }
        Some(found) => found.kind(),
        None => "nothing",
    };
    root.insert("type", RawJson::string(OBJECT));
    let pointer = format!("{pointer}/type");
    note(mends, Mend { pointer, found, expected: "\"object\"", remedy: Remedy::Replaced });
    Some(true)
}

/// Replaces the schemas of properties that are booleans, which hosts' SDKs refuse, and leaves out values that are not schemas. Returns the
/// changed properties.
fn check_properties(properties: &RawObject, pointer: &str, mends: &mut Vec<Mend>) -> Option<RawJson> {
    if properties.iter().all(|(_, schema)| schema.is_object()) {
        return None;
    }
    let mut mended = RawObject::new();
    for (name, schema) in properties.iter() {
        let place = format!("{pointer}/properties/{}", name.replace('~', "~0").replace('/', "~1"));
        let equal = match schema.as_bytes() {
            b"true" => RawJson::empty_object(),
            b"false" => RawJson::with_member("not", &RawJson::empty_object()),
            _ if schema.is_object() => {
                mended.insert_named(name, schema.clone());
                continue;
            }
            _ => {
                note(mends, left_out(place, schema, "a JSON Schema"));
                continue;
            }
        };
        note(
            mends,
            Mend { pointer: place, found: schema.kind(), expected: "an object", remedy: Remedy::Replaced },
        );
        mended.insert_named(name, equal);
    }
    Some(mended.to_json())
}
