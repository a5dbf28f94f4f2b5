//! The service manifest of the extension proposals.

use super::mgp::fit;
use crate::{
    outcome::{Outcome, failed, quoted, skipped},
    visit::{Visit, is_meta_tool},
};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Checks that the manifest has its form, that it has every listed tool, and that its scopes name tools that it has.
pub(super) async fn manifest(visit: &mut Visit) -> Outcome {
    visit.needs(&["discovery"])?;
    let exchange = visit.main.session.request("mgp/discovery/manifest", json!({})).await;
    if exchange.has_code(&[-32601]) {
        return skipped("the server has no manifest");
    }
    let manifest = exchange.result("a manifest")?;
    fit(&form(), manifest)
        .map_err(|problem| exchange.wrong(&format!("a manifest in its form: {problem}")))?;
    let tools = manifest["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
    let names = |key: &str| tools.iter().filter_map(|tool| tool[key].as_str()).collect::<BTreeSet<_>>();
    let (own, called) = (names("name"), names("call_name"));
    let granted = manifest["auth"]["scopes"].as_array().into_iter().flatten();
    let mut granted = granted.flat_map(|scope| scope["grants"].as_array().into_iter().flatten());
    if let Some(name) = granted.find(|name| name.as_str().is_none_or(|name| !own.contains(name))) {
        return failed(format!(
            "sent mgp/discovery/manifest; got a scope that grants {}; expected the name of one of its tools",
            quoted(&name.to_string())
        ));
    }
    // MGP's own tools are not part of the manifest, and an endless list is reported by lists.pages.
    let is_whole = manifest.get("tools_left_out").is_none() && visit.main.tools.endless.is_none();
    let tools_of_others = visit.tools().filter(|tool| is_whole && !is_meta_tool(tool));
    let mut listed = tools_of_others.filter_map(|tool| tool["name"].as_str()).filter(|name| !name.is_empty());
    match listed.find(|name| !own.contains(name) && !called.contains(name)) {
        Some(name) => failed(format!(
            "sent mgp/discovery/manifest; got {} tools without {:?}; expected every tool of the list, by name or call_name",
            tools.len(),
            quoted(name)
        )),
        None => Ok(format!("{} tools", tools.len())),
    }
}

/// Returns the form of a manifest as a JSON Schema.
fn form() -> Value {
    let text = json!({ "type": "string" });
    let texts = json!({ "type": "array", "items": text });
    let truth = json!({ "type": "boolean" });
    let tool = json!({
        "type": "object",
        "required": ["name", "description", "input_schema"],
        "properties": {
            "name": { "type": "string", "pattern": "^[a-z][a-z0-9_]*$" },
            "call_name": text,
            "description": text,
            "input_schema": { "type": "object" },
            "output_schema": { "type": "object" },
            "input_types": texts,
            "output_types": texts,
            "max_input_size_bytes": { "type": "integer" },
            "cost": { "type": "object", "properties": {
                "category": { "enum": ["free", "metered", "requires_approval"] },
                "estimated_units": { "type": "number" },
                "unit_label": text
            } },
            "latency": { "enum": ["instant", "seconds", "minutes"] },
            "idempotent": truth,
            "requires_confirmation": truth,
            "confirmation_message": text,
            "risk_level": { "enum": ["safe", "reversible", "destructive"] },
            "required_scopes": texts,
            "supports_streaming": truth,
            "supports_pagination": truth
        }
    });
    let scope = json!({
        "type": "object",
        "required": ["name", "description"],
        "properties": { "name": text, "description": text, "grants": texts }
    });
    json!({
        "type": "object",
        "required": ["manifest_version", "server", "tools"],
        "properties": {
            "manifest_version": { "const": "0.1.0" },
            "server": {
                "type": "object",
                "required": ["name", "version", "mcp_spec_version"],
                "properties": {
                    "name": text,
                    "version": { "type": "string", "pattern": "^[0-9]+\\.[0-9]+\\.[0-9]+" },
                    "mcp_spec_version": text,
                    "description": text,
                    "homepage": text
                }
            },
            "tools": { "type": "array", "items": tool },
            "auth": { "type": "object", "properties": {
                "methods": { "type": "array", "items": {
                    "enum": ["oauth2_device", "oauth2_code", "api_key", "bearer_token", "none"]
                } },
                "scopes": { "type": "array", "items": scope },
                "session_ttl_seconds": { "type": "integer" }
            } },
            "supported_extensions": { "type": "array", "items": { "enum": mgp_types::proposals::EXTENSIONS } },
            "rate_limits": { "type": "object", "properties": {
                "requests_per_minute": { "type": "integer" },
                "requests_per_day": { "type": "integer" },
                "remaining": { "type": "integer" },
                "resets_at": text
            } },
            "recommendations": { "type": "array", "items": {
                "type": "object",
                "required": ["capability", "server_name"],
                "properties": {
                    "capability": text,
                    "server_name": text,
                    "registry_url": text,
                    "auth_flow": text,
                    "match_confidence": { "enum": ["high", "medium", "low"] }
                }
            } }
        }
    })
}
