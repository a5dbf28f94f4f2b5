//! Limits the concurrent calls to a server, and bounds the wait for a turn.

use super::limit_keys::LimitKey;
use futures_core::future::BoxFuture;
use mgp_lifecycle::retry::CallDeadline;
use mgp_transport::seam::{BoxError, CallRecord, Incoming, PeerService, RefusalKind, Reply};
use mgp_types::error::ErrorCode;
use pin_project_lite::pin_project;
use std::{
    future::{Future, poll_fn},
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};
use tokio::{
    sync::{AcquireError, OwnedSemaphorePermit, Semaphore, TryAcquireError},
    time::timeout,
};
use tower_service::Service;

/// A service that limits the concurrent calls of the inner service, and is always ready: each call waits for its turn itself.
///
/// A wait for readiness would delay every other server's calls, and could not be cancelled. A call that gets no turn in time is refused with
/// 3001, and was not sent. A call that waited for its turn is judged again before it is sent.
#[derive(Debug, Clone)]
pub(crate) struct WaitInside<S> {
    inner: S,
    turn: Arc<Turn>,
}

/// The limit of a wait for a turn.
#[derive(Debug)]
pub(crate) struct Turn {
    pub(crate) server_id: String,
    /// The number of concurrent calls to the server.
    pub(crate) at_once: usize,
    /// The free places of these calls.
    pub(crate) own: Arc<Semaphore>,
    /// The free places of the calls to all servers; `None` if the calls do not count there.
    pub(crate) all: Option<Arc<Semaphore>>,
    pub(crate) timeout: Duration,
    /// The configuration key of the time limit.
    pub(crate) key: LimitKey,
    pub(crate) queue: CallQueue,
}

/// The number of calls that wait for a turn. Clones share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct CallQueue(Arc<AtomicUsize>);

impl CallQueue {
    /// Returns the number of calls that wait.
    pub(crate) fn len(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    /// Counts a call until the returned value is dropped.
    fn enter(&self) -> QueuePlace {
        self.0.fetch_add(1, Ordering::Relaxed);
        QueuePlace(self.clone())
    }
}

/// The place of a call that waits for its turn.
#[derive(Debug)]
pub(crate) struct QueuePlace(CallQueue);

impl Drop for QueuePlace {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The places of a call within the limits, until the value is dropped.
#[derive(Debug)]
pub(crate) struct Permits {
    _own: OwnedSemaphorePermit,
    _all: Option<OwnedSemaphorePermit>,
}

impl<S> WaitInside<S> {
    pub(crate) fn new(inner: S, turn: Turn) -> Self {
        Self { inner, turn: Arc::new(turn) }
    }
}

impl<S: PeerService<Error = BoxError>> Service<Incoming> for WaitInside<S> {
    type Response = Reply;
    type Error = BoxError;
    type Future = ResponseFuture<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut message: Incoming) -> Self::Future {
        // Most calls need not wait.
        if let Ok(permits) = self.turn.try_take() {
            return ResponseFuture::Running { future: self.inner.call(message), permits };
        }
        let (mut inner, turn) = (self.inner.clone(), self.turn.clone());
        let future = Box::pin(async move {
            let place = turn.queue.enter();
            let Ok(permits) = timeout(turn.timeout(&message), turn.take()).await else {
                return Ok(turn.refuse(&message));
            };
            let _permits = permits?;
            drop(place);
            message.set_waited();
            poll_fn(|cx| inner.poll_ready(cx)).await?;
            inner.call(message).await
        });
        ResponseFuture::Waiting { future }
    }
}

pin_project! {
    /// The future of [`WaitInside`].
    #[project = ResponseProj]
    pub(crate) enum ResponseFuture<F> {
        Running { #[pin] future: F, permits: Permits },
        // Only calls that wait for a turn are boxed.
        Waiting { future: BoxFuture<'static, Result<Reply, BoxError>> },
    }
}

impl<F: Future<Output = Result<Reply, BoxError>>> Future for ResponseFuture<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match self.project() {
            ResponseProj::Running { future, .. } => future.poll(cx),
            ResponseProj::Waiting { future } => future.as_mut().poll(cx),
        }
    }
}

impl Turn {
    /// Takes a turn, if nobody has to wait for one.
    fn try_take(&self) -> Result<Permits, TryAcquireError> {
        let own = self.own.clone().try_acquire_owned()?;
        let all = self.all.as_ref().map(|all| all.clone().try_acquire_owned()).transpose()?;
        Ok(Permits { _own: own, _all: all })
    }

    /// Waits for a turn. A call that waits for the limit over all servers occupies its place at its own server.
    async fn take(&self) -> Result<Permits, AcquireError> {
        let own = self.own.clone().acquire_owned().await?;
        let all = match &self.all {
            Some(all) => Some(all.clone().acquire_owned().await?),
            None => None,
        };
        Ok(Permits { _own: own, _all: all })
    }

    /// Returns the time limit of a call's wait.
    fn timeout(&self, message: &Incoming) -> Duration {
        let deadline = CallDeadline::of(message);
        deadline.map_or(self.timeout, |deadline| deadline.left().min(self.timeout))
    }

    fn refuse(&self, message: &Incoming) -> Reply {
        let Self { server_id, at_once, timeout, key, .. } = self;
        let reason = format!(
            "the call was not sent: it got no turn at server {server_id:?} within {timeout:?} ({key}); the \
             server gets {at_once} calls at once (servers[].mgp.max_concurrent), and all servers together as many as \
             kernel.limits.max_concurrent_calls allows"
        );
        if let Some(record) = CallRecord::of(message) {
            record.refuse(RefusalKind::RateLimit, reason.clone());
        }
        Reply::error(ErrorCode::ResourceExhausted.error_unsent(reason))
    }
}
