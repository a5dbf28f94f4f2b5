//! Futures that a test polls by hand.

use std::{
    fmt,
    pin::Pin,
    task::{Context, Poll, Waker},
};

/// A future that a test polls by hand.
pub struct PolledFuture<F>(Pin<Box<F>>);

impl<F: Future> PolledFuture<F> {
    /// Takes a future, without polling it.
    pub fn new(future: F) -> Self {
        Self(Box::pin(future))
    }

    /// Polls the future once.
    pub fn poll(&mut self) -> Poll<F::Output> {
        self.0.as_mut().poll(&mut Context::from_waker(Waker::noop()))
    }
}

impl<F> fmt::Debug for PolledFuture<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PolledFuture").finish_non_exhaustive()
    }
}
