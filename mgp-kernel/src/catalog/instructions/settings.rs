//! The settings of instructions.

use std::time::Duration;

/// The settings of instructions.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    /// The operator's own text, which comes first.
    pub(crate) own: Option<String>,
    /// The text for hosts of an unconfigured kernel.
    pub(crate) unconfigured: Option<String>,
    /// The tokens for the list of servers and the servers' own instructions.
    pub(crate) tokens: u64,
    /// The maximum time that a greeting waits for servers that start.
    pub(crate) wait: Duration,
    /// The maximum time that a call waits for an approval; `None` if nobody is asked.
    pub(crate) approval_wait: Option<Duration>,
}
