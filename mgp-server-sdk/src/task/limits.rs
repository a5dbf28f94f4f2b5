//! The bounds of tasks.

use std::time::Duration;

/// A duration longer than any program runs, short enough to be added to an instant.
const FOR_EVER: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

/// The bounds of a server's tasks.
///
/// Tasks have these limits instead of the limits of calls ([`max_concurrent_calls`](crate::Server::max_concurrent_calls),
/// [`call_timeout`](crate::Server::call_timeout)).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskLimits {
    /// The most tasks that are kept, including ended ones; at least 1. The default is 4,096.
    pub tasks: usize,
    /// The most tasks that are kept for one principal; at least 1. All callers without authentication are one principal. The
    /// default is 256.
    pub tasks_per_principal: usize,
    /// The time for which a task is kept after its creation, if its client names none. A task that still runs then is stopped.
    /// The default is an hour.
    pub ttl: Duration,
    /// The longest time for which a client may have a task kept. The default is a day.
    pub longest_ttl: Duration,
    /// The most bytes that the result of one task may have, and that the answers to all of its questions may have. The default is 4 MiB.
    pub result_bytes: usize,
    /// The most bytes that all kept results may have in total. The default is 256 MiB.
    pub kept_bytes: usize,
    /// The time between two polls that clients are asked for. The default is a second.
    pub poll_interval: Duration,
}

impl Default for TaskLimits {
    fn default() -> Self {
        Self {
            tasks: 4096,
            tasks_per_principal: 256,
            ttl: Duration::from_secs(60 * 60),
            longest_ttl: Duration::from_secs(24 * 60 * 60),
            result_bytes: 4 * 1024 * 1024,
            kept_bytes: 256 * 1024 * 1024,
            poll_interval: Duration::from_secs(1),
        }
    }
}

impl TaskLimits {
    /// Returns the time for which a task is kept, if its client asks for this number of milliseconds.
    pub(super) fn ttl_for(&self, asked: Option<u64>) -> Duration {
        asked.map_or(self.ttl, Duration::from_millis).min(self.longest_ttl).min(FOR_EVER)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_may_request_only_a_shorter_lifetime() {
        let limits = TaskLimits::default();
        assert_eq!(limits.ttl_for(None), Duration::from_secs(3600));
        assert_eq!(limits.ttl_for(Some(5)), Duration::from_millis(5));
        assert_eq!(limits.ttl_for(Some(u64::MAX)), Duration::from_secs(86_400));
        let unbounded = TaskLimits { ttl: Duration::MAX, longest_ttl: Duration::MAX, ..limits };
        for asked in [None, Some(u64::MAX)] {
            assert!(tokio::time::Instant::now().checked_add(unbounded.ttl_for(asked)).is_some());
        }
    }
}
