//! The schema as it is published.

use super::derived::derived;
use crate::config::SCHEMA_URL;
use serde_json::{Map, Value, json};

/// Returns the JSON Schema of `mgp.toml`, in draft 7.
///
/// The schema is stricter than JSON Schema has to be, because the configuration is: unknown keys are refused. Rules between keys are not in
/// it, and are checked only by [`Config::parse`](crate::config::Config::parse).
///
/// ```
/// let schema = mgp_discovery::config::config_schema();
/// assert_eq!(schema["properties"]["kernel"]["properties"]["search_results"]["maximum"], 50);
/// ```
#[must_use]
pub fn config_schema() -> Value {
    let mut schema = derived();
    publish(&mut schema);
    schema["$id"] = SCHEMA_URL.into();
    schema["title"] = "mgp.toml".into();
    schema["description"] = "The configuration of the gateway mgp.".into();
    schema
}

fn publish(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            also(members);
            members.retain(|key, value| match &**key {
                // The keys of a table have defaults themselves.
                "default" => !value.is_object(),
                // The bounds are stated in numbers, and the names of Rust's types mean nothing elsewhere.
                "format" => value == "uri",
                key => !key.starts_with("x-"),
            });
            for (key, value) in members {
                match (&**key, value) {
                    ("properties", Value::Object(properties)) => properties.values_mut().for_each(publish),
                    ("default", _) => {}
                    (_, value) => publish(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(publish),
        _ => {}
    }
}

/// Adds the other names of keys or values.
fn also(schema: &mut Map<String, Value>) {
    let Some(Value::Object(names)) = schema.remove("x-also") else { return };
    for (other, name) in names {
        let description = Value::from(format!("Another name of `{}`.", name.as_str().unwrap_or_default()));
        if let Some(Value::Object(properties)) = schema.get_mut("properties") {
            let Some(mut property) = name.as_str().and_then(|name| properties.get(name)).cloned() else {
                continue;
            };
            property["description"] = description;
            properties.insert(other, property);
        } else if let Some(Value::Array(variants)) = schema.get_mut("oneOf") {
            variants.push(json!({ "const": other, "description": description, "type": "string" }));
        } else if let Some(Value::Array(values)) = schema.get_mut("enum") {
            values.push(other.into());
        }
    }
}
