//! The manifest as JSON.

use crate::kernel::tools::Tools;
use mgp_toolindex::describe::{ManifestServer, ToolDescription, manifest};
use mgp_transport::seam::Visibility;
use mgp_types::{context::Principal, mcp::ProtocolVersion};
use serde_json::Value;

/// The proposals that the kernel supports for every server, in the proposals' own words.
const EXTENSIONS: &[&str] = &[
    "streaming",
    "progress_notifications",
    "human_in_the_loop",
    "subscribe_notify",
    "structured_errors",
    "multimodal_signatures",
];

/// Returns the manifest of the tools that are offered to a principal.
pub(in crate::kernel) fn document(tools: &Tools, principal: &Principal) -> Value {
    let view = tools.offered.view(principal);
    let table = tools.load();
    let seen = table.names.iter().filter(|named| view.sees(named.tool.id()));
    let described: Vec<ToolDescription> = seen.map(|named| ToolDescription::of(&named)).collect();
    let server = ManifestServer {
        name: "mgp".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        mcp_spec_version: ProtocolVersion::LATEST_LEGACY.as_str().to_owned(),
        description: Some("The tools of several servers, behind one kernel".to_owned()),
    };
    manifest(&server, EXTENSIONS, &described)
}
