//! The health of a server, as the server itself reports it.

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

/// The health of a server, as the server itself reports it. Clones share the same server.
///
/// `mgp/health/ping` is answered at once with the status known so far. `mgp/health/status` runs the checks first.
#[derive(Debug, Clone)]
pub struct Health(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    server_id: Arc<str>,
    started: Instant,
    /// The status that the last checks gave, or that the server set itself.
    status: AtomicU8,
    parts: Parts,
}

/// The optional parts of a report.
#[derive(Clone, Default)]
struct Parts {
    checks: Vec<HealthCheck>,
    gate: Option<Gate>,
    tools: Option<Arc<dyn Fn() -> ToolCounts + Send + Sync>>,
    resources: Option<Arc<dyn Fn() -> RawObject + Send + Sync>>,
}

/// The number of a server's tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolCounts {
    /// The number of tools that can be called now.
    pub available: u64,
    /// The number of all tools.
    pub total: u64,
}

impl Health {
    /// Creates the health of a server that started just now and is healthy.
    #[must_use]
    pub fn new(server_id: impl Into<Arc<str>>) -> Self {
        Self(Arc::new(Inner {
            server_id: server_id.into(),
            started: Instant::now(),
            status: AtomicU8::new(0),
            parts: Parts::default(),
        }))
    }

    /// Adds a check. A check replaces an earlier one with the same name.
    #[must_use]
    pub fn check(self, check: HealthCheck) -> Self {
        self.checks([check])
    }

    /// Adds checks. Each replaces an earlier one with the same name.
    #[must_use]
    pub fn checks(self, checks: impl IntoIterator<Item = HealthCheck>) -> Self {
        self.with(|parts| {
            for check in checks {
                parts.checks.retain(|other| other.name() != check.name());
                parts.checks.push(check);
            }
        })
    }

    /// Adds the server's gate, which counts the calls in flight.
    #[must_use]
    pub fn gate(self, gate: Gate) -> Self {
        self.with(|parts| parts.gate = Some(gate))
    }

    /// Adds a function that counts the server's tools.
    #[must_use]
    pub fn tools(self, count: impl Fn() -> ToolCounts + Send + Sync + 'static) -> Self {
        self.with(|parts| parts.tools = Some(Arc::new(count)))
    }

    /// Adds a function that reports the resources that the server uses, in the server's own terms.
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

    /// Returns the status known so far.
    #[must_use]
    pub fn status(&self) -> HealthStatus {
        match self.0.status.load(Ordering::Relaxed) {
            0 => HealthStatus::Healthy,
            1 => HealthStatus::Degraded,
            _ => HealthStatus::Unhealthy,
        }
    }

    /// Sets the status, until the next checks replace it.
    pub fn set_status(&self, status: HealthStatus) {
        let number = match status {
            HealthStatus::Healthy => 0,
            HealthStatus::Degraded => 1,
            HealthStatus::Unhealthy => 2,
        };
        self.0.status.store(number, Ordering::Relaxed);
    }

    /// Returns the answer to `mgp/health/ping`.
    #[must_use]
    pub fn ping(&self) -> HealthPingResult {
        HealthPingResult {
            status: self.status(),
            timestamp: Some(format!("{:.3}", Timestamp::now())),
            uptime_secs: Some(self.uptime_secs()),
            server_id: Some(self.0.server_id.to_string()),
        }
    }

    /// Returns the answer to `mgp/health/status`. Runs all checks concurrently.
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

/// Returns the worst status that a failed check implies.
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
