//! §11.4 The shutdown of the kernel: its servers drain, regardless of the requester.

use crate::{
    features::{
        events::{for_others, is_of_user},
        instances::Instances,
    },
    ground::{kernel_id::SERVER_ID, trail::Trail},
    host::Hosts,
    upstream::servers::Servers,
};
use jiff::Timestamp;
use mgp_security::audit::EventDraft;
use mgp_transport::seam::{Incoming, Reply, Role, RouteError, Routes};
use mgp_types::{
    audit::{AuditEventType, AuditResult},
    lifecycle::{LifecycleParams, ServerState, Shutdown, ShutdownParams, ShutdownReason, ShutdownResult},
    rpc::ErrorObject,
};
use std::{sync::Arc, time::Duration};

/// The type of the event of a principal that stopped the kernel.
const KERNEL_STOPPED: &str = "dev.cloto.mgp.KERNEL_STOPPED";

/// The maximum time limit for running calls that a request can set.
const MAX_TIMEOUT: Duration = Duration::from_secs(60 * 60);

/// The shutdown of a kernel. Clones share it.
#[derive(Clone)]
pub(super) struct KernelStop {
    pub(super) servers: Arc<Servers>,
    pub(super) instances: Instances,
    pub(super) trail: Arc<Trail>,
    pub(super) hosts: Hosts,
}

impl KernelStop {
    /// Drains every server and ends its process, then stores the remaining events of the audit trail. Concurrent callers wait for the
    /// same shutdown, and a caller that stops waiting does not abort it. `limit` is the time limit for running calls; `None` for that of
    /// each server.
    pub(super) async fn shut_down(&self, limit: Option<Duration>) {
        self.begin(&ShutdownReason::KernelShutdown, limit);
        self.servers.stopping.ended().await;
    }

    /// Begins the shutdown, unless it has begun, and notifies the hosts. `limit` is the time limit for running calls; `None` for that of
    /// each server.
    fn begin(&self, reason: &ShutdownReason, limit: Option<Duration>) {
        let servers = &self.servers;
        if !servers.stopping.begin() {
            return;
        }
        let mut supervisors = servers.close();
        supervisors.extend(self.instances.close(limit));
        for server in servers.all().iter() {
            server.commands.stop(ShutdownReason::KernelShutdown, limit);
        }
        let told = LifecycleParams {
            server_id: SERVER_ID.to_owned(),
            previous_state: ServerState::Connected,
            new_state: ServerState::Draining,
            reason: Some(reason.as_str().to_owned()),
            timestamp: Some(Timestamp::now().to_string()),
        };
        let (servers, trail, hosts) = (servers.clone(), self.trail.clone(), self.hosts.clone());
        tokio::spawn(async move {
            hosts.state_changed(&told, is_of_user).await;
            // The reason may be any text of the operator.
            hosts.state_changed(&for_others(&told), |session, who| !is_of_user(session, who)).await;
            for supervisor in supervisors {
                // A supervisor that panicked has dropped its connection and its process.
                let _ = supervisor.await;
            }
            trail.flush().await;
            servers.stopping.note_ended();
        });
    }
}

/// Returns `mgp/lifecycle/shutdown`, which only principals with the admin role may call.
pub(super) fn routes() -> Routes<KernelStop> {
    Routes::new().route(Shutdown, Role::Admin, shutdown)
}

/// Answers `mgp/lifecycle/shutdown`. The request's time limit, at most an hour, replaces that of each server. A repeated request changes
/// nothing.
async fn shutdown(stop: KernelStop, message: Incoming) -> Result<Reply, RouteError> {
    let principal = message.caller()?;
    let params: ShutdownParams = message.params.decode()?;
    let limit = params.timeout_ms.map(|limit| Duration::from_millis(limit).min(MAX_TIMEOUT));
    let event = EventDraft::new(AuditEventType::from(KERNEL_STOPPED), &principal)
        .result(AuditResult::Success)
        .detail("reason", params.reason.as_str());
    if let Err(error) = stop.trail.sink.record(event.finish()).await {
        tracing::error!(%error, "the kernel is not stopped, because the request could not be recorded");
        return Err(ErrorObject::internal("internal error: the audit trail cannot be written").into());
    }
    let all = stop.servers.all();
    let pending = all.iter().map(|server| server.in_flight()).sum::<usize>() + stop.instances.in_flight();
    let busy = all.iter().filter(|server| server.in_flight() > 0);
    let longest = busy.map(|server| limit.unwrap_or(server.spec.shutdown_timeout)).max();
    let estimate = longest.unwrap_or(Duration::ZERO);
    stop.begin(&params.reason, limit);
    stop.servers.stopping.note_asked();
    Ok(Reply::from_value(&ShutdownResult {
        accepted: true,
        pending_requests: Some(pending as u64),
        estimated_drain_ms: Some(u64::try_from(estimate.as_millis()).unwrap_or(u64::MAX)),
    }))
}
