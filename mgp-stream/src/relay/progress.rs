//! Forwards progress, and translates between MCP's notification and MGP's if the host understands only the other one.

use super::{Host, RelayOutcome};
use crate::progress::{Amount, ProgressFilter, ProgressPath};
use mgp_transport::seam::{CallError, LogLimit};
use mgp_types::{
    json::{RawJson, RawObject},
    mcp, mgp_member,
    rpc::{Notice, RawParams},
    stream::{ESTIMATED_REMAINING_MS, StreamProgress},
};

/// The progress of one call.
#[derive(Debug, Default)]
pub(super) struct Steps {
    increasing: ProgressFilter,
    warnings: LogLimit,
}

impl Steps {
    /// Forwards `notifications/progress`.
    pub(super) async fn forward_mcp(
        &mut self,
        host: &Host,
        params: &RawParams,
    ) -> Result<RelayOutcome, CallError> {
        let Some((path, mut step, progress)) = self.take(host, params) else {
            return Ok(RelayOutcome::Dropped);
        };
        if let ProgressPath::Mcp { token, mgp } = &path {
            if !mgp {
                mgp_member::strip(&mut step);
            }
            step.insert("progressToken", token.0.to_json());
            host.asked.peer.notify(mcp::Progress::METHOD, step).await?;
        } else {
            let remaining_ms = step.object("_mgp").and_then(|mut mgp| mgp.remove(ESTIMATED_REMAINING_MS));
            let amount = Amount { total: step.remove("total"), remaining_ms, ..Amount::of_one(progress) };
            path.send(&host.asked.peer, amount, step.remove("message")).await?;
        }
        Ok(RelayOutcome::Sent)
    }

    /// Forwards `notifications/mgp.stream.progress`.
    pub(super) async fn forward_mgp(
        &mut self,
        host: &Host,
        params: &RawParams,
    ) -> Result<RelayOutcome, CallError> {
        let Some((path, mut step, progress)) = self.take(host, params) else {
            return Ok(RelayOutcome::Dropped);
        };
        if let ProgressPath::Mgp(id) = &path {
            step.insert("request_id", id.to_json());
            host.asked.peer.notify(StreamProgress::METHOD, step).await?;
        } else {
            let remaining_ms = step.remove(ESTIMATED_REMAINING_MS);
            let amount = Amount { remaining_ms, ..Amount::of_one(progress) };
            path.send(&host.asked.peer, amount, step.remove("message")).await?;
        }
        Ok(RelayOutcome::Sent)
    }

    /// Returns the path to the host, the params and the number, or `None` if the notification is to be dropped.
    fn take(&mut self, host: &Host, params: &RawParams) -> Option<(ProgressPath, RawObject, RawJson)> {
        let request = &host.asked.id;
        let path = ProgressPath::to(&host.asked)?;
        let Ok(step) = params.object().cloned() else {
            if let Some(left_out) = self.warnings.admit() {
                tracing::warn!(%request, left_out, "progress whose params are not an object: dropped");
            }
            return None;
        };
        let progress = step.get("progress")?.clone();
        if !progress.decode::<f64>().is_ok_and(|number| self.increasing.admit(number)) {
            tracing::debug!(%request, %progress, "progress that does not grow: dropped");
            return None;
        }
        Some((path, step, progress))
    }
}
