//! The proposals' service manifest.

use super::ToolDescription;
use mgp_types::{
    context::RiskLevel,
    json::RawJson,
    tool_metadata::{Cost, CostCategory, Impact},
};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The version of the manifest's form.
const FORM: &str = "0.1.0";

/// The server that a manifest is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ManifestServer {
    /// The name, for people.
    pub name: String,
    /// The version of the program.
    pub version: String,
    /// The revision of MCP.
    pub mcp_spec_version: String,
    /// The purpose of the server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// Returns the service manifest of tools. `extensions` names the proposals that the server supports, in the proposals' own terms.
///
/// Tool names in the manifest are lower case. A tool whose real name differs has it in `call_name`.
#[must_use]
pub fn manifest(server: &ManifestServer, extensions: &[&str], tools: &[ToolDescription]) -> Value {
    let mut taken = BTreeSet::new();
    let names: Vec<String> = tools.iter().map(|tool| lower_name(&tool.name, &mut taken)).collect();
    let entries: Vec<Value> = tools.iter().zip(&names).map(|(tool, name)| entry(tool, name)).collect();
    let mut manifest = json!({
        "manifest_version": FORM,
        "server": server,
        "tools": entries,
        "supported_extensions": extensions,
    });
    let scopes = scopes(tools, &names);
    if !scopes.is_empty() {
        manifest["auth"] = json!({"scopes": scopes});
    }
    manifest
}

fn entry(tool: &ToolDescription, name: &str) -> Value {
    let metadata = &tool.metadata;
    let mut entry = Map::new();
    let mut put = |key: &str, value: Value| {
        let is_empty = value.is_null() || value.as_array().is_some_and(Vec::is_empty);
        if !is_empty {
            entry.insert(key.to_owned(), value);
        }
    };
    put("call_name", if name == tool.name { Value::Null } else { tool.name.clone().into() });
    put("name", name.into());
    put("description", tool.description.clone().unwrap_or_default().into());
    put("input_schema", Value::Object(tool.input.clone()));
    put("output_schema", tool.output.clone().into());
    put("version", metadata.version.as_ref().map(ToString::to_string).into());
    put("tags", tool.tags().into());
    put("input_types", tool.input_types().into());
    put("output_types", tool.output_types().into());
    put("max_input_size_bytes", metadata.max_input_size_bytes.into());
    put("cost", metadata.cost.as_ref().map(cost).into());
    put("latency", value(&metadata.latency));
    put("idempotent", tool.is_idempotent().into());
    put("requires_confirmation", metadata.requires_confirmation.into());
    put("confirmation_message", metadata.confirmation_message.clone().into());
    put("risk_level", tool.risk.map(impact).or(metadata.risk_level).map(Impact::as_str).into());
    put("required_scopes", metadata.required_scopes.clone().into());
    put("supports_streaming", metadata.supports_streaming.into());
    put("supports_pagination", metadata.supports_pagination.into());
    if tool.deprecated {
        put("deprecated", true.into());
    }
    Value::Object(entry)
}

/// Returns a cost with the members that the manifest's form allows: a server may state another category, and members of another
/// type.
fn cost(cost: &Cost) -> Value {
    let mut allowed = Map::new();
    if !matches!(cost.category, CostCategory::Other(_)) {
        allowed.insert("category".to_owned(), cost.category.as_str().into());
    }
    if let Some(units) = cost.estimated_units {
        allowed.insert("estimated_units".to_owned(), units.into());
    }
    if let Some(label) = &cost.unit_label {
        allowed.insert("unit_label".to_owned(), label.clone().into());
    }
    if allowed.is_empty() { Value::Null } else { Value::Object(allowed) }
}

/// Returns the impact that corresponds to a risk.
const fn impact(risk: RiskLevel) -> Impact {
    match risk {
        RiskLevel::Safe => Impact::Safe,
        RiskLevel::Moderate => Impact::Reversible,
        RiskLevel::Dangerous => Impact::Destructive,
    }
}

/// Returns a value as JSON; `null` if it cannot be written.
fn value(value: &impl Serialize) -> Value {
    RawJson::from_value(value).ok().and_then(|json| json.decode().ok()).unwrap_or_default()
}

/// Returns a tool's name in lower case, with `_` for other characters, and a number at the end if it is taken.
fn lower_name(name: &str, taken: &mut BTreeSet<String>) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
    let mut lower: String = name.chars().map(plain).collect();
    if !lower.starts_with(|c: char| c.is_ascii_lowercase()) {
        lower.insert_str(0, "tool_");
    }
    let free = |name: &String| !taken.contains(name);
    let numbered = (2..).map(|number: u32| format!("{lower}_{number}"));
    let name = std::iter::once(lower.clone()).chain(numbered).find(free).unwrap_or(lower);
    taken.insert(name.clone());
    name
}

/// Returns the scopes that tools need. Each has the names, in the manifest, of the tools that need it.
fn scopes(tools: &[ToolDescription], names: &[String]) -> Vec<Value> {
    let mut scopes: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (tool, name) in tools.iter().zip(names) {
        for scope in &tool.metadata.required_scopes {
            scopes.entry(scope).or_default().push(name);
        }
    }
    let scope = |(name, grants): (&str, Vec<&str>)| {
        let description = format!("Needed by {}", grants.join(", "));
        json!({"name": name, "description": description, "grants": grants})
    };
    scopes.into_iter().map(scope).collect()
}
