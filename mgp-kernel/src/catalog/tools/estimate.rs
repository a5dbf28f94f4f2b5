//! The estimate of a tool's calls, for search results and for questions about calls.

use mgp_types::{
    json::{RawJson, RawObject},
    tool_metadata::{CallEstimate, ToolMetadata},
};
use std::sync::OnceLock;

/// The estimate that a tool's server claims, read on first use.
#[derive(Debug, Default)]
pub(super) struct ClaimedEstimate(OnceLock<Box<CallEstimate>>);

impl ClaimedEstimate {
    /// Returns the estimate of a definition, which is always the same one.
    pub(super) fn of(&self, definition: &RawJson) -> CallEstimate {
        let read = || {
            let definition = RawObject::from_json(definition).unwrap_or_default();
            let ToolMetadata { cost, latency, quota, .. } = ToolMetadata::of_definition(&definition).metadata;
            Box::new(CallEstimate { cost, latency, claimed_quota: quota, ..CallEstimate::default() })
        };
        CallEstimate::clone(self.0.get_or_init(read))
    }
}
