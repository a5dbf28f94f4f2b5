//! §11.4 The end of the kernel: its servers drain, whoever asks for it.

use super::{servers::Servers, trail::Trail};
use mgp_security::audit::EventDraft;
use mgp_transport::seam::{Incoming, Reply, Role, RouteError, Routes};
use mgp_types::{
    audit::{AuditEventType, AuditResult},
    lifecycle::{Shutdown, ShutdownParams, ShutdownReason, ShutdownResult},
    rpc::ErrorObject,
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::sync::watch;

/// The type of the event that records that a principal stopped the kernel.
const KERNEL_STOPPED: &str = "dev.cloto.mgp.KERNEL_STOPPED";

/// The progress of the kernel's end.
#[derive(Debug)]
pub(crate) struct StopProgress {
    begun: AtomicBool,
    /// True once a principal has asked the kernel to stop.
    asked: watch::Sender<bool>,
    ended: watch::Sender<bool>,
}

impl Default for StopProgress {
    fn default() -> Self {
        let (asked, ended) = (watch::Sender::new(false), watch::Sender::new(false));
        Self { begun: AtomicBool::new(false), asked, ended }
    }
}

impl StopProgress {
    /// Waits until a principal with the admin role has asked the kernel to stop.
    pub(super) async fn asked(&self) {
        // The sender is our own.
        let _ = self.asked.subscribe().wait_for(|asked| *asked).await;
    }
}

impl Servers {
    /// Drains every server and ends its process, then stores the remaining events of the audit trail. Another caller in the
    /// meantime waits for the same end, and a caller that gives up waiting does not stop it.
    pub(super) async fn shut_down(self: &Arc<Self>, trail: &Arc<Trail>) {
        self.begin_to_stop(trail);
        let _ = self.stopping.ended.subscribe().wait_for(|ended| *ended).await;
    }

    fn begin_to_stop(self: &Arc<Self>, trail: &Arc<Trail>) {
        if self.stopping.begun.swap(true, Ordering::AcqRel) {
            return;
        }
        let supervisors = self.close();
        for server in self.all().iter() {
            server.stop(ShutdownReason::KernelShutdown);
        }
        let (servers, trail) = (self.clone(), trail.clone());
        tokio::spawn(async move {
            for supervisor in supervisors {
                // One that panicked has dropped its connection and its process.
                let _ = supervisor.await;
            }
            trail.flush().await;
            servers.stopping.ended.send_replace(true);
        });
    }
}

/// Returns `mgp/lifecycle/shutdown`, for principals with the admin role alone.
pub(super) fn routes() -> Routes<(Arc<Servers>, Arc<Trail>)> {
    Routes::new().route(Shutdown, Role::Admin, shutdown)
}

/// Answers `mgp/lifecycle/shutdown`. Each server drains within its own time limit.
async fn shutdown(
    (servers, trail): (Arc<Servers>, Arc<Trail>),
    message: Incoming,
) -> Result<Reply, RouteError> {
    let principal = message.caller()?;
    let params: ShutdownParams = message.params.decode()?;
    let event = EventDraft::new(AuditEventType::from(KERNEL_STOPPED), &principal)
        .result(AuditResult::Success)
        .detail("reason", params.reason.as_str());
    if let Err(error) = trail.sink.record(event.finish()).await {
        tracing::error!(%error, "the kernel is not stopped, because that could not be recorded");
        return Err(ErrorObject::internal("internal error: the audit trail cannot be written").into());
    }
    let all = servers.all();
    let pending: usize = all.iter().map(|server| server.in_flight()).sum();
    let busy = all.iter().filter(|server| server.in_flight() > 0);
    let estimate = busy.map(|server| server.spec.shutdown_timeout).max().unwrap_or(Duration::ZERO);
    servers.begin_to_stop(&trail);
    servers.stopping.asked.send_replace(true);
    Ok(Reply::from_value(&ShutdownResult {
        accepted: true,
        pending_requests: Some(pending as u64),
        estimated_drain_ms: Some(u64::try_from(estimate.as_millis()).unwrap_or(u64::MAX)),
    }))
}
