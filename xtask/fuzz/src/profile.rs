//! The tool whose validator is fuzzed.

use mgp_security::profile::{ConfiguredTool, ToolFacts, ToolProfile, assess};
use mgp_types::{
    context::TrustLevel,
    json::RawJson,
    mcp::{Tool, ToolAnnotations},
};

/// Returns the profile of a trusted server's tool that only reads, with a validator.
pub(crate) fn read_only(validator: &str) -> ToolProfile {
    let annotations = Some(ToolAnnotations { read_only_hint: Some(true), ..Default::default() });
    let tool = Tool { annotations, ..Tool::new("t", RawJson::empty_object()) };
    let configured = ConfiguredTool { validator: Some(validator.into()), ..Default::default() };
    assess(&ToolFacts::new(&tool, TrustLevel::Trusted, &[], &configured))
}
