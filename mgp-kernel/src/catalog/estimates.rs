//! The estimates of calls in search results.

use super::{instructions::Room, tools::Tools};
use mgp_security::limits::quota::Quotas;
use mgp_transport::seam::Incoming;
use mgp_types::{
    context::Principal,
    json::RawJson,
    tool_index::{DiscoveredTool, LoadedTool},
    tool_metadata::CallEstimate,
};

/// A tool in an answer.
pub(super) trait FoundTool {
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
pub(super) async fn say_estimates<T: FoundTool>(
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
    let left = quotas.remaining(principal.id(), message.key_name(), &ids).await;
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
