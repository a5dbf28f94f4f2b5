//! Keywords of JSON Schema whose values keep a schema from being compiled: hosts' SDKs compile each `outputSchema` when they list tools, and refuse
//! the whole list if one fails.

use serde_json::Value;

/// The names of types.
const TYPES: [&str; 7] = ["array", "boolean", "integer", "null", "number", "object", "string"];

/// The value that a keyword must have.
#[derive(Clone, Copy)]
enum Keyword {
    Number,
    Text,
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
}

impl Keyword {
    fn of(name: &str) -> Option<Self> {
        Some(match name {
            "maximum" | "minimum" | "exclusiveMaximum" | "exclusiveMinimum" | "multipleOf" | "maxLength"
            | "minLength" | "maxItems" | "minItems" | "maxProperties" | "minProperties" | "maxContains"
            | "minContains" => Self::Number,
            "pattern" | "format" | "$ref" | "$id" | "$anchor" | "$schema" => Self::Text,
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
            "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas" => Self::Named,
            _ => return None,
        })
    }

    /// Returns whether a value is one that the keyword can have, and adds the schemas in it to `open`.
    fn takes<'a>(self, value: &'a Value, open: &mut Vec<&'a Value>) -> bool {
        match (self, value) {
            (Self::Number, Value::Number(_))
            | (Self::Text, Value::String(_))
            | (Self::Flag, Value::Bool(_)) => true,
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
            _ => false,
        }
    }
}

/// Returns whether every known keyword in a schema has a value that it can have.
pub(super) fn is_compilable(schema: &Value) -> bool {
    let mut open = vec![schema];
    while let Some(schema) = open.pop() {
        let members = match schema {
            Value::Bool(_) => continue,
            Value::Object(members) => members,
            _ => return false,
        };
        // OpenAPI's keyword says nothing without a type.
        if members.contains_key("nullable") && !members.contains_key("type") {
            return false;
        }
        for (name, value) in members {
            if Keyword::of(name).is_some_and(|keyword| !keyword.takes(value, &mut open)) {
                return false;
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_keyword_with_a_value_that_it_cannot_have_is_found_wherever_a_schema_is() {
        for schema in [
            json!({"type": "object", "properties": {"a": {"type": ["string", "null"], "default": null}}}),
            json!({"properties": {"type": {"const": 7}, "enum": true}, "x": {"type": 7}, "examples": null}),
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
