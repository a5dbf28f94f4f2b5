//! Which keywords hold schemas.

use super::Dialect;
use serde_json::{Map, Value};

/// Which value the schemas in a keyword are about.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum About {
    /// The same value as the schema around them.
    TheSame,
    /// A part of it, such as a member.
    APart,
    /// None, until a reference leads to them.
    Nothing,
}

#[derive(Clone, Copy)]
enum Form {
    One,
    List,
    ByName,
    OneOrList,
}

use About::{APart, Nothing, TheSame};
use Form::{ByName, List, One, OneOrList};

/// Those of both dialects.
const BOTH: [(&str, Form, About); 16] = [
    ("allOf", List, TheSame),
    ("anyOf", List, TheSame),
    ("oneOf", List, TheSame),
    ("not", One, TheSame),
    ("if", One, TheSame),
    ("then", One, TheSame),
    ("else", One, TheSame),
    // Kept by 2020-12 for old schemas. What is a list in it holds names.
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

/// Those that draft-07 has alone.
const DRAFT07: [(&str, Form, About); 1] = [("additionalItems", One, APart)];

/// Those that 2020-12 has alone.
const DRAFT202012: [(&str, Form, About); 4] = [
    ("dependentSchemas", ByName, TheSame),
    ("prefixItems", List, APart),
    ("unevaluatedItems", One, APart),
    ("unevaluatedProperties", One, APart),
];

/// The schemas that stand directly in a schema.
pub(super) fn held(
    schema: &Map<String, Value>,
    dialect: Dialect,
) -> impl Iterator<Item = (About, &Value)> + '_ {
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

/// Whether a schema says nothing that could be wrong of a value: `true`, `{}`, or one of annotations alone. `object` is whether it
/// may say that the value is an object.
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
