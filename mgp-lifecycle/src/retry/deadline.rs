//! The end of a call's time.

use mgp_transport::seam::Incoming;
use std::time::Duration;
use tokio::time::Instant;

/// The moment at which the time limit of a call passes. A retried call carries it in its extensions, so that all attempts together keep the
/// limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallDeadline(pub Instant);

impl CallDeadline {
    /// Returns the deadline of a message; `None` if it was not retried.
    #[must_use]
    pub fn of(message: &Incoming) -> Option<Self> {
        message.ext.get().copied()
    }

    /// Removes the deadline of a message, whose time begins anew.
    pub fn remove(message: &mut Incoming) {
        message.ext.remove::<Self>();
    }

    /// Returns the time that is left.
    #[must_use]
    pub fn left(self) -> Duration {
        self.0.saturating_duration_since(Instant::now())
    }
}
