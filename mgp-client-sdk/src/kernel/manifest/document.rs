//! The manifest as JSON.

use crate::kernel::tools::{DescribedTools, Tools};
use mgp_toolindex::describe::{ManifestServer, ToolDescription, manifest};
use mgp_types::{context::Principal, mcp::ProtocolVersion, proposals::EXTENSIONS};
use serde_json::Value;

/// The extensions of the proposals that the kernel does not support for every server.
const OTHERS: [&str; 2] = ["server_recommendations", "conformance"];

/// Returns the manifest of the tools that are offered to a principal.
pub(in crate::kernel) fn document(tools: &Tools, principal: &Principal) -> Value {
    let checks_arguments = tools.checks_arguments;
    let DescribedTools { tools, left_out } = DescribedTools::of(tools, principal);
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
    if left_out > 0 {
        manifest["tools_left_out"] = left_out.into();
    }
    manifest
}
