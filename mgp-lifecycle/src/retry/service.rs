//! The service that makes failed calls again.

use super::{RetryLayer, again::Again};
use futures_util::future::BoxFuture;
use mgp_transport::seam::{BoxError, CallRecord, Incoming, Reply};
use pin_project_lite::pin_project;
use std::{
    fmt,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};
use tokio::time::Instant;
use tower::retry::budget::{Budget, TpsBudget};
use tower_service::Service;

/// The share of the calls that may be retries, beyond [`LEAST_A_SECOND`].
const SHARE: f32 = 0.2;

/// The retries a second that are always allowed.
const LEAST_A_SECOND: u32 = 10;

/// The time over which calls and retries are counted.
const COUNTED: Duration = Duration::from_secs(10);

/// The service that makes failed calls again. See [`RetryLayer`].
#[derive(Debug, Clone)]
pub struct Retry<S> {
    inner: S,
    retries: Arc<Retries<S>>,
}

/// The rules of retries, and their count. Clones of a service share it.
#[derive(Debug)]
pub(super) struct Retries<S> {
    pub(super) rules: RetryLayer,
    pub(super) budget: TpsBudget,
    /// The inner service, which only failed calls clone.
    pub(super) inner: S,
}

impl<S: Clone> Retry<S> {
    pub(super) fn new(inner: S, rules: RetryLayer) -> Self {
        let budget = TpsBudget::new(COUNTED, LEAST_A_SECOND, SHARE);
        Self { retries: Arc::new(Retries { rules, budget, inner: inner.clone() }), inner }
    }
}

impl<S> Service<Incoming> for Retry<S>
where
    S: Service<Incoming, Response = Reply, Error = BoxError, Future: Send> + Clone + Send + Sync + 'static,
{
    type Response = Reply;
    type Error = BoxError;
    type Future = ResponseFuture<S>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut message: Incoming) -> Self::Future {
        if message.is_notification() || self.retries.rules.policy.max_retries == 0 {
            return ResponseFuture {
                attempt: Attempt::First { future: self.inner.call(message) },
                again: None,
            };
        }
        self.retries.budget.deposit();
        // The attempts have one record, in which inner services note what the caller has seen.
        if CallRecord::of(&message).is_none() {
            message.ext.insert(CallRecord::new());
        }
        let (since, retries) = (Instant::now(), self.retries.clone());
        let again = Some(Box::new(Again { message: message.clone(), retries, since }));
        ResponseFuture { attempt: Attempt::First { future: self.inner.call(message) }, again }
    }
}

pin_project! {
    /// The future of [`Retry`].
    pub struct ResponseFuture<S: Service<Incoming>> {
        #[pin]
        attempt: Attempt<S::Future>,
        // Boxed, because every layer outside moves this future.
        again: Option<Box<Again<S>>>,
    }
}

pin_project! {
    #[project = AttemptProj]
    enum Attempt<F> {
        First { #[pin] future: F },
        // Only calls that failed are boxed.
        Later { future: BoxFuture<'static, Result<Reply, BoxError>> },
    }
}

impl<S> Future for ResponseFuture<S>
where
    S: Service<Incoming, Response = Reply, Error = BoxError, Future: Send> + Clone + Send + Sync + 'static,
{
    type Output = Result<Reply, BoxError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        loop {
            let reply = match this.attempt.as_mut().project() {
                AttemptProj::Later { future } => return future.as_mut().poll(cx),
                AttemptProj::First { future } => ready!(future.poll(cx)),
            };
            let Some(again) = this.again.take().filter(|_| Again::<S>::failed(&reply)) else {
                return Poll::Ready(reply);
            };
            this.attempt.set(Attempt::Later { future: Box::pin(again.retry(reply)) });
        }
    }
}

impl<S: Service<Incoming>> fmt::Debug for ResponseFuture<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResponseFuture").finish_non_exhaustive()
    }
}
