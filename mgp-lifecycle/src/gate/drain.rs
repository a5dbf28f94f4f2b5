//! Draining: no new calls, those in flight end, then the transport may close.

use super::Gate;
use crate::state::{IllegalTransition, Transition};
use mgp_types::lifecycle::{ServerState, ShutdownResult};
use std::time::Duration;
use tokio::time::Instant;

/// A server that drains: new calls get 2001 from here on.
#[derive(Debug)]
pub struct Drain {
    gate: Gate,
    transition: Transition,
    since: Instant,
    limit: Duration,
}

/// How a drain ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Drained {
    /// The last call in flight ended.
    Idle,
    /// The time limit passed first. Closing the transport cancels what is left.
    TimedOut {
        /// How many calls were still in flight.
        pending: usize,
    },
}

impl Gate {
    /// Begins to drain, within a time limit.
    ///
    /// # Errors
    /// [`IllegalTransition`] where the server is not connected.
    pub fn drain(&self, reason: &str, limit: Duration) -> Result<Drain, IllegalTransition> {
        let transition = self.machine().transition(ServerState::Draining, reason)?;
        Ok(Drain { gate: self.clone(), transition, since: Instant::now(), limit })
    }

    /// What a server that drains answers to the request to stop.
    pub(crate) fn drain_answer(&self, limit: Duration) -> ShutdownResult {
        let pending = self.in_flight();
        // While no call has ended yet, all that is known is that none may take longer than the limit.
        let estimate = if pending == 0 { Duration::ZERO } else { self.in_flight.mean().unwrap_or(limit) };
        ShutdownResult {
            accepted: true,
            pending_requests: Some(pending as u64),
            estimated_drain_ms: Some(u64::try_from(estimate.min(limit).as_millis()).unwrap_or(u64::MAX)),
        }
    }
}

impl Drain {
    /// The change of state that began it.
    #[must_use]
    pub const fn transition(&self) -> &Transition {
        &self.transition
    }

    /// What the request to stop is answered with: how many calls are in flight, and how long they may take.
    #[must_use]
    pub fn answer(&self) -> ShutdownResult {
        self.gate.drain_answer(self.limit)
    }

    /// Ends as soon as the last call in flight ends, or when the time limit, counted from the beginning, passes.
    pub async fn finished(&self) -> Drained {
        let left = self.limit.saturating_sub(self.since.elapsed());
        match tokio::time::timeout(left, self.gate.in_flight.idle()).await {
            Ok(()) => Drained::Idle,
            Err(_) => {
                let pending = self.gate.in_flight();
                let server = self.gate.machine().server_id();
                tracing::warn!(server, pending, limit = ?self.limit, "calls outlived the drain");
                Drained::TimedOut { pending }
            }
        }
    }
}
