//! Checks the JSON Schema of `mgp.toml` against the documents and against the checks.
#![cfg(feature = "schema")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use mgp_discovery::config::{Config, ConfigError, config_schema};
use mgp_types::{json::RawJson, json_schema::CompiledSchema};
use serde_json::{Map, Value, json};
use std::{fs, path::Path};

fn parse(text: &str) -> Result<Config, ConfigError> {
    Config::parse(Path::new("mgp.toml"), text.as_bytes(), &|_| Some("value".to_owned()))
}

#[test]
fn every_configuration_in_the_documents_fits() {
    let schema = CompiledSchema::compile(&config_schema()).unwrap();
    let mut count = 0;
    for entry in fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        let document = fs::read_to_string(&path).unwrap();
        for block in document.split("```toml\n").skip(1) {
            let text = block.split("```").next().unwrap();
            // Other blocks are manifests, or parts of a configuration.
            if parse(text).is_ok() {
                let value: Value = toml::from_str(text).unwrap();
                let fits = schema.check(&RawJson::parse(value.to_string()).unwrap());
                assert!(fits.is_ok(), "{}: {fits:?}\n{text}", path.display());
                count += 1;
            }
        }
    }
    assert!(count >= 15, "{count} configurations");
}

/// The keys with bounds that depend on another key.
const DEPENDENT: &[&str] = &[
    "http.total_body_limit",
    "http.total_body_limit_per_agent",
    "http.max_unauthenticated_connections",
    "idempotency.ttl_secs",
    "idempotency.max_answer_bytes",
];

#[test]
fn the_schema_s_bounds_match_the_checks() {
    let mut count = 0;
    visit(&config_schema(), "", &|value| value, &mut |path, schema, whole| {
        let problems = |number: i64| {
            let text = toml::to_string(&toml::Table::try_from(whole(number.into())).unwrap()).unwrap();
            let error = parse(&text).err();
            error.iter().flat_map(ConfigError::problems).map(ToString::to_string).collect::<Vec<_>>()
        };
        let Some(most) = schema["maximum"].as_i64() else {
            let problems = problems(i64::MAX);
            assert!(!problems.iter().any(|it| it.contains("out of bounds")), "{path}: {problems:?}");
            return;
        };
        let mut expected = format!("{} is out of bounds: expected ", most + 1);
        if !DEPENDENT.contains(&path) {
            expected = format!("{expected}{} to {most}", schema["minimum"]);
        }
        let problems = problems(most + 1);
        assert!(problems.iter().any(|it| it.contains(&expected)), "{path}: {expected:?}, {problems:?}");
        count += 1;
    });
    assert!(count >= 60, "{count} numbers with bounds");
}

/// A function that makes a whole configuration of a value.
type Whole<'a> = &'a dyn Fn(Value) -> Value;

/// Calls a function with every number of a schema: its path, its schema, and a function that makes a configuration of a value.
fn visit(schema: &Value, path: &str, whole: Whole<'_>, found: &mut dyn FnMut(&str, &Value, Whole<'_>)) {
    if schema["type"] == "integer" {
        return found(path, schema, whole);
    }
    if let Some(properties) = schema["properties"].as_object() {
        for (name, property) in properties {
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            let table = |value: Value| {
                let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
                let given = |name: &str| match properties[name]["type"] == "array" {
                    true => json!(["x"]),
                    false => "x".into(),
                };
                let mut table: Map<_, _> = required.map(|name| (name.to_owned(), given(name))).collect();
                table.insert(name.clone(), value);
                whole(table.into())
            };
            visit(property, &path, &table, found);
        }
    } else if schema["items"]["properties"].is_object() {
        visit(&schema["items"], &format!("{path}[]"), &|value| whole(json!([value])), found);
    } else if schema["additionalProperties"].is_object() {
        let named = |value| whole(json!({ "x": value }));
        visit(&schema["additionalProperties"], &format!("{path}.NAME"), &named, found);
    }
}
