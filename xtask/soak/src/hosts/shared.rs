//! What all hosts share.

use crate::{hosts::Era, ledger::Ledger};
use std::{net::SocketAddr, time::Duration};
use tokio::time::Instant;

/// What all hosts share.
#[derive(Debug, Clone)]
pub(crate) struct Shared {
    pub(crate) address: SocketAddr,
    pub(crate) ledger: Ledger,
    pub(crate) children: usize,
    pub(crate) seed: u64,
    /// When they send nothing new any more.
    pub(crate) until: Instant,
    /// After how long without anything the server ends a session.
    pub(crate) idle_limit: Duration,
}

impl Shared {
    /// The eras by turns.
    pub(super) fn era(number: usize) -> Era {
        if number.is_multiple_of(2) { Era::Sessions } else { Era::Stateless }
    }
}
