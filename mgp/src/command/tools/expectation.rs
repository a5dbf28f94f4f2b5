//! The expected time and cost of a tool call, for `mgp tools show`.

use super::gates::line;
use crate::{
    control::{kernels_that_run, statuses},
    output::{note, on_one_line},
    setup::Setup,
};
use mgp_kernel::{JudgedTool, Kernel};
use mgp_types::{
    context::{Principal, ToolId},
    lifecycle::{KernelStatus, KernelStatusParams},
    negotiation::ExtensionSet,
    tool_check::ToolQuota,
    tool_metadata::{Cost, LatencyClass, MeasuredLatency, Quota},
};
use serde::Serialize;

/// The expected time and cost of a call.
#[derive(Debug, Serialize)]
pub(super) struct Expectation {
    /// The latency that the tool's server claims.
    #[serde(skip_serializing_if = "Option::is_none")]
    latency: Option<LatencyClass>,
    /// The cost that the tool's server claims.
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<Cost>,
    /// The remaining calls at the tool's server, as the server claims.
    #[serde(skip_serializing_if = "Option::is_none")]
    claimed_quota: Option<Quota>,
    /// The quota units that a call costs, by the configuration and the claim.
    units: u64,
    /// The quota that leaves the agent of `kernel.agent` the fewest units, if a quota applies to the tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    quota: Option<ToolQuota>,
    /// The number of kernels that run with this configuration.
    kernels: usize,
    /// The measured latency of calls, by kernel.
    measured: Vec<KernelLatency>,
}

/// The latency of calls that a running kernel measured.
#[derive(Debug, Serialize)]
struct KernelLatency {
    pid: u32,
    #[serde(flatten)]
    latency: MeasuredLatency,
}

impl Expectation {
    /// Queries the kernels that run with this configuration for the latency of a tool's calls.
    pub(super) async fn of(kernel: &Kernel, setup: &Setup, tool: &JudgedTool) -> Self {
        let reports = reports(setup).await;
        let quota = kernel.operator().quota(&Principal::agent(&setup.agent), tool.named.tool.id()).await;
        let measured = reports.iter().filter_map(|(pid, status)| {
            let latency = latency_in(status, tool.named.tool.id())?;
            Some(KernelLatency { pid: *pid, latency })
        });
        Self {
            latency: tool.estimate.latency,
            cost: tool.estimate.cost.clone(),
            claimed_quota: tool.estimate.claimed_quota.clone(),
            units: tool.units,
            quota,
            kernels: reports.len(),
            measured: measured.collect(),
        }
    }

    /// Returns the lines of text.
    pub(super) fn lines(&self) -> Vec<String> {
        let says = "its server says";
        let mut lines = Vec::new();
        if let Some(latency) = self.latency {
            lines.push(line("takes", &format!("{latency}, {says}")));
        }
        if self.measured.is_empty() {
            lines.push(line("measured", self.unmeasured()));
        }
        for KernelLatency { pid, latency } in &self.measured {
            lines.push(line("measured", &format!("{latency} (gateway of process {pid})")));
        }
        if let Some(cost) = &self.cost {
            let units = cost.estimated_units.map(|units| {
                let label = cost.unit_label.as_deref().unwrap_or("units");
                format!(", about {units} {}", on_one_line(label))
            });
            let category = on_one_line(cost.category.as_str());
            lines.push(line("cost", &format!("{category}{}, {says}", units.unwrap_or_default())));
        }
        if let Some(quota) = self.claimed_quota.as_ref().filter(|quota| quota.remaining.is_some()) {
            lines.push(line("left", &format!("{}, {says}", on_one_line(&quota.to_string()))));
        }
        if let Some(ToolQuota { remaining, limit, resets_at, .. }) = &self.quota {
            lines.push(line("quota", &format!("{remaining} of {limit} units are left until {resets_at}")));
        }
        if self.units != 1 {
            lines.push(line("units", &format!("{} of each quota that counts its calls", self.units)));
        }
        lines
    }

    /// Returns the reason why there is no measured latency.
    const fn unmeasured(&self) -> &'static str {
        match self.kernels {
            0 => "nothing: no gateway with this configuration runs",
            _ => "nothing: no call of it has been answered since the gateway started",
        }
    }
}

/// Returns the reports of the kernels that run with this configuration, with their process ids.
async fn reports(setup: &Setup) -> Vec<(u32, KernelStatus)> {
    let kernels = kernels_that_run(setup, ExtensionSet::EMPTY).await;
    if kernels.is_empty() {
        return Vec::new();
    }
    let mut reports =
        statuses(&kernels, &KernelStatusParams { tools: true, ..KernelStatusParams::default() })
            .await
            .inspect_err(|error| note(error.message()))
            .unwrap_or_default();
    reports.retain(|(_, status)| status.configuration.as_deref() == Some(&*setup.configuration()));
    reports
}

fn latency_in(status: &KernelStatus, id: &ToolId) -> Option<MeasuredLatency> {
    let of_tool = status
        .latencies
        .iter()
        .find(|report| *report.server_id == *id.server_id && *report.tool_name == *id.tool_name);
    of_tool.map(|report| report.measured_latency)
}
