//! The level of the server's log: a separate request in the era of `initialize`, and a part of each request in the stateless era.

use super::ServerSession;
use mgp_types::mcp::{LoggingLevel, SetLevel, SetLevelParams};
use std::time::Duration;
use tokio::time::timeout;

/// The time limit for the server to accept its level again.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);

impl ServerSession {
    /// Sets the level of all later requests, and returns the request that sets it at the server; `None` in the stateless era, in which
    /// later requests contain the level. A level that the server accepted is stored with [`keep_log_level`](Self::keep_log_level).
    pub fn log_level_request(&self, level: LoggingLevel) -> Option<SetLevelParams> {
        if self.is_stateless() {
            self.peer.set_log_level(Some(level));
            return None;
        }
        Some(SetLevelParams { level, meta: None })
    }

    /// Stores a level that the server accepted, so that it is set again after the session was renewed.
    pub fn keep_log_level(&self, level: LoggingLevel) {
        *self.log_level.lock() = Some(level);
    }

    /// Returns the request that sets a lower level than before at the server. Returns `None` if the level is not lower, if the server has
    /// no log, or if it gets the level with each request.
    pub fn lower_log_level(&self, level: LoggingLevel) -> Option<SetLevelParams> {
        if self.is_stateless() || !self.greeting.capabilities.has("logging") {
            return None;
        }
        let mut told = self.log_level.lock();
        told.is_none_or(|told| level < told).then(|| {
            *told = Some(level);
            SetLevelParams { level, meta: None }
        })
    }

    /// Sets the level at the server again after the session was renewed.
    pub(super) async fn tell_level_again(&self) {
        let level = *self.log_level.lock();
        let Some(params) = level.map(|level| SetLevelParams { level, meta: None }) else { return };
        if !matches!(timeout(ANSWER_TIMEOUT, self.peer.request::<SetLevel>(&params)).await, Ok(Ok(_))) {
            tracing::warn!("the server did not accept its log level");
        }
    }
}
