//! Another tool for the intent of a failed call.

use crate::catalog::tools::Tools;
use mgp_transport::seam::Record;
use mgp_types::{context::Target, tool_index::DiscoverToolsParams};
use serde::Serialize;

/// The maximum length of a quoted description, in characters.
const MAX_DESCRIPTION: usize = 160;

/// A tool that may serve the intent of a call better than the called tool.
#[derive(Debug, Serialize)]
pub(super) struct Recommendation {
    /// The tool's name for hosts.
    pub(super) recommended_tool: String,
    /// The beginning of its description.
    pub(super) reason: String,
}

/// Returns the tool that fits the intent of a call best, unless it is the called tool. Only considers tools that the caller may see.
pub(super) fn recommendation(tools: &Tools, target: &Target, record: &Record) -> Option<Recommendation> {
    let (principal, intent) = (record.principal.as_ref()?, record.intent.as_ref()?);
    let params = DiscoverToolsParams {
        query: intent.as_str().to_owned(),
        strategy: None,
        max_results: Some(1),
        filter: None,
    };
    let found = tools.discovery.discover(principal, &params).ok()?;
    let is_another = |name: &str| {
        *name != *target.called_as && tools.load().resolve(name).is_some_and(|entry| entry.id != target.tool)
    };
    let other = found.tools.into_iter().find(|tool| is_another(&tool.name))?;
    let description: String = other.description.unwrap_or_default().chars().take(MAX_DESCRIPTION).collect();
    Some(Recommendation { recommended_tool: other.name, reason: description })
}
