//! The timeouts of the client's requests.

use crate::call_clock::{CallClock, Mark};
use mgp_transport::seam::CallError;
use std::time::Duration;

/// The timeouts of the client's requests.
#[derive(Debug, Clone, Copy)]
pub(super) struct Timeouts {
    /// The timeout of a request, which each message of the server about the request restarts.
    pub(super) request: Duration,
    /// The total time limit of a request.
    pub(super) max: Duration,
}

impl Timeouts {
    /// No timeouts.
    pub(super) const NONE: Self = Self { request: Duration::MAX, max: Duration::MAX };
}

impl Default for Timeouts {
    fn default() -> Self {
        Self { request: Duration::from_secs(60), max: Duration::from_secs(10 * 60) }
    }
}

/// The time of one request, which is paused while the client answers questions of the server.
pub(super) struct RequestTime<'a> {
    method: &'static str,
    timeouts: Timeouts,
    clock: &'a CallClock,
    began: Mark,
}

impl<'a> RequestTime<'a> {
    pub(super) fn begin(method: &'static str, timeouts: Timeouts, clock: &'a CallClock) -> Self {
        Self { method, timeouts, clock, began: clock.mark() }
    }

    /// Waits for the next message about the request.
    ///
    /// # Errors
    /// [`CallError::Timeout`].
    pub(super) async fn wait<F: Future>(&self, next: F) -> Result<F::Output, CallError> {
        let Timeouts { request, max } = self.timeouts;
        let left = max.saturating_sub(self.clock.since(&self.began));
        let timeout = if left < request { max } else { request };
        let heard = self.clock.within(request.min(left), next).await;
        heard.ok_or(CallError::Timeout { method: self.method, timeout })
    }
}
