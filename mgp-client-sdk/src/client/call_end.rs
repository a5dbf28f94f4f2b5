//! The end of a call, for its handlers.

use tokio_util::sync::{CancellationToken, DropGuard};

/// The end of the call that a notification belongs to.
#[derive(Debug, Clone)]
pub(super) struct CallEnd(CancellationToken);

impl CallEnd {
    /// Returns the end of a new call, and the guard that ends the call when it is dropped.
    pub(super) fn new() -> (Self, DropGuard) {
        let token = CancellationToken::new();
        (Self(token.clone()), token.drop_guard())
    }

    /// Waits until the call has ended.
    pub(super) async fn over(&self) {
        self.0.cancelled().await;
    }
}
