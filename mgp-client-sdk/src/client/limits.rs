//! The bounds of a client.

use std::time::Duration;

/// Past it, no task is left alone.
const A_DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The bounds of a client, beside those of its connection. Every one can be set.
///
/// ```
/// use mgp_client_sdk::client::{Client, Limits};
/// let builder = Client::builder("example", "1.0.0").limits(Limits { rounds: 3, ..Limits::default() });
/// ```
#[derive(Debug, Clone)]
pub struct Limits {
    /// How many pages of a list are read. A list with more is an error.
    pub pages: usize,
    /// How many entries of a list are read. A list with more is an error.
    pub entries: usize,
    /// How many rounds of input one request may take.
    pub rounds: usize,
    /// How many questions one round may hold.
    pub questions: usize,
    /// How many different changes a subscription keeps unread. Past it, all that is subscribed to counts as changed.
    pub changes: usize,
    /// How long a server may take to accept a subscription.
    pub subscribe_time_limit: Duration,
    /// How long to wait before a subscription that broke is made anew; it doubles with each failure.
    pub reconnect_delay: Duration,
    /// The longest such wait.
    pub max_reconnect_delay: Duration,
    /// After how many failures in a row a subscription that broke is given up.
    pub reconnects: u32,
    /// How long [`Task::result`](super::Task::result) waits for the end of a task, in all.
    pub task_time_limit: Duration,
    /// How long to wait between two looks at a task where its server does not say.
    pub task_poll_interval: Duration,
    /// The shortest such wait, whatever the server says.
    pub min_task_poll_interval: Duration,
    /// The longest such wait, whatever the server says; a day at most.
    pub max_task_poll_interval: Duration,
    /// How many questions one task may ask in its life.
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
            subscribe_time_limit: Duration::from_secs(30),
            reconnect_delay: Duration::from_secs(1),
            max_reconnect_delay: Duration::from_secs(30),
            reconnects: 8,
            task_time_limit: Duration::from_secs(60 * 60),
            task_poll_interval: Duration::from_secs(1),
            min_task_poll_interval: Duration::from_millis(100),
            max_task_poll_interval: Duration::from_secs(60),
            task_questions: 256,
        }
    }
}

impl Limits {
    /// How long to wait between two looks at a task whose server wants to be left alone for so long.
    pub(super) fn between_looks(&self, wanted: Option<Duration>) -> Duration {
        let wanted = wanted.unwrap_or(self.task_poll_interval);
        wanted.max(self.min_task_poll_interval).min(self.max_task_poll_interval).min(A_DAY)
    }
}
