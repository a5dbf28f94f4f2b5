//! The file of the JSON Schema.

use mgp_discovery::config::config_schema;
use serde_json::Value;
use std::collections::BTreeMap;

pub(crate) const FILE: &str = "docs/schemas/mgp.toml.json";

/// Returns the text of the file.
pub(crate) fn text() -> String {
    format!("{:#}\n", sorted(&config_schema()))
}

/// Returns the value with the members of each object sorted by name, whichever features of `serde_json` are enabled.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let members: BTreeMap<_, _> = members.iter().collect();
            members.into_iter().map(|(key, value)| (key.clone(), sorted(value))).collect()
        }
        Value::Array(items) => items.iter().map(sorted).collect(),
        other => other.clone(),
    }
}
