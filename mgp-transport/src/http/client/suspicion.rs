//! The checks of suspicions that the server has forgotten the session, and the pauses between them.
//!
//! A check delays only the messages with the suspicion. Some servers often answer with errors about unrelated sessions, or refuse
//! to reopen a session: they are not checked each time.

use super::{HttpClientConfig, pace::Pace};
use futures_core::future::BoxFuture;
use futures_util::future::Shared;
use std::time::Duration;
use tokio::time::Instant;

/// The result of a check, shared by all messages that wait for it: `true` if the server does not know the session.
pub(super) type Check = Shared<BoxFuture<'static, bool>>;

/// The suspicions that one session is lost.
#[derive(Debug, Default)]
pub(super) struct Suspicions {
    /// The check under way, or a check that found the session lost.
    check: Option<Check>,
    pace: Pace,
    /// The start and the length of the last pause.
    pause: Option<(Instant, Duration)>,
}

impl Suspicions {
    /// Returns the check under way, or the one that `start` creates.
    pub(super) fn check(&mut self, start: impl FnOnce() -> Check) -> Check {
        self.check.get_or_insert_with(start).clone()
    }

    /// Ends a suspicion that led to no new session, and begins a pause. Suspicions are not followed during a pause. Each pause is
    /// twice as long as the one before, within the bounds of the waits before a lost stream is reopened.
    pub(super) fn pause(&mut self, config: &HttpClientConfig) {
        self.check = None;
        self.pace.failed();
        self.pause = Some((Instant::now(), self.pace.delay(config)));
    }

    /// Returns whether suspicions are paused.
    pub(super) fn are_paused(&self) -> bool {
        self.pause.is_some_and(|(since, length)| since.elapsed() < length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn vain_suspicions_are_followed_less_often_within_a_bound() {
        let config = HttpClientConfig::default();
        let mut suspicions = Suspicions::default();
        assert!(!suspicions.are_paused());
        for seconds in [2, 4, 8, 16, 30, 30] {
            suspicions.pause(&config);
            tokio::time::advance(Duration::from_secs(seconds - 1)).await;
            assert!(suspicions.are_paused(), "{seconds}");
            tokio::time::advance(Duration::from_secs(1)).await;
            assert!(!suspicions.are_paused(), "{seconds}");
        }
    }
}
