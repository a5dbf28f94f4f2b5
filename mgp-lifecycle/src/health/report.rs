//! What a server knows about its own health.

use super::{HealthCheck, Weight};
use crate::gate::Gate;
use futures_util::future::join_all;
use jiff::Timestamp;
use mgp_types::{
    json::{RawJson, RawObject},
    lifecycle::{HealthPingResult, HealthStatus, HealthStatusResult},
};
use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU8, Ordering},
    },
};
use tokio::time::Instant;

/// What a server knows about its own health. A clone is the same server's.
///
/// `mgp/health/ping` answers what is known, at once. `mgp/health/status` runs the checks first.
#[derive(Debug, Clone)]
pub struct Health(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    server_id: Arc<str>,
    started: Instant,
    /// What the last checks, or the server itself, said.
    status: AtomicU8,
    parts: Parts,
}

/// What can be asked beside the status.
#[derive(Clone, Default)]
struct Parts {
    checks: Vec<HealthCheck>,
    gate: Option<Gate>,
    tools: Option<Arc<dyn Fn() -> ToolCounts + Send + Sync>>,
    resources: Option<Arc<dyn Fn() -> RawObject + Send + Sync>>,
}

/// How many tools a server has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolCounts {
    /// How many can be called now.
    pub available: u64,
    /// How many there are.
    pub total: u64,
}

impl Health {
    /// A healthy server that started just now.
    #[must_use]
    pub fn new(server_id: impl Into<Arc<str>>) -> Self {
        Self(Arc::new(Inner {
            server_id: server_id.into(),
            started: Instant::now(),
            status: AtomicU8::new(0),
            parts: Parts::default(),
        }))
    }

    /// The same server with one more check. A later one replaces one of the same name.
    #[must_use]
    pub fn check(self, check: HealthCheck) -> Self {
        self.with(|parts| {
            parts.checks.retain(|other| other.name() != check.name());
            parts.checks.push(check);
        })
    }

    /// The same server with a gate that knows how many calls are in flight.
    #[must_use]
    pub fn gate(self, gate: Gate) -> Self {
        self.with(|parts| parts.gate = Some(gate))
    }

    /// The same server with what counts its tools.
    #[must_use]
    pub fn tools(self, count: impl Fn() -> ToolCounts + Send + Sync + 'static) -> Self {
        self.with(|parts| parts.tools = Some(Arc::new(count)))
    }

    /// The same server with what says which resources it uses, in its own terms.
    #[must_use]
    pub fn resources(self, read: impl Fn() -> RawObject + Send + Sync + 'static) -> Self {
        self.with(|parts| parts.resources = Some(Arc::new(read)))
    }

    fn with(self, change: impl FnOnce(&mut Parts)) -> Self {
        let Inner { server_id, started, status, parts } = &*self.0;
        let mut parts = parts.clone();
        change(&mut parts);
        let status = AtomicU8::new(status.load(Ordering::Relaxed));
        Self(Arc::new(Inner { server_id: server_id.clone(), started: *started, status, parts }))
    }

    /// How the server is, as far as is known.
    #[must_use]
    pub fn status(&self) -> HealthStatus {
        match self.0.status.load(Ordering::Relaxed) {
            0 => HealthStatus::Healthy,
            1 => HealthStatus::Degraded,
            _ => HealthStatus::Unhealthy,
        }
    }

    /// Says how the server is, until the next checks say otherwise.
    pub fn set_status(&self, status: HealthStatus) {
        let number = match status {
            HealthStatus::Healthy => 0,
            HealthStatus::Degraded => 1,
            HealthStatus::Unhealthy => 2,
        };
        self.0.status.store(number, Ordering::Relaxed);
    }

    /// What `mgp/health/ping` is answered with.
    #[must_use]
    pub fn ping(&self) -> HealthPingResult {
        HealthPingResult {
            status: self.status(),
            timestamp: Some(format!("{:.3}", Timestamp::now())),
            uptime_secs: Some(self.uptime_secs()),
            server_id: Some(self.0.server_id.to_string()),
        }
    }

    /// What `mgp/health/status` is answered with. Runs all checks at once.
    pub async fn report(&self) -> HealthStatusResult {
        let Parts { checks, gate, tools, resources } = &self.0.parts;
        let passed = join_all(checks.iter().map(HealthCheck::passes)).await;
        if !checks.is_empty() {
            self.set_status(summary(checks.iter().zip(&passed)));
        }
        let tools = tools.as_ref().map(|count| count());
        let results =
            checks.iter().zip(&passed).map(|(check, passed)| (check.name(), RawJson::from(*passed)));
        HealthStatusResult {
            status: self.status(),
            uptime_secs: Some(self.uptime_secs()),
            tools_available: tools.map(|tools| tools.available),
            tools_total: tools.map(|tools| tools.total),
            pending_requests: gate.as_ref().map(|gate| gate.in_flight() as u64),
            resources: resources.as_ref().map(|read| read()),
            checks: (!checks.is_empty()).then(|| results.collect()),
        }
    }

    fn uptime_secs(&self) -> u64 {
        self.0.started.elapsed().as_secs()
    }
}

/// The worst that the failed checks say.
fn summary<'a>(checks: impl Iterator<Item = (&'a HealthCheck, &'a bool)>) -> HealthStatus {
    checks.filter(|(_, passed)| !**passed).fold(HealthStatus::Healthy, |status, (check, _)| {
        match (status, check.weight()) {
            (HealthStatus::Unhealthy, _) | (_, Weight::Needed) => HealthStatus::Unhealthy,
            (_, Weight::Helpful) => HealthStatus::Degraded,
        }
    })
}

impl fmt::Debug for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parts")
            .field("checks", &self.checks)
            .field("gate", &self.gate)
            .finish_non_exhaustive()
    }
}
