//! Draining a server: it takes no new calls, the calls in flight end, and then its transport may be closed.

use super::Gate;
use crate::{
    on_demand::Demand,
    state::{IllegalTransition, Outlook, Transition},
};
use mgp_types::lifecycle::{ServerState, ShutdownResult};
use std::time::Duration;
use tokio::time::Instant;

/// The drain of one server. New calls are refused with 2001 from the moment it begins.
#[derive(Debug)]
pub struct Drain {
    gate: Gate,
    transition: Transition,
    since: Instant,
    limit: Duration,
}

/// The outcome of a drain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DrainOutcome {
    /// The last call in flight has ended.
    Idle,
    /// The time limit passed before that. Closing the transport cancels the calls that are left.
    TimedOut {
        /// The number of calls still in flight.
        pending: usize,
    },
}

impl Gate {
    /// Begins to drain the server, within a time limit. Calls that arrive meanwhile are refused with the advice of the outlook, which is that
    /// of the server's end.
    ///
    /// # Errors
    /// [`IllegalTransition`] if the server is not connected.
    pub fn drain(&self, reason: &str, limit: Duration, outlook: Outlook) -> Result<Drain, IllegalTransition> {
        let transition = self.machine().transition_with(ServerState::Draining, reason, outlook)?;
        Ok(Drain { gate: self.clone(), transition, since: Instant::now(), limit })
    }

    /// Begins to drain the server if no request needs it, so that the next one starts it again ([`Outlook::OnDemand`]). Returns `None` if a
    /// request needs it, or if the server is not connected. A request that is counted meanwhile either prevents the drain or sees the server
    /// drain.
    #[must_use]
    pub fn drain_unused(&self, demand: &Demand, reason: &str, limit: Duration) -> Option<Drain> {
        let unused = || demand.is_none() && self.in_flight() == 0;
        let (to, outlook) = (ServerState::Draining, Outlook::OnDemand);
        let transition = self.machine().transition_if(to, reason, outlook, unused)?;
        Some(Drain { gate: self.clone(), transition, since: Instant::now(), limit })
    }

    /// Returns the answer of a draining server to the request to stop.
    pub(crate) fn drain_answer(&self, limit: Duration) -> ShutdownResult {
        let pending = self.in_flight();
        // While no call has ended yet, the limit is the only known bound on their duration.
        let estimate = if pending == 0 { Duration::ZERO } else { self.in_flight.mean().unwrap_or(limit) };
        ShutdownResult {
            accepted: true,
            pending_requests: Some(pending as u64),
            estimated_drain_ms: Some(u64::try_from(estimate.min(limit).as_millis()).unwrap_or(u64::MAX)),
        }
    }
}

impl Drain {
    /// Returns the change of state that began the drain.
    #[must_use]
    pub const fn transition(&self) -> &Transition {
        &self.transition
    }

    /// Returns the answer to the request to stop: the number of calls in flight, and an estimate of the time until they end.
    #[must_use]
    pub fn answer(&self) -> ShutdownResult {
        self.gate.drain_answer(self.limit)
    }

    /// Waits until the last call in flight ends or the time limit, counted from the beginning of the drain, passes.
    pub async fn finished(&self) -> DrainOutcome {
        let left = self.limit.saturating_sub(self.since.elapsed());
        match tokio::time::timeout(left, self.gate.in_flight.idle()).await {
            Ok(()) => DrainOutcome::Idle,
            Err(_) => {
                let pending = self.gate.in_flight();
                let server = self.gate.machine().server_id();
                tracing::warn!(server, pending, limit = ?self.limit, "calls outlived the drain");
                DrainOutcome::TimedOut { pending }
            }
        }
    }
}
