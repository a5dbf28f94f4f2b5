//! The future that a sink returns.

use super::AuditError;
use std::{
    fmt,
    pin::Pin,
    task::{Context, Poll},
};
use tokio::sync::oneshot;

/// A future that completes when an event is stored, or cannot be stored.
///
/// The type is named, so that a sink without anything to wait for needs no allocation. Dropping the future does not withdraw the event.
#[must_use = "an event counts as stored when this future has ended"]
pub struct StoreFuture(State);

type BoxedStore = Pin<Box<dyn Future<Output = Result<(), AuditError>> + Send>>;

enum State {
    Ready(Result<(), AuditError>),
    Waiting(oneshot::Receiver<Result<(), AuditError>>),
    Sending(Option<BoxedStore>),
}

impl StoreFuture {
    /// Creates a completed future: the event is already stored, or never will be.
    pub const fn ready(outcome: Result<(), AuditError>) -> Self {
        Self(State::Ready(outcome))
    }

    /// Creates a future that completes with the outcome that is sent through a channel.
    pub const fn waiting(outcome: oneshot::Receiver<Result<(), AuditError>>) -> Self {
        Self(State::Waiting(outcome))
    }

    /// Creates a future that completes with another future, which runs to its end even if this one is dropped.
    pub fn after(storing: impl Future<Output = Result<(), AuditError>> + Send + 'static) -> Self {
        Self(State::Sending(Some(Box::pin(storing))))
    }
}

impl Future for StoreFuture {
    type Output = Result<(), AuditError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut self.0 {
            State::Ready(outcome) => Poll::Ready(outcome.clone()),
            State::Waiting(outcome) => Pin::new(outcome)
                .poll(cx)
                .map(|outcome| outcome.unwrap_or_else(|_| Err(AuditError::new("the writer is gone")))),
            State::Sending(Some(storing)) => {
                let outcome = storing.as_mut().poll(cx);
                if outcome.is_ready() {
                    self.0 = State::Sending(None);
                }
                outcome
            }
            State::Sending(None) => Poll::Ready(Ok(())),
        }
    }
}

impl Drop for StoreFuture {
    fn drop(&mut self) {
        let State::Sending(storing) = &mut self.0 else { return };
        let Some(storing) = storing.take() else { return };
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn(async move {
                if let Err(error) = storing.await {
                    tracing::error!(%error, "an audit event is lost");
                }
            })),
            Err(_) => tracing::error!("an audit event is lost: the queue is full and the runtime is gone"),
        }
    }
}

impl fmt::Debug for StoreFuture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stored").finish_non_exhaustive()
    }
}
