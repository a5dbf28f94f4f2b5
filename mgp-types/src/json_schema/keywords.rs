//! The keywords that hold schemas.

use super::Dialect;
use serde_json::{Map, Value};

/// The value that the schemas in a keyword apply to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SchemaSubject {
    /// The same value as the schema around them.
    TheSame,
    /// A part of that value, such as a member.
    APart,
    /// No value, until a reference leads to the schemas.
    Nothing,
}

#[derive(Clone, Copy)]
enum Form {
    One,
    List,
    ByName,
    OneOrList,
}

use Form::{ByName, List, One, OneOrList};
use SchemaSubject::{APart, Nothing, TheSame};

/// The keywords of both dialects.
const BOTH: [(&str, Form, SchemaSubject); 16] = [
    ("allOf", List, TheSame),
    ("anyOf", List, TheSame),
    ("oneOf", List, TheSame),
    ("not", One, TheSame),
    ("if", One, TheSame),
    ("then", One, TheSame),
    ("else", One, TheSame),
    // Kept by 2020-12 for old schemas. A list in this keyword holds names, not schemas.
    ("dependencies", ByName, TheSame),
    ("properties", ByName, APart),
    ("patternProperties", ByName, APart),
    ("additionalProperties", One, APart),
    ("propertyNames", One, APart),
    ("items", OneOrList, APart),
    ("contains", One, APart),
    ("definitions", ByName, Nothing),
    ("$defs", ByName, Nothing),
];

/// The keywords that only draft-07 has.
const DRAFT07: [(&str, Form, SchemaSubject); 1] = [("additionalItems", One, APart)];

/// The keywords that only 2020-12 has.
const DRAFT202012: [(&str, Form, SchemaSubject); 4] = [
    ("dependentSchemas", ByName, TheSame),
    ("prefixItems", List, APart),
    ("unevaluatedItems", One, APart),
    ("unevaluatedProperties", One, APart),
];

/// Returns the schemas directly in a schema.
pub(super) fn held(
    schema: &Map<String, Value>,
    dialect: Dialect,
) -> impl Iterator<Item = (SchemaSubject, &Value)> + '_ {
    let own: &[_] = match dialect {
        Dialect::Draft07 => &DRAFT07,
        Dialect::Draft202012 => &DRAFT202012,
    };
    BOTH.iter().chain(own).filter_map(|entry| Some((entry, schema.get(entry.0)?))).flat_map(
        |(&(_, form, about), held)| {
            let list = || held.as_array().map(Vec::as_slice).unwrap_or_default();
            let (one, list, named): (Option<&Value>, &[Value], Option<&Map<_, _>>) = match form {
                One => (Some(held), &[], None),
                List => (None, list(), None),
                OneOrList if held.is_array() => (None, list(), None),
                OneOrList => (Some(held), &[], None),
                ByName => (None, &[], held.as_object()),
            };
            let named = named.into_iter().flat_map(Map::values);
            one.into_iter().chain(list).chain(named).map(move |schema| (about, schema))
        },
    )
}

/// Returns `true` if no value can fail a schema: `true`, `{}`, or one with only annotations. With `object`, the schema may also require an
/// object.
pub(super) fn says_nothing(schema: &Value, object: bool) -> bool {
    let Value::Object(members) = schema else { return schema == &Value::Bool(true) };
    members.iter().all(|(key, value)| match key.as_str() {
        "title" | "description" | "default" | "examples" | "deprecated" | "readOnly" | "writeOnly"
        | "$comment" | "$schema" | "$id" => true,
        "additionalProperties" | "unevaluatedProperties" => value == &Value::Bool(true),
        "properties" => value.as_object().is_some_and(Map::is_empty),
        "required" => value.as_array().is_some_and(Vec::is_empty),
        "type" => object && value == "object",
        _ => false,
    })
}
