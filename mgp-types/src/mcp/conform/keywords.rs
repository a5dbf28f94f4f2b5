//! Keywords of JSON Schema whose invalid values prevent compilation. Hosts' SDKs compile each `outputSchema` when they list tools, and refuse
//! the whole list if one fails.

use super::pattern::is_pattern;
use serde_json::Value;

/// The names of types.
const TYPES: [&str; 7] = ["array", "boolean", "integer", "null", "number", "object", "string"];

/// The value that a keyword must have.
#[derive(Clone, Copy)]
enum Keyword {
    Number,
    Text,
    /// A regular expression.
    Pattern,
    /// The name of a schema in its document.
    Anchor,
    Flag,
    /// An array that is not empty.
    Values,
    Texts,
    Types,
    Schema,
    /// A schema, or an array of schemas.
    Items,
    Schemas,
    /// An object of schemas.
    Named,
    /// An object of schemas whose keys are regular expressions.
    Patterns,
    /// An object of schemas and of arrays of texts.
    Dependencies,
    /// A keyword that is refused with any value.
    Never,
}

impl Keyword {
    fn of(name: &str) -> Option<Self> {
        Some(match name {
            "maximum" | "minimum" | "exclusiveMaximum" | "exclusiveMinimum" | "multipleOf" | "maxLength"
            | "minLength" | "maxItems" | "minItems" | "maxProperties" | "minProperties" | "maxContains"
            | "minContains" => Self::Number,
            "format" | "$ref" | "$dynamicRef" | "$id" | "$schema" => Self::Text,
            "pattern" => Self::Pattern,
            "$anchor" | "$dynamicAnchor" => Self::Anchor,
            "uniqueItems" | "nullable" => Self::Flag,
            "enum" => Self::Values,
            "required" => Self::Texts,
            "type" => Self::Types,
            "additionalProperties"
            | "propertyNames"
            | "not"
            | "if"
            | "then"
            | "else"
            | "contains"
            | "additionalItems"
            | "unevaluatedProperties"
            | "unevaluatedItems" => Self::Schema,
            "items" => Self::Items,
            "allOf" | "anyOf" | "oneOf" | "prefixItems" => Self::Schemas,
            "properties" | "$defs" | "definitions" | "dependentSchemas" => Self::Named,
            "patternProperties" => Self::Patterns,
            "dependencies" | "dependentRequired" => Self::Dependencies,
            // The keyword of draft 4, which became `$id`.
            "id" => Self::Never,
            _ => return None,
        })
    }

    /// Returns whether the keyword accepts a value, and adds the schemas in it to `open`.
    fn takes<'a>(self, value: &'a Value, open: &mut Vec<&'a Value>) -> bool {
        match (self, value) {
            (Self::Number, Value::Number(_))
            | (Self::Text, Value::String(_))
            | (Self::Flag, Value::Bool(_)) => true,
            (Self::Pattern, Value::String(pattern)) => is_pattern(pattern),
            (Self::Anchor, Value::String(name)) => is_anchor(name),
            (Self::Values, Value::Array(values)) => !values.is_empty(),
            (Self::Texts, Value::Array(texts)) => texts.iter().all(Value::is_string),
            (Self::Types, Value::String(name)) => TYPES.contains(&name.as_str()),
            (Self::Types, Value::Array(names)) => {
                !names.is_empty()
                    && names.iter().all(|name| name.as_str().is_some_and(|name| TYPES.contains(&name)))
            }
            (Self::Schema | Self::Items, schema @ (Value::Bool(_) | Value::Object(_))) => {
                open.push(schema);
                true
            }
            (Self::Items | Self::Schemas, Value::Array(schemas)) => {
                open.extend(schemas);
                true
            }
            (Self::Named, Value::Object(schemas)) => {
                open.extend(schemas.values());
                true
            }
            (Self::Patterns, Value::Object(schemas)) => {
                open.extend(schemas.values());
                schemas.keys().all(|pattern| is_pattern(pattern))
            }
            (Self::Dependencies, Value::Object(dependencies)) => {
                let (texts, schemas): (Vec<_>, Vec<_>) =
                    dependencies.values().partition(|one| one.is_array());
                open.extend(schemas);
                texts.into_iter().all(|texts| Self::Texts.takes(texts, open))
            }
            _ => false,
        }
    }
}

/// Returns whether a name is valid for an anchor.
fn is_anchor(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
}

/// Keywords whose values are data, which are not searched for schemas.
const DATA: [&str; 3] = ["const", "default", "enum"];

/// Returns whether every known keyword of a schema has a valid value, and adds the schemas directly in it to `open`.
pub(super) fn take_subschemas<'a>(schema: &'a Value, open: &mut Vec<&'a Value>) -> bool {
    let members = match schema {
        Value::Bool(_) => return true,
        Value::Object(members) => members,
        _ => return false,
    };
    if let Some(nullable) = members.get("nullable") {
        let is_null = |types: &Value| match types {
            Value::Array(types) => types.iter().any(|one| one == "null"),
            one => one == "null",
        };
        // OpenAPI's keyword has no effect without a type, and must not contradict the type.
        if members.get("type").is_none_or(|types| nullable == false && is_null(types)) {
            return false;
        }
    }
    members.iter().all(|(name, value)| match Keyword::of(name) {
        Some(keyword) => keyword.takes(value, open),
        None => DATA.contains(&name.as_str()) || !has_address(value),
    })
}

/// Returns whether a value of an unknown keyword has schemas with addresses: hosts register these, too.
fn has_address(value: &Value) -> bool {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        let Value::Object(members) = value else { continue };
        if ["$id", "$anchor", "$dynamicAnchor"]
            .iter()
            .any(|name| members.get(*name).is_some_and(Value::is_string))
        {
            return true;
        }
        open.extend(members.values());
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn is_compilable(schema: &Value) -> bool {
        let mut open = vec![schema];
        while let Some(schema) = open.pop() {
            if !take_subschemas(schema, &mut open) {
                return false;
            }
        }
        true
    }

    #[test]
    fn an_invalid_keyword_value_is_found_in_any_subschema() {
        for schema in [
            json!({"type": "object", "properties": {"a": {"type": ["string", "null"], "default": null}}}),
            json!({"properties": {"type": {"const": 7}, "enum": true}, "x": {"type": 7}, "examples": null}),
            json!({"type": ["string", "null"], "nullable": true, "pattern": "^[a-z]+$", "$anchor": "a-1"}),
            json!({"type": "string", "nullable": false, "properties": {"id": {}}, "dependencies": {"a": ["b"], "c": {}}}),
            json!({"patternProperties": {"^x-": {}}, "default": {"$id": "a"}, "unknown": {"id": "a"}}),
            json!({"items": [{}, true], "additionalProperties": false, "$defs": {"a": {"enum": [null]}}}),
        ] {
            assert!(is_compilable(&schema), "{schema}");
        }
        for part in [
            json!({"type": "strin"}),
            json!({"type": null}),
            json!({"type": []}),
            json!({"enum": null}),
            json!({"enum": []}),
            json!({"minimum": "3"}),
            json!({"exclusiveMinimum": true}),
            json!({"required": true}),
            json!({"items": null}),
            json!({"nullable": true}),
            json!({"pattern": 7}),
            json!({"pattern": "(?i)^a$"}),
            json!({"patternProperties": {"[": {}}}),
            json!({"patternProperties": {"^x-": 7}}),
            json!({"id": "http://x/y"}),
            json!({"type": ["string", "null"], "nullable": false}),
            json!({"type": "null", "nullable": false}),
            json!({"$anchor": "a b"}),
            json!({"$dynamicAnchor": ""}),
            json!({"dependencies": null}),
            json!({"dependencies": {"a": [7]}}),
            json!({"dependentRequired": {"a": "b"}}),
            json!({"unknown": {"a": {"$id": "a"}}}),
            json!("string"),
        ] {
            for schema in [
                json!({"properties": {"a": part}}),
                json!({"allOf": [part]}),
                json!({"items": part}),
                json!({"$defs": {"a": {"not": part}}}),
            ] {
                assert!(!is_compilable(&schema), "{schema}");
            }
        }
    }
}
