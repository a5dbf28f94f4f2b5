//! The estimate of a tool's calls, for search results and for questions about calls.

use super::ToolEntry;
use mgp_types::{
    json::{RawJson, RawObject},
    tool_metadata::{CallEstimate, ToolMetadata},
};
use std::sync::OnceLock;

/// The estimate that a tool's server claims, read on first use.
#[derive(Debug, Default)]
pub(super) struct ClaimedEstimate(OnceLock<Box<CallEstimate>>);

impl ToolEntry {
    /// Returns the server's claims about the tool's calls, and the measured latency.
    pub(crate) fn estimate(&self) -> CallEstimate {
        let claimed = self.claimed.0.get_or_init(|| Box::new(claimed(&self.definition)));
        CallEstimate {
            measured_latency: self.server.latency(&self.id.tool_name),
            ..CallEstimate::clone(claimed)
        }
    }
}

fn claimed(definition: &RawJson) -> CallEstimate {
    let definition = RawObject::from_json(definition).unwrap_or_default();
    let ToolMetadata { cost, latency, quota, .. } = ToolMetadata::of_definition(&definition).metadata;
    CallEstimate { cost, latency, claimed_quota: quota, ..CallEstimate::default() }
}
