//! Moves the wait for a limit from readiness into the call, and bounds it.

use super::limit_keys::LimitKey;
use mgp_lifecycle::retry::CallDeadline;
use mgp_transport::seam::{BoxError, CallRecord, Incoming, PeerService, RefusalKind, Reply};
use mgp_types::error::ErrorCode;
use pin_project_lite::pin_project;
use std::{
    future::Future,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll, ready},
    time::Duration,
};
use tokio::time::{Sleep, sleep};
use tower_service::Service;

/// A service that is always ready; each call waits for the inner service itself.
///
/// A limit makes its service wait before it is ready. Waiting there would delay every other server's calls, and could not be
/// cancelled. A call that gets no turn in time is refused with 3001, and was not sent. A call that waited for its turn is judged
/// again before it is sent.
///
/// Clones share the inner service; each call gets a clone of it.
#[derive(Debug)]
pub(crate) struct WaitInside<S> {
    inner: Arc<S>,
    turn: Arc<Turn>,
}

/// The limit of a wait for a turn.
#[derive(Debug)]
pub(crate) struct Turn {
    pub(crate) server_id: String,
    /// The number of concurrent calls to the server.
    pub(crate) at_once: usize,
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

impl<S> Clone for WaitInside<S> {
    fn clone(&self) -> Self {
        Self { inner: self.inner.clone(), turn: self.turn.clone() }
    }
}

impl<S> WaitInside<S> {
    pub(crate) fn new(inner: S, turn: Turn) -> Self {
        Self { inner: Arc::new(inner), turn: Arc::new(turn) }
    }
}

impl<S: PeerService<Error = BoxError>> Service<Incoming> for WaitInside<S> {
    type Response = Reply;
    type Error = BoxError;
    type Future = ResponseFuture<S>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, message: Incoming) -> Self::Future {
        let inner = S::clone(&self.inner);
        let state = State::Waiting { inner, message: Some(message), limit: None };
        ResponseFuture { state, turn: self.turn.clone() }
    }
}

pin_project! {
    /// The future of [`WaitInside`].
    pub(crate) struct ResponseFuture<S: Service<Incoming>> {
        #[pin]
        state: State<S>,
        turn: Arc<Turn>,
    }
}

pin_project! {
    #[project = StateProj]
    enum State<S: Service<Incoming>> {
        Waiting { inner: S, message: Option<Incoming>, limit: Option<(Pin<Box<Sleep>>, QueuePlace)> },
        Running { #[pin] future: S::Future },
    }
}

impl<S: PeerService<Error = BoxError>> Future for ResponseFuture<S> {
    type Output = Result<Reply, BoxError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        loop {
            let future = match this.state.as_mut().project() {
                StateProj::Running { future } => return future.poll(cx),
                StateProj::Waiting { inner, message, limit } => {
                    if let Poll::Ready(ready) = inner.poll_ready(cx) {
                        ready?;
                        let Some(mut message) = message.take() else { return Poll::Pending };
                        if limit.is_some() {
                            message.set_waited();
                        }
                        inner.call(message)
                    } else {
                        // Most calls need no timer.
                        let (limit, _) = limit.get_or_insert_with(|| {
                            (Box::pin(sleep(this.turn.timeout(message))), this.turn.queue.enter())
                        });
                        ready!(limit.as_mut().poll(cx));
                        return Poll::Ready(Ok(this.turn.refuse(message.as_ref())));
                    }
                }
            };
            this.state.set(State::Running { future });
        }
    }
}

impl Turn {
    /// Returns the time limit of a call's wait.
    fn timeout(&self, message: &Option<Incoming>) -> Duration {
        let deadline = message.as_ref().and_then(CallDeadline::of);
        deadline.map_or(self.timeout, |deadline| deadline.left().min(self.timeout))
    }

    fn refuse(&self, message: Option<&Incoming>) -> Reply {
        let Self { server_id, at_once, timeout, key, .. } = self;
        let reason = format!(
            "the call was not sent: it got no turn at server {server_id:?} within {timeout:?} ({key}); the \
             server gets {at_once} calls at once (servers[].mgp.max_concurrent), and all servers together as many as \
             kernel.limits.max_concurrent_calls allows"
        );
        if let Some(record) = message.and_then(|message| CallRecord::of(message)) {
            record.refuse(RefusalKind::RateLimit, reason.clone());
        }
        Reply::error(ErrorCode::ResourceExhausted.error_unsent(reason))
    }
}
