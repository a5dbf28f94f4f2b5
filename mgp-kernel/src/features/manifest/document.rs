//! The manifest as JSON.

use crate::catalog::tools::{DescribedTools, Tools};
use mgp_security::limits::{Limits, quota::Quotas};
use mgp_toolindex::describe::{ManifestServer, ToolDescription, manifest};
use mgp_transport::seam::TokenGrant;
use mgp_types::{
    context::{KeyScopes, Principal},
    mcp::ProtocolVersion,
    proposals::EXTENSIONS,
};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// The extensions of the proposals that the kernel does not have in the proposals' own form. It has streams, subscriptions and references
/// in MGP's form. It recommends servers only if the operator allows a registry, and is not a conformance kit.
const OTHERS: [&str; 5] =
    ["streaming", "subscribe_notify", "data_references", "server_recommendations", "conformance"];

/// The data for a manifest.
#[derive(Debug, Clone)]
pub(crate) struct ManifestSource {
    pub(crate) tools: Arc<Tools>,
    pub(crate) limits: Limits,
    pub(crate) quotas: Quotas,
}

/// Returns the manifest of the tools that are offered to a principal, with its limits and scopes. `granted` contains the reader's
/// credentials, if any.
pub(crate) fn document(
    source: &ManifestSource,
    principal: &Principal,
    granted: Option<&TokenGrant>,
) -> Value {
    let checks_arguments = source.tools.checks_arguments;
    let DescribedTools { tools, left_out } = DescribedTools::of(&source.tools, principal);
    let described: Vec<ToolDescription> = tools.iter().map(|(named, _)| ToolDescription::of(named)).collect();
    let server = ManifestServer {
        name: "mgp".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        mcp_spec_version: ProtocolVersion::LATEST_LEGACY.as_str().to_owned(),
        description: Some("The tools of several servers, behind one kernel".to_owned()),
    };
    let supported: Vec<_> = EXTENSIONS.into_iter().filter(|name| !OTHERS.contains(name)).collect();
    let mut manifest = manifest(&server, &supported, &described);
    manifest["arguments_checked"] = checks_arguments.into();
    if let Some(scopes) = scopes(principal, granted) {
        manifest["auth"]["granted_scopes"] = json!(scopes);
    }
    let limits = limits(source, principal, granted);
    if !limits.is_empty() {
        manifest["rate_limits"] = Value::Object(limits);
    }
    if left_out > 0 {
        manifest["tools_left_out"] = left_out.into();
    }
    manifest
}

/// Returns the scopes of the reader's key or token; `None` if none narrow the reader's rights.
fn scopes(principal: &Principal, granted: Option<&TokenGrant>) -> Option<Vec<String>> {
    if let Some(key) = principal.key_scopes() {
        return Some(key.iter().map(str::to_owned).collect());
    }
    let of_token = &granted?.who().scopes;
    (!of_token.is_empty()).then(|| of_token.iter().map(str::to_owned).collect())
}

/// Returns the limits on all calls of the reader. Limits of servers and tools apply in addition.
fn limits(
    ManifestSource { limits, quotas, .. }: &ManifestSource,
    principal: &Principal,
    granted: Option<&TokenGrant>,
) -> Map<String, Value> {
    let key = granted.and_then(|granted| granted.who().key.as_deref());
    let key = key.or_else(|| principal.key_scopes().map(KeyScopes::key));
    let agent = principal.id();
    let found = [
        ("requests_per_minute", limits.calls_a_minute(agent, key).map(Value::from)),
        ("units_per_day", quotas.units_a_day(agent, key).map(Value::from)),
    ];
    found.into_iter().filter_map(|(name, limit)| Some((name.to_owned(), limit?))).collect()
}
