//! The bounds of tasks.

use std::time::Duration;

/// A time that no program lasts: an instant after it can still be told.
const FOR_EVER: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

/// The bounds of a server's tasks.
///
/// The limits of calls ([`max_concurrent_calls`](crate::Server::max_concurrent_calls),
/// [`call_time_limit`](crate::Server::call_time_limit)) do not hold for tasks: these do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskLimits {
    /// How many tasks are kept in all, ended ones among them, at least 1. 4,096 otherwise.
    pub tasks: usize,
    /// How many of them may be one principal's, at least 1. All callers that nothing authenticated are one. 256 otherwise.
    pub tasks_per_principal: usize,
    /// How long a task is kept from when it is made, where its client does not say. One that still runs then is stopped. An hour otherwise.
    pub ttl: Duration,
    /// The longest that a client may ask for. A day otherwise.
    pub longest_ttl: Duration,
    /// How long the result of one task may be, in bytes, and all answers that it gets to its questions. 4 MiB otherwise.
    pub result_bytes: usize,
    /// How long all results may be that are kept, in bytes. 256 MiB otherwise.
    pub kept_bytes: usize,
    /// How long clients are told to wait between two looks. A second otherwise.
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
    /// Returns for how long a task is kept whose client asks for so many milliseconds.
    pub(super) fn ttl_for(&self, asked: Option<u64>) -> Duration {
        asked.map_or(self.ttl, Duration::from_millis).min(self.longest_ttl).min(FOR_EVER)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_may_ask_for_less_time_and_for_no_more_than_the_longest() {
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
