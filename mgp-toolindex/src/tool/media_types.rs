//! The MIME types that a tool accepts and returns: those that its server declares, or otherwise those that its schemas name.

use super::IndexedTool;
use mgp_types::json::RawJson;
use serde_json::Value;

/// The greatest depth to which a schema is read, and the most of its nodes.
const MAX_DEPTH: usize = 16;
const MAX_NODES: usize = 2000;
/// The most types that are derived.
const MAX_TYPES: usize = 64;

impl IndexedTool {
    /// Returns the MIME types that the tool accepts.
    #[must_use]
    pub fn input_types(&self) -> Vec<String> {
        let declared = self.metadata().metadata.input_types;
        if declared.is_empty() { derived(&self.input_schema()) } else { declared }
    }

    /// Returns the MIME types that the tool returns.
    #[must_use]
    pub fn output_types(&self) -> Vec<String> {
        let declared = self.metadata().metadata.output_types;
        if !declared.is_empty() {
            return declared;
        }
        self.definition().get("outputSchema").map(derived).unwrap_or_default()
    }
}

/// Returns the types that a schema names as `contentMediaType`, each once.
fn derived(schema: &RawJson) -> Vec<String> {
    if !schema.may_hold("contentMediaType") {
        return Vec::new();
    }
    schema.decode::<Value>().map(|schema| media_types(&schema)).unwrap_or_default()
}

/// Returns the types that a schema names as `contentMediaType`, each once.
pub(crate) fn media_types(schema: &Value) -> Vec<String> {
    let (mut types, mut left) = (Vec::new(), MAX_NODES);
    collect(schema, MAX_DEPTH, &mut left, &mut types);
    types
}

fn collect(schema: &Value, depth: usize, left: &mut usize, types: &mut Vec<String>) {
    let (Some(depth), Some(rest)) = (depth.checked_sub(1), left.checked_sub(1)) else { return };
    *left = rest;
    match schema {
        Value::Object(members) => {
            if let Some(Value::String(named)) = members.get("contentMediaType")
                && types.len() < MAX_TYPES
                && !types.contains(named)
            {
                types.push(named.clone());
            }
            members.values().for_each(|inner| collect(inner, depth, left, types));
        }
        Value::Array(items) => items.iter().for_each(|inner| collect(inner, depth, left, types)),
        _ => {}
    }
}

/// Returns whether two MIME types mean the same, or one of them is a pattern, such as `image/*`, that matches the other.
/// Parameters after `;` are ignored.
pub(crate) fn is_same_type(one: &str, other: &str) -> bool {
    let parts = |text: &str| {
        let plain = text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        plain.split_once('/').map(|(kind, sub)| (kind.to_owned(), sub.to_owned()))
    };
    let fits = |one: &str, other: &str| one == other || one == "*" || other == "*";
    match (parts(one), parts(other)) {
        (Some((one, of_one)), Some((other, of_other))) => fits(&one, &other) && fits(&of_one, &of_other),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_types::context::RiskLevel;

    #[test]
    fn types_are_declared_or_derived_from_schemas() {
        let read = |text: &str| {
            IndexedTool::new("s", &RawJson::parse(text.to_owned()).unwrap(), RiskLevel::Safe).unwrap()
        };
        let derived = read(
            r#"{"name":"a","inputSchema":{"properties":{"i":{"contentMediaType":"image/png"},"j":{"items":{"contentMediaType":"image/png"}}}},
                "outputSchema":{"properties":{"t":{"contentMediaType":"text/csv"}}}}"#,
        );
        assert_eq!(
            (derived.input_types(), derived.output_types()),
            (vec!["image/png".into()], vec!["text/csv".into()])
        );
        let declared = read(
            r#"{"name":"a","input_types":["image/*"],"inputSchema":{"properties":{"i":{"contentMediaType":"image/png"}}}}"#,
        );
        assert_eq!((declared.input_types(), declared.output_types()), (vec!["image/*".to_owned()], vec![]));
    }

    #[test]
    fn a_pattern_on_either_side_matches() {
        for (one, other, same) in [
            ("image/png", "IMAGE/PNG; q=1", true),
            ("image/*", "image/png", true),
            ("text/csv", "*/*", true),
            ("image/png", "image/jpeg", false),
            ("png", "image/png", false),
        ] {
            assert_eq!(is_same_type(one, other), same, "{one} {other}");
        }
    }
}
