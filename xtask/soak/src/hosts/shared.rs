//! The state that all hosts share.

use crate::{hosts::Era, ledger::Ledger, servers::Servers, wire::Endpoint};
use std::time::Duration;
use tokio::time::Instant;

/// The state that all hosts share.
#[derive(Debug, Clone)]
pub(crate) struct SharedState {
    pub(crate) endpoint: Endpoint,
    pub(crate) ledger: Ledger,
    pub(crate) servers: Servers,
    pub(crate) seed: u64,
    /// The time after which the hosts send nothing new.
    pub(crate) until: Instant,
    /// The idle time after which the server ends a session.
    pub(crate) idle_timeout: Duration,
}

impl SharedState {
    /// Returns the era of a host: the hosts alternate.
    pub(super) fn era(number: usize) -> Era {
        if number.is_multiple_of(2) { Era::Sessions } else { Era::Stateless }
    }
}
