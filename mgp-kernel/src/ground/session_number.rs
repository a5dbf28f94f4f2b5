//! The numbers of sessions.

use mgp_transport::seam::Session;
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of the session of a host's connection, which differs from that of every other session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SessionNumber(u64);

impl SessionNumber {
    /// Returns the number of a session's connection.
    pub(crate) fn of(session: &Session) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let fresh = || Self(NEXT.fetch_add(1, Ordering::Relaxed));
        session.of_connection().get_or_insert_with(fresh)
    }
}
