//! The estimates of calls, for search results and for questions about calls.

use super::{
    instructions::Room,
    tools::{ToolEntry, Tools},
};
use mgp_security::limits::quota::Quotas;
use mgp_transport::seam::{Incoming, TokenGrant};
use mgp_types::{
    context::Principal,
    json::{RawJson, RawObject},
    tool_index::{DiscoveredTool, LoadedTool},
    tool_metadata::{CallEstimate, ToolMetadata},
};
use std::sync::OnceLock;

/// The estimate that a tool's server claims, read on first use.
#[derive(Debug, Default)]
pub(in crate::kernel) struct ClaimedEstimate(OnceLock<Box<CallEstimate>>);

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

/// A tool in an answer.
pub(in crate::kernel) trait FoundTool {
    fn name(&self) -> &str;
    fn set_estimate(&mut self, estimate: CallEstimate);
}

impl FoundTool for DiscoveredTool {
    fn name(&self) -> &str {
        &self.name
    }

    fn set_estimate(&mut self, estimate: CallEstimate) {
        self.estimate = Some(estimate);
    }
}

impl FoundTool for LoadedTool {
    fn name(&self) -> &str {
        &self.name
    }

    fn set_estimate(&mut self, estimate: CallEstimate) {
        self.estimate = Some(estimate);
    }
}

/// Adds the estimates to each tool of an answer, best tools first, as far as there is room.
pub(in crate::kernel) async fn say_estimates<T: FoundTool>(
    (tools, quotas): (&Tools, &Quotas),
    message: &Incoming,
    principal: &Principal,
    answered: &mut [T],
    room: &mut Room,
) {
    let table = tools.load();
    let found: Vec<_> = answered
        .iter()
        .enumerate()
        .filter_map(|(place, tool)| Some((place, table.resolve(tool.name())?)))
        .collect();
    let ids: Vec<_> =
        found.iter().map(|(_, entry)| (entry.id.clone(), entry.profile.claimed_units)).collect();
    let key = message.ext.get::<TokenGrant>().and_then(|granted| granted.who().key.clone());
    let left = quotas.remaining(principal.id(), key.as_deref(), &ids).await;
    for ((place, entry), quota) in found.into_iter().zip(left) {
        let estimate = CallEstimate { quota, ..entry.estimate() };
        if estimate.is_empty() {
            continue;
        }
        let fits = RawJson::from_value(&estimate).is_ok_and(|text| room.takes(text.as_str()));
        if fits {
            answered[place].set_estimate(estimate);
        }
    }
}
