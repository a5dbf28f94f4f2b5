//! Cancelling is a token, both ways.

use std::sync::{Arc, OnceLock};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

/// Says that the caller of a request no longer wants its result. A clone is the same token.
///
/// The innermost service obeys it and answers [`Reply::cancelled`](super::Reply::cancelled); the layers around it run
/// to their end, so that what reached a server is recorded.
#[derive(Debug, Clone, Default)]
pub struct CancelToken {
    token: CancellationToken,
    cause: Arc<OnceLock<CancelCause>>,
}

/// How a call came to be cancelled. It decides what the caller is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum CancelCause {
    /// `notifications/cancelled`: no answer is sent.
    Notification,
    /// `mgp/stream/cancel`: the request is answered with what there was so far.
    Method,
    /// The connection is gone: nobody is there to be answered.
    Disconnected,
}

impl CancelToken {
    /// A token that nobody has cancelled.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancels. The first cause is kept. Returns whether this was the first.
    pub fn cancel(&self, cause: CancelCause) -> bool {
        let first = self.cause.set(cause).is_ok();
        self.token.cancel();
        first
    }

    /// Why it was cancelled, where it was.
    #[must_use]
    pub fn cause(&self) -> Option<CancelCause> {
        self.cause.get().copied()
    }

    /// Whether it was cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.token.is_cancelled()
    }

    /// Ends when it is cancelled.
    pub async fn cancelled(&self) {
        self.token.cancelled().await;
    }

    /// Ends when it is cancelled; a named future for hot layers.
    pub fn wait(&self) -> WaitForCancellationFutureOwned {
        self.token.clone().cancelled_owned()
    }
}
