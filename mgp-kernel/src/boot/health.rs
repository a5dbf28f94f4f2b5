//! §11.3 The kernel's health, for its callers.

use crate::{catalog::tools::Tools, rights::rights::Rights, upstream::servers::Servers};
use mgp_discovery::registry::RegisteredServer;
use mgp_lifecycle::health::{Health, HealthCheck, ToolCounts, Weight};
use mgp_transport::seam::Visibility;
use mgp_types::{
    context::{Principal, ToolId},
    lifecycle::HealthStatus,
};
use std::{future::ready, sync::Arc};

/// The maximum number of servers in a report.
const MAX_NAMED: usize = 256;

/// Returns the kernel's health for a caller: the servers of its tools, and the number of tools that it can call now. An operator sees all
/// servers, and the tools that anybody can call. The kernel is degraded while one of these servers is down or reports that it is degraded
/// or unhealthy. It is unhealthy while all of them are down or unhealthy. A server that the operator stopped does not count. A server that
/// is starting with a kept listing is not down, because its calls wait for it.
pub(super) fn health_for(
    health: Health,
    servers: &Servers,
    rights: &Arc<Rights>,
    tools: Arc<Tools>,
    caller: &Principal,
) -> Health {
    let access = rights.access.view(caller);
    let is_seen = |server: &RegisteredServer| {
        let sees = |tool: &Arc<str>| access.sees(&ToolId::new(server.id.clone(), tool.clone()));
        caller.is_admin() || server.tools.iter().any(sees)
    };
    let registered = servers.registry.servers();
    let seen = registered.iter().filter(|server| !rights.stopped.has(&server.id) && is_seen(server));
    let running = servers.load();
    let is_recalled =
        |id: &str| running.iter().any(|server| server.id() == id && server.connection.is_recalled());
    let health_of = |server: &RegisteredServer| {
        let health = server.current_health();
        let waits = health != HealthStatus::Healthy && is_recalled(&server.id);
        if waits { HealthStatus::Healthy } else { health }
    };
    let mut seen: Vec<_> = seen.map(|server| (server.id.clone(), health_of(server))).collect();
    // Unhealthy servers are named first.
    seen.sort_by_key(|(_, health)| *health == HealthStatus::Healthy);
    let are_all_down = seen.iter().all(|(_, health)| *health == HealthStatus::Unhealthy);
    let (status, weight) = match seen.first() {
        Some(_) if are_all_down => (HealthStatus::Unhealthy, Weight::Needed),
        Some((_, HealthStatus::Degraded | HealthStatus::Unhealthy)) => {
            (HealthStatus::Degraded, Weight::Helpful)
        }
        Some((_, HealthStatus::Healthy)) | None => (HealthStatus::Healthy, Weight::Helpful),
    };
    let checks = seen.into_iter().take(MAX_NAMED).map(|(id, of_server)| {
        let is_well = of_server == HealthStatus::Healthy;
        HealthCheck::new(id, weight, move || ready(is_well))
    });
    let health = counted(health, rights.clone(), tools, caller.clone()).checks(checks);
    health.set_status(status);
    health
}

fn counted(health: Health, rights: Arc<Rights>, tools: Arc<Tools>, caller: Principal) -> Health {
    health.tools(move || {
        let access = rights.access.view(&caller);
        let offered = match caller.is_admin() {
            true => tools.offered.full_view(),
            false => tools.offered.view(&caller),
        };
        let tools = tools.load();
        let mut counts = ToolCounts { available: 0, total: 0 };
        for entry in tools.entries() {
            counts.total += u64::from(caller.is_admin() || access.sees(&entry.id));
            counts.available += u64::from(offered.sees(&entry.id) && entry.server.takes_calls());
        }
        counts
    })
}
