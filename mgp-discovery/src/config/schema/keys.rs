//! The keys of `mgp.toml`, for the tables of a document.

use super::derived::derived;
use serde_json::Value;

/// A key of `mgp.toml`, as a document describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigKey {
    /// The path of the key, such as `servers[].mgp.trust_level`. `[]` follows the name of a list of tables, and `NAME` stands for any name.
    pub path: String,
    /// The type of its values in Markdown, such as `` `never`, `always` `` or `1 to 50`.
    pub kind: String,
    /// Its default as JSON, `required` if the key must not be missing, or `none`.
    pub default: String,
    /// Its meaning in Markdown, with absolute links.
    pub meaning: String,
}

/// Returns every key that holds a value and not a table, in the order of the types.
#[must_use]
pub fn config_keys() -> Vec<ConfigKey> {
    let mut keys = Vec::new();
    walk("", &derived(), "", Presence::Optional, &mut keys);
    keys
}

/// The presence of a key in its table.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Presence {
    Required,
    Optional,
    /// Any name may be a key.
    Named,
}

fn walk(path: &str, schema: &Value, meaning: &str, presence: Presence, keys: &mut Vec<ConfigKey>) {
    let meaning = schema["description"].as_str().filter(|_| presence != Presence::Named).unwrap_or(meaning);
    let below = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    if let Some(properties) = schema["properties"].as_object() {
        let required = schema["required"].as_array().map_or(&[][..], Vec::as_slice);
        let order =
            schema["x-order"].as_array().map_or(&[][..], Vec::as_slice).iter().filter_map(Value::as_str);
        let rest = properties.keys().map(String::as_str);
        let mut names: Vec<&str> = Vec::with_capacity(properties.len());
        for name in order.chain(rest).filter(|name| properties.contains_key(*name)) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        for name in names {
            let is_required = required.iter().any(|required| required == name);
            let presence = if is_required { Presence::Required } else { Presence::Optional };
            walk(&below(name), &properties[name], "", presence, keys);
        }
    } else if schema["additionalProperties"].is_object() {
        walk(&below("NAME"), &schema["additionalProperties"], meaning, Presence::Named, keys);
    } else if schema["items"]["properties"].is_object() {
        walk(&format!("{path}[]"), &schema["items"], "", Presence::Optional, keys);
    } else {
        keys.push(ConfigKey {
            path: path.to_owned(),
            kind: kind(schema),
            default: default(schema, presence),
            meaning: meaning.to_owned(),
        });
    }
}

fn default(schema: &Value, presence: Presence) -> String {
    match (presence, &schema["default"]) {
        (Presence::Required, _) => "required".to_owned(),
        (Presence::Named, _) | (_, Value::Object(_)) => "none".to_owned(),
        (Presence::Optional, Value::Null) if schema["x-optional"] == true => "none".to_owned(),
        // Fields that are not written when they have these values.
        (Presence::Optional, Value::Null) if schema["type"] == "array" => "[]".to_owned(),
        (Presence::Optional, Value::Null) if schema["type"] == "boolean" => "false".to_owned(),
        (Presence::Optional, Value::Null) => "none".to_owned(),
        (Presence::Optional, default) => default.to_string(),
    }
}

fn kind(schema: &Value) -> String {
    if let Some(words) = schema["x-type"].as_str() {
        return words.to_owned();
    }
    if let Some(values) = values(schema) {
        let values: Vec<_> = values.iter().map(|value| format!("`{value}`")).collect();
        return values.join(", ");
    }
    let number = |key: &str| schema[key].as_i64();
    match (schema["type"].as_str(), number("minimum"), number("maximum")) {
        (Some("array"), ..) => format!("list of {}", plural(&schema["items"])),
        (Some("integer"), Some(least), Some(most)) => format!("{least} to {most}"),
        (Some("integer"), Some(least), None) => format!("{least} or more"),
        (Some("object"), ..) => "table".to_owned(),
        (Some("string"), ..) if schema["format"] == "uri" => "URL".to_owned(),
        (Some(other), ..) => other.to_owned(),
        (None, ..) => "any".to_owned(),
    }
}

fn plural(items: &Value) -> String {
    if items["type"] == "integer" {
        return "numbers".to_owned();
    }
    match kind(items) {
        kind if kind == "string" => "strings".to_owned(),
        kind if kind == "URL" => "URLs".to_owned(),
        kind => kind.replacen("string,", "strings,", 1),
    }
}

/// Returns the names that a value may have, without other names for the same.
fn values(schema: &Value) -> Option<Vec<&str>> {
    if let Some(names) = schema["enum"].as_array() {
        return Some(names.iter().filter_map(Value::as_str).collect());
    }
    let variants = schema["oneOf"].as_array()?;
    Some(variants.iter().filter_map(|variant| variant["const"].as_str()).collect())
}
