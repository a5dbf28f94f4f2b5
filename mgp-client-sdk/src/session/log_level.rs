//! The level of the server's log: a request of its own in the era of `initialize`, and a part of each request in the stateless era.

use super::ServerSession;
use mgp_types::mcp::{LoggingLevel, SetLevel, SetLevelParams};
use std::time::Duration;
use tokio::time::timeout;

/// The time limit for the server to take its level again.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);

impl ServerSession {
    /// Sets the level of all later requests, and returns the request by which the server is told; `None` in the stateless era, in which
    /// the later requests carry the level. A level that the server took is kept by [`keep_log_level`](Self::keep_log_level).
    pub(crate) fn log_level_request(&self, level: LoggingLevel) -> Option<SetLevelParams> {
        if self.is_stateless() {
            self.peer.set_log_level(Some(level));
            return None;
        }
        Some(SetLevelParams { level, meta: None })
    }

    /// Keeps a level that the server took, which it is told again after the session was opened again.
    pub(crate) fn keep_log_level(&self, level: LoggingLevel) {
        *self.log_level.lock() = Some(level);
    }

    /// Returns the request by which the server is told a level that is lower than the one before. Returns `None` if it is not lower, if the
    /// server has no log, or if it takes the level from each request.
    #[cfg(feature = "kernel")]
    pub(crate) fn lower_log_level(&self, level: LoggingLevel) -> Option<SetLevelParams> {
        if self.is_stateless() || !self.greeting.capabilities.has("logging") {
            return None;
        }
        let mut told = self.log_level.lock();
        told.is_none_or(|told| level < told).then(|| {
            *told = Some(level);
            SetLevelParams { level, meta: None }
        })
    }

    /// Tells the server its level again after the session was opened again.
    pub(super) async fn tell_level_again(&self) {
        let level = *self.log_level.lock();
        let Some(params) = level.map(|level| SetLevelParams { level, meta: None }) else { return };
        if !matches!(timeout(ANSWER_TIMEOUT, self.peer.request::<SetLevel>(&params)).await, Ok(Ok(_))) {
            tracing::warn!("the server did not accept its log level");
        }
    }
}
