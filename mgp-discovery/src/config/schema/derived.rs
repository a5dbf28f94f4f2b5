//! The schema as it is derived, with its extensions.

use crate::config::Config;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

/// Returns the schema of a configuration in draft 7, which editors for TOML support, without references.
pub(super) fn derived() -> Value {
    let settings = SchemaSettings::draft07().with(|settings| settings.inline_subschemas = true);
    let mut schema = settings.into_generator().into_root_schema_for::<Config>().to_value();
    simplify(&mut schema);
    schema
}

/// Replaces `null`, which TOML does not have, with `x-optional`, and joins the lines of descriptions.
fn simplify(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            optional(members);
            if let Some(Value::String(text)) = members.get_mut("description") {
                *text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            }
            members.values_mut().for_each(simplify);
        }
        Value::Array(items) => items.iter_mut().for_each(simplify),
        _ => {}
    }
}

fn optional(schema: &mut Map<String, Value>) {
    let null = Value::from("null");
    let is_null = |value: &Value| value.is_null() || *value == null || value["type"] == null;
    let mut found = false;
    for key in ["type", "enum", "anyOf"] {
        let Some(Value::Array(values)) = schema.get_mut(key) else { continue };
        let before = values.len();
        values.retain(|value| !is_null(value));
        if values.len() == before {
            continue;
        }
        found = true;
        if let [only] = &mut values[..]
            && key != "enum"
        {
            let only = only.take();
            schema.remove(key);
            match only {
                Value::Object(inner) => {
                    inner.into_iter().for_each(|(key, value)| {
                        schema.entry(key).or_insert(value);
                    });
                }
                name => {
                    schema.insert(key.to_owned(), name);
                }
            }
        }
    }
    if found {
        schema.remove("default");
        schema.insert("x-optional".to_owned(), true.into());
    }
}
