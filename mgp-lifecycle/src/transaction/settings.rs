//! The bounds on transactions.

use std::time::Duration;

/// The bounds on transactions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TransactionSettings {
    /// The default time without a step after which a transaction is rolled back.
    pub timeout: Duration,
    /// The longest time without a step that a transaction may request.
    pub max_timeout: Duration,
    /// The most open transactions of one caller, regardless of the agents that it acts for.
    pub open: usize,
    /// The most steps of a transaction.
    pub steps: usize,
    /// The most bytes of a call that undoes a step.
    pub compensation_bytes: usize,
    /// The most bytes of compensations in a transaction. At this size it accepts no more steps.
    pub transaction_bytes: usize,
    /// The time for which an ended transaction is kept.
    pub kept: Duration,
    /// The most ended transactions kept for one caller, regardless of the agents that it acts for.
    pub kept_each: usize,
    /// The longest time that a rollback waits for running steps.
    pub step_wait: Duration,
    /// The interval between searches for abandoned transactions.
    pub look: Duration,
}

impl Default for TransactionSettings {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(300),
            max_timeout: Duration::from_secs(86_400),
            open: 32,
            steps: 100,
            compensation_bytes: 64 * 1024,
            transaction_bytes: 1024 * 1024,
            kept: Duration::from_secs(604_800),
            kept_each: 256,
            step_wait: Duration::from_secs(600),
            look: Duration::from_secs(1),
        }
    }
}
