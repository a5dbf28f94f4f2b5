//! All keys of the configuration, from its JSON Schema.

use super::description::Description;
use serde_json::{Map, Value};
use std::sync::LazyLock;

/// The schema that editors use too.
const SCHEMA: &str = include_str!("../../assets/mgp.toml.json");

/// The type of a key that is a table.
const TABLE: &str = "table";

/// A key of the configuration.
#[derive(Debug)]
pub(super) struct Key {
    /// The path, such as `servers[].command` or `limits.agents.*.units_per_day`.
    pub(super) path: String,
    /// The header of the table that the key is in; empty at the top.
    pub(super) table: String,
    pub(super) description: Description,
    /// The type, or the allowed values.
    pub(super) kind: String,
    pub(super) default: Option<String>,
    /// A line with the key and a value.
    pub(super) line: String,
}

static KEYS: LazyLock<Vec<Key>> = LazyLock::new(|| {
    let mut keys = Vec::new();
    if let Ok(schema) = serde_json::from_str(SCHEMA) {
        collect(&schema, "", "", &mut keys);
    }
    keys
});

/// Returns the tables at the top, with which a configuration begins.
pub(super) fn tables() -> Vec<&'static Key> {
    KEYS.iter().filter(|key| key.kind == TABLE && !key.path.contains('.')).collect()
}

/// Returns the keys that have all words in their path or their description, the best first.
pub(super) fn matching(words: &str) -> Vec<&'static Key> {
    let words: Vec<_> = words.split_whitespace().take(10).map(str::to_lowercase).collect();
    let mut found: Vec<_> = KEYS
        .iter()
        .filter_map(|key| Some((words.iter().map(|word| rank(key, word)).sum::<Option<u32>>()?, key)))
        .collect();
    found.sort_by_key(|(rank, _)| *rank);
    found.into_iter().map(|(_, key)| key).collect()
}

/// Returns how far a word is from the name of a key; `None` if the key does not have the word.
fn rank(key: &Key, word: &str) -> Option<u32> {
    let path = key.path.to_lowercase();
    let name = path.rsplit('.').next().unwrap_or_default();
    match () {
        () if path == *word => Some(0),
        () if name.starts_with(word) => Some(1),
        () if path.contains(word) => Some(2),
        () if key.description.has(word) => Some(4),
        () => None,
    }
}

/// Collects the keys of a table, and those of the tables in it.
fn collect(schema: &Value, path: &str, table: &str, keys: &mut Vec<Key>) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
    for (name, property) in properties {
        let full = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        match (property.get("items"), property.get("additionalProperties")) {
            (Some(items), _) if items.get("properties").is_some() => {
                let header = format!("[[{}]]", header_path(&full));
                keys.push(table_key(&full, &header, property));
                collect(items, &format!("{full}[]"), &header, keys);
            }
            (_, Some(items)) if items.get("properties").is_some() => {
                let (full, header) = (format!("{full}.*"), format!("[{}.NAME]", header_path(&full)));
                keys.push(table_key(&full, &header, property));
                collect(items, &full, &header, keys);
            }
            _ if property.get("properties").is_some() => {
                let header = format!("[{}]", header_path(&full));
                keys.push(table_key(&full, &header, property));
                collect(property, &full, &header, keys);
            }
            _ => keys.push(key(name, full, table, property)),
        }
    }
}

/// Returns a path as the header of a table has it.
fn header_path(path: &str) -> String {
    path.replace("[]", "").replace('*', "NAME")
}

fn table_key(path: &str, header: &str, schema: &Value) -> Key {
    Key {
        path: path.to_owned(),
        table: String::new(),
        description: description(schema),
        kind: TABLE.to_owned(),
        default: None,
        line: header.to_owned(),
    }
}

fn key(name: &str, path: String, table: &str, schema: &Value) -> Key {
    let default = schema.get("default").filter(|value| !value.is_null());
    let values = values(schema);
    let kind = match (&values[..], schema.get("type")) {
        ([], Some(Value::String(kind))) => kind.clone(),
        ([], _) => String::new(),
        (values, _) => values.join(", "),
    };
    let value = match (default, values.first(), kind.as_str()) {
        (Some(value), ..) => toml_value(value),
        (None, Some(first), _) => first.clone(),
        (None, None, "boolean") => "true".to_owned(),
        (None, None, "integer" | "number") => schema.get("minimum").map_or("1".to_owned(), Value::to_string),
        (None, None, "array") => "[]".to_owned(),
        (None, None, "object") => "{}".to_owned(),
        (None, None, _) => "\"\"".to_owned(),
    };
    Key {
        line: format!("{name} = {value}"),
        path,
        table: table.to_owned(),
        description: description(schema),
        kind,
        default: default.map(toml_value),
    }
}

/// Returns the allowed values, if there are only some.
fn values(schema: &Value) -> Vec<String> {
    let listed = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
    let described = schema.get("oneOf").and_then(Value::as_array).into_iter().flatten();
    let described = described.flat_map(|one| {
        let listed = one.get("enum").and_then(Value::as_array).into_iter().flatten();
        listed.chain(one.get("const"))
    });
    listed.chain(described).filter(|value| !value.is_null()).map(toml_value).collect()
}

/// Returns a value as a configuration has it.
fn toml_value(value: &Value) -> String {
    match value {
        Value::Object(members) => inline_table(members),
        Value::Array(items) => format!("[{}]", items.iter().map(toml_value).collect::<Vec<_>>().join(", ")),
        value => value.to_string(),
    }
}

fn inline_table(members: &Map<String, Value>) -> String {
    if members.is_empty() {
        return "{}".to_owned();
    }
    let members: Vec<_> =
        members.iter().map(|(name, value)| format!("{name} = {}", toml_value(value))).collect();
    format!("{{ {} }}", members.join(", "))
}

fn description(schema: &Value) -> Description {
    Description::of(schema.get("description").and_then(Value::as_str).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(words: &str) -> &'static Key {
        matching(words).first().unwrap_or_else(|| panic!("{words}"))
    }

    #[test]
    fn a_key_has_its_table_its_default_and_a_line() {
        let key = first("telemetry.metrics_tools");
        assert_eq!((key.table.as_str(), key.kind.as_str()), ("[telemetry]", "integer"));
        assert_eq!(key.line, format!("metrics_tools = {}", key.default.as_deref().unwrap()));
        let key = first("servers[].command");
        assert_eq!((key.table.as_str(), key.line.as_str()), ("[[servers]]", "command = \"\""));
        let key = first("servers[].default_policy");
        assert_eq!(key.kind, "\"opt-in\", \"opt-out\"");
        assert_eq!(first("limits.agents.*.units_per_day").table, "[limits.agents.NAME]");
    }

    #[test]
    fn all_words_of_a_search_are_in_a_key() {
        assert!(matching("").len() > 200);
        assert_eq!(first("metrics_to").path, "telemetry.metrics_tools");
        assert!(matching("metrics zebra").is_empty());
        assert!(matching("metrics tools").iter().any(|key| key.path == "telemetry.metrics_tools"));
    }

    #[test]
    fn each_line_is_a_line_of_a_configuration() {
        for key in matching("") {
            let text = key.line.replace("NAME", "name");
            assert!(toml::from_str::<toml::Table>(&text).is_ok(), "{}: {text}", key.path);
        }
    }
}
