//! The schema against texts of configurations.

use super::{config_keys, config_schema};
use mgp_types::{json::RawJson, json_schema::CompiledSchema};
use std::sync::LazyLock;

static SCHEMA: LazyLock<CompiledSchema> =
    LazyLock::new(|| CompiledSchema::compile(&config_schema()).expect("a schema"));

/// Checks a text against the schema.
///
/// # Errors
/// The first differences.
pub(in crate::config) fn fits(text: &str) -> Result<(), String> {
    let value: serde_json::Value = toml::from_str(text).map_err(|error| error.to_string())?;
    let value = RawJson::parse(value.to_string()).map_err(|error| error.to_string())?;
    SCHEMA.check(&value).map_err(|error| error.to_string())
}

#[test]
fn mistakes_do_not_fit() {
    let mistakes = [
        ("[kernel]\nagent = 1", "agent"),
        ("[kernel]\nagnet = \"a\"", "agnet"),
        ("[kernal]", "kernal"),
        ("[kernel]\nexposure = \"all\"", "exposure"),
        ("[kernel]\nsearch_results = 51", "search_results"),
        ("[kernel.limits]\nmax_servers = 0", "max_servers"),
        ("[[servers]]\ncommand = \"x\"", "id"),
        ("[[servers]]\nid = \"a\"\ncommand = [\"x\"]", "command"),
        ("[servers]\nid = \"a\"", "servers"),
        ("[[servers]]\nid = \"a\"\n[servers.mgp]\nvalidator = \"sandbx\"", "validator"),
        ("[[servers]]\nid = \"a\"\n[servers.mgp]\nvalidators = { run = \"sandbx\" }", "run"),
        ("[limits.costs]\na__b = 1_000_001", "a__b"),
    ];
    for (text, place) in mistakes {
        let error = fits(text).expect_err(text);
        assert!(error.contains(place), "{text}: {error}");
    }
}

#[test]
fn other_names_of_keys_and_values_fit() {
    let server = "[[servers]]\nid = \"a\"\ntransport = \"streamable-http\"\nurl = \"https://x.example\"\n[servers.mgp]\n";
    for (table, line) in [
        ("[kernel]\n", "tool_timeout_ms = 1"),
        ("[kernel]\n", "initialize_timeout_ms = 1"),
        (server, "tool_timeout_ms = 1"),
        (server, "trust_level = \"core\""),
        (server, "readonly = { dialect = \"postgresql\" }"),
    ] {
        assert_eq!(fits(&format!("{table}{line}")), Ok(()), "{line}");
    }
    assert!(config_keys().iter().all(|key| !key.path.contains("tool_timeout_ms")), "a key stands once");
}

#[test]
fn keys_are_in_the_order_of_the_types() {
    let keys = config_keys();
    let of_budget = keys.iter().filter(|key| key.path.starts_with("kernel.tool_context_budget."));
    let names: Vec<_> = of_budget.map(|key| key.path.rsplit('.').next().unwrap()).collect();
    assert_eq!(names, ["max_tokens", "pinned_reserve", "discovery_reserve", "cache_limit"]);
    assert_eq!(keys[0].path, "kernel.agent");
    assert_eq!((keys[0].kind.as_str(), keys[0].default.as_str()), ("string", "\"local\""));
}
