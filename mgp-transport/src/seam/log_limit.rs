//! A rate limit on warnings that the other side can cause.

use parking_lot::Mutex;
use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};
use tokio::time::Instant;

/// The time between two warnings.
const PAUSE: Duration = Duration::from_secs(1);

/// A rate limit on warnings that the other side can cause: admits one a second and counts the others.
///
/// A limit belongs to one peer and one kind of warning, so that no other warning is lost in a flood.
///
/// ```
/// use mgp_transport::seam::LogLimit;
/// let limit = LogLimit::default();
/// for _ in 0..1000 {
///     if let Some(left_out) = limit.admit() {
///         tracing::warn!(left_out, "a message was dropped");
///     }
/// }
/// assert_eq!(limit.rest(), Some(999));
/// ```
#[derive(Debug, Default)]
pub struct LogLimit {
    last: Mutex<Option<Instant>>,
    left_out: AtomicU64,
}

/// Writes a warning if a limit admits one.
macro_rules! warn_limited {
    ($limit:expr, $($field:tt)+) => {
        if let Some(left_out) = $limit.admit() {
            tracing::warn!(left_out, $($field)+);
        }
    };
}
pub(crate) use warn_limited;

impl LogLimit {
    /// Returns the number of warnings left out since the last one, if a warning may be written; counts one more otherwise.
    #[must_use]
    pub fn admit(&self) -> Option<u64> {
        let mut last = self.last.lock();
        if last.is_some_and(|last| last.elapsed() < PAUSE) {
            self.left_out.fetch_add(1, Ordering::Relaxed);
            return None;
        }
        *last = Some(Instant::now());
        Some(self.left_out.swap(0, Ordering::Relaxed))
    }

    /// Returns the number of warnings left out since the last one; `None` if there were none. Called when the peer is gone.
    #[must_use]
    pub fn rest(&self) -> Option<u64> {
        // Usually there is nothing to return.
        let any = self.left_out.load(Ordering::Relaxed) > 0;
        any.then(|| self.left_out.swap(0, Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn one_message_a_second_is_logged_and_none_is_forgotten() {
        let limit = LogLimit::default();
        assert_eq!(limit.admit(), Some(0));
        for _ in 0..10 {
            assert_eq!(limit.admit(), None);
        }
        tokio::time::advance(PAUSE).await;
        assert_eq!(
            (limit.admit(), limit.admit(), limit.rest(), limit.rest()),
            (Some(10), None, Some(1), None)
        );
    }
}
