//! The proposals' JSON Schemas, one of each topic with a definition for each message.

use crate::workspace;
use jsonschema::{Registry, RegistryBuilder};
use serde_json::{Value, json};
use std::fs;

/// The topics, each of which is a file.
const TOPICS: [&str; 10] = [
    "conformance",
    "data-references",
    "error",
    "permissions",
    "provenance",
    "service-manifest",
    "session-state",
    "streaming",
    "subscribe-notify",
    "transactions",
];

/// The schemas of all topics, which refer to each other.
pub(super) struct Schemas {
    registry: Registry<'static>,
    /// The definitions of all messages: `topic` for a schema that itself describes one, or `topic/Definition`.
    names: Vec<String>,
}

/// Returns the folder of the schemas.
pub(super) fn folder() -> std::path::PathBuf {
    workspace::proposals("schemas")
}

impl Schemas {
    pub(super) fn read() -> Result<Self, String> {
        let mut schemas = Vec::new();
        for topic in TOPICS {
            let path = folder().join(format!("{topic}.schema.json"));
            let text = fs::read_to_string(&path)
                .map_err(|error| format!("failed to read {}: {error}", path.display()))?;
            let schema: Value = serde_json::from_str(&text)
                .map_err(|error| format!("{} is not JSON: {error}", path.display()))?;
            schemas.push((topic, schema));
        }
        Self::of(schemas)
    }

    fn of(schemas: Vec<(&'static str, Value)>) -> Result<Self, String> {
        let mut names = Vec::new();
        for (topic, schema) in &schemas {
            names.extend(schema.get("properties").map(|_| (*topic).to_owned()));
            let definitions = schema["$defs"].as_object().into_iter().flat_map(|all| all.keys());
            names.extend(definitions.map(|name| format!("{topic}/{name}")));
        }
        let schemas = schemas.into_iter().map(|(topic, schema)| (uri(topic), schema));
        let registry = Registry::new().extend(schemas).and_then(RegistryBuilder::prepare);
        registry
            .map(|registry| Self { registry, names })
            .map_err(|error| format!("the schemas cannot be read: {error}"))
    }

    /// Returns the definitions of all messages.
    pub(super) fn names(&self) -> Vec<String> {
        self.names.clone()
    }

    /// Checks a message against a topic's schema, or against one of its definitions: `topic` or `topic/Definition`.
    pub(super) fn check(&self, name: &str, message: &Value) -> Result<(), String> {
        let place = match name.split_once('/') {
            Some((topic, definition)) => format!("{}#/$defs/{definition}", uri(topic)),
            None => uri(name),
        };
        let schema = json!({ "$schema": "https://json-schema.org/draft/2020-12/schema", "$ref": place });
        let validator =
            jsonschema::options().with_registry(&self.registry).should_validate_formats(true).build(&schema);
        let validator = validator.map_err(|error| format!("{name}: {error}"))?;
        let wrong: Vec<_> = validator
            .iter_errors(message)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        if wrong.is_empty() { Ok(()) } else { Err(format!("{name}: {}: {message}", wrong.join("; "))) }
    }
}

/// Returns the URI by which the schemas name each other.
fn uri(topic: &str) -> String {
    format!("https://mcp-extension-proposals.github.io/schemas/{topic}.json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_must_fit_its_schema_with_formats_and_references() {
        let error = json!({ "$id": uri("error"), "type": "object", "required": ["code"] });
        let transactions = json!({ "$id": uri("transactions"), "$defs": { "Step": { "type": "object", "properties": {
            "at": { "type": "string", "format": "date-time" }, "error": { "$ref": "error.json" } } } } });
        let schemas = Schemas::of(vec![("error", error), ("transactions", transactions)]).unwrap();
        let check = |message: Value| schemas.check("transactions/Step", &message);
        assert_eq!(check(json!({ "at": "2026-03-15T10:30:00Z", "error": { "code": "X" } })), Ok(()));
        assert!(check(json!({ "at": "yesterday" })).unwrap_err().starts_with("transactions/Step: /at: "));
        assert!(check(json!({ "error": {} })).unwrap_err().contains("code"));
        assert!(
            schemas.check("error", &json!([])).is_err()
                && schemas.check("transactions/None", &json!({})).is_err()
        );
    }
}
