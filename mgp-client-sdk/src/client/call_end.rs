//! The end of a call, for the handlers that work for it.

use tokio_util::sync::{CancellationToken, DropGuard};

/// The end of the call that a notification belongs to.
#[derive(Debug, Clone)]
pub(super) struct CallEnd(CancellationToken);

impl CallEnd {
    /// Returns the end of a new call, and the guard whose drop ends the call.
    pub(super) fn new() -> (Self, DropGuard) {
        let token = CancellationToken::new();
        (Self(token.clone()), token.drop_guard())
    }

    /// Waits until the call is over.
    pub(super) async fn over(&self) {
        self.0.cancelled().await;
    }
}
