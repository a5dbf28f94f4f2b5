//! Cancelling is a token, both ways.

use pin_project_lite::pin_project;
use std::{
    future::Future,
    pin::Pin,
    sync::{Arc, LazyLock, OnceLock},
    task::{Context, Poll},
};
use tokio::sync::{Notify, futures::OwnedNotified};

/// Says that the caller of a request no longer wants its result. A clone is the same token.
///
/// The innermost service obeys it and answers [`Reply::cancelled`](super::Reply::cancelled); the layers around it run
/// to their end, so that what reached a server is recorded.
#[derive(Debug, Clone, Default)]
pub struct CancelToken(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    cause: OnceLock<CancelCause>,
    /// Rings when the cause is set. Made when somebody waits: every request has a token, few are waited for.
    changed: LazyLock<Arc<Notify>>,
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
        let first = self.0.cause.set(cause).is_ok();
        if first {
            self.0.changed.notify_waiters();
        }
        first
    }

    /// Why it was cancelled, where it was.
    #[must_use]
    pub fn cause(&self) -> Option<CancelCause> {
        self.0.cause.get().copied()
    }

    /// Whether it was cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cause().is_some()
    }

    /// Ends when it is cancelled.
    pub fn cancelled(&self) -> Cancelled {
        Cancelled { changed: Arc::clone(&self.0.changed).notified_owned(), token: self.clone() }
    }
}

pin_project! {
    /// Ends when a [`CancelToken`] is cancelled.
    #[must_use = "futures do nothing unless polled"]
    #[derive(Debug)]
    pub struct Cancelled {
        // Hears every ring since it was made, so a cancellation between two looks at the cause is not missed.
        #[pin]
        changed: OwnedNotified,
        token: CancelToken,
    }
}

impl Future for Cancelled {
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
    async fn whoever_waits_hears_of_it_whenever_they_began() {
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
