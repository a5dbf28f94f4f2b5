//! The token that cancels a request, in both directions.

use pin_project_lite::pin_project;
use std::{
    future::Future,
    pin::Pin,
    sync::{
        Arc, OnceLock,
        atomic::{Ordering, fence},
    },
    task::{Context, Poll},
};
use tokio::sync::{Notify, futures::OwnedNotified};

/// A signal that the caller of a request no longer wants its result. Clones share the state.
///
/// The innermost service obeys the token and answers [`Reply::cancelled`](super::Reply::cancelled); the layers around it run to
/// completion, so that a call that reached a server is recorded.
#[derive(Debug, Clone, Default)]
pub struct CancelToken(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    cause: OnceLock<CancelCause>,
    /// Notifies when the cause is set. Created by the first wait: every request has a token, but few are awaited.
    changed: OnceLock<Arc<Notify>>,
}

/// The cause of a cancellation. The answer to the caller depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum CancelCause {
    /// `notifications/cancelled`: no answer is sent.
    Notification,
    /// `mgp/stream/cancel`: the request is answered with its partial result.
    Method,
    /// The connection is gone: no answer can be sent.
    Disconnected,
}

impl CancelToken {
    /// Creates a token that is not cancelled.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancels the request. The first cause is kept. Returns `true` if this call was the first to cancel.
    pub fn cancel(&self, cause: CancelCause) -> bool {
        let first = self.0.cause.set(cause).is_ok();
        // With the fence of `cancelled`: either this thread sees the waiter, or the waiter sees the cause.
        fence(Ordering::SeqCst);
        if first && let Some(changed) = self.0.changed.get() {
            changed.notify_waiters();
        }
        first
    }

    /// Returns the cause of the cancellation; `None` if the token is not cancelled.
    #[must_use]
    pub fn cause(&self) -> Option<CancelCause> {
        self.0.cause.get().copied()
    }

    /// Returns `true` if the token is cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cause().is_some()
    }

    /// Returns a future that completes when the token is cancelled.
    pub fn cancelled(&self) -> CancelledFuture {
        let changed = self.0.changed.get_or_init(Arc::default).clone().notified_owned();
        fence(Ordering::SeqCst);
        CancelledFuture { changed, token: self.clone() }
    }
}

pin_project! {
    /// A future that completes when a [`CancelToken`] is cancelled.
    #[must_use = "futures do nothing unless polled"]
    #[derive(Debug)]
    pub struct CancelledFuture {
        // Receives every notification since it was created, so a cancellation between two checks of the cause is not missed.
        #[pin]
        changed: OwnedNotified,
        token: CancelToken,
    }
}

impl Future for CancelledFuture {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let this = self.project();
        if this.token.is_cancelled() { Poll::Ready(()) } else { this.changed.poll(cx) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    #[tokio::test]
    async fn every_waiter_is_notified_whenever_it_began() {
        let token = CancelToken::new();
        let (mut polled, unpolled) = (Box::pin(token.cancelled()), token.cancelled());
        assert!((&mut polled).now_or_never().is_none() && !token.is_cancelled());
        assert!(token.cancel(CancelCause::Method));
        assert!(!token.clone().cancel(CancelCause::Disconnected), "the first cause stays");
        polled.await;
        unpolled.await;
        token.cancelled().await;
        assert_eq!(token.cause(), Some(CancelCause::Method));
    }
}
