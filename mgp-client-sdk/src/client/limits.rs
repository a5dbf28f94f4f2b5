//! The limits of a client.

use crate::session::{ListLimits, ListenLimits, RoundLimits};
use std::time::Duration;

/// The maximum time between two requests for the state of a task.
const A_DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The limits of a client, in addition to those of its connection. Each of them can be set.
///
/// ```
/// use mgp_client_sdk::client::{Client, Limits};
/// let builder = Client::builder("example", "1.0.0").limits(Limits { rounds: 3, ..Limits::default() });
/// ```
#[derive(Debug, Clone)]
pub struct Limits {
    /// The maximum number of pages of a list. A list with more is an error.
    pub pages: usize,
    /// The maximum number of entries of a list. A list with more is an error.
    pub entries: usize,
    /// The maximum number of rounds of input of one request.
    pub rounds: usize,
    /// The maximum number of questions in one round of input.
    pub questions: usize,
    /// The maximum number of distinct unread changes of a subscription. Beyond that number, the whole subscription counts as changed.
    pub changes: usize,
    /// The time limit for a server to accept a subscription.
    pub subscribe_timeout: Duration,
    /// The delay before a broken subscription is opened again; the delay doubles with each failure.
    pub reconnect_delay: Duration,
    /// The maximum delay.
    pub max_reconnect_delay: Duration,
    /// The number of consecutive failures after which a broken subscription is given up.
    pub reconnects: u32,
    /// The total time that [`Task::result`](super::Task::result) waits for the end of a task.
    pub task_timeout: Duration,
    /// The interval at which a task is polled if its server does not give one.
    pub task_poll_interval: Duration,
    /// The minimum interval, whatever the server requests.
    pub min_task_poll_interval: Duration,
    /// The maximum interval, whatever the server requests; at most a day.
    pub max_task_poll_interval: Duration,
    /// The maximum number of questions of one task in its lifetime.
    pub task_questions: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            pages: 1000,
            entries: 100_000,
            rounds: 16,
            questions: 32,
            changes: 1024,
            subscribe_timeout: Duration::from_secs(30),
            reconnect_delay: Duration::from_secs(1),
            max_reconnect_delay: Duration::from_secs(30),
            reconnects: 8,
            task_timeout: Duration::from_secs(60 * 60),
            task_poll_interval: Duration::from_secs(1),
            min_task_poll_interval: Duration::from_millis(100),
            max_task_poll_interval: Duration::from_secs(60),
            task_questions: 256,
        }
    }
}

impl Limits {
    /// Returns the limits of a list.
    pub(super) fn list(&self) -> ListLimits {
        ListLimits { pages: self.pages, entries: self.entries, bytes: usize::MAX }
    }

    /// Returns the limits of the input that one request may ask for.
    pub(super) fn rounds(&self) -> RoundLimits {
        RoundLimits { rounds: self.rounds, questions: self.questions }
    }

    /// Returns the limits of a subscription.
    pub(super) fn listen(&self) -> ListenLimits {
        ListenLimits {
            accept: self.subscribe_timeout,
            answer: self.subscribe_timeout,
            delay: self.reconnect_delay,
            max_delay: self.max_reconnect_delay,
            tries: Some(self.reconnects),
        }
    }

    /// Returns the interval at which a task is polled, if its server requests the interval `wanted`.
    pub(super) fn between_looks(&self, wanted: Option<Duration>) -> Duration {
        let wanted = wanted.unwrap_or(self.task_poll_interval);
        wanted.max(self.min_task_poll_interval).min(self.max_task_poll_interval).min(A_DAY)
    }
}
