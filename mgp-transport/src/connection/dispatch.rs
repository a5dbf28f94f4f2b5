//! Calls the service in wire order.

use super::{ConnectionState, Route, edge};
use crate::{
    era::{self, INITIALIZE},
    seam::{BoxError, CancelToken, Incoming, PeerConnection, PeerService, Reply, Session, warn_limited},
};
use futures_core::future::BoxFuture;
use futures_util::FutureExt;
use mgp_types::rpc::{Method, RequestId};
use std::{
    future::{Future, poll_fn},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Waker},
};
use tokio::sync::mpsc;

/// A prediction of whether the next request of a service has to wait, from the last one. Connections that each answer one request
/// [share](super::Builder::wait_prediction) it.
#[derive(Debug, Clone, Default)]
pub struct WaitPrediction(Arc<AtomicBool>);

/// A message that waits to be dispatched.
#[derive(Debug)]
pub(super) struct AdmittedMessage {
    pub(super) incoming: Incoming,
    pub(super) route: Route,
}

/// Calls the service for each message, in order. Returns when there are no more messages, or the connection is gone.
///
/// A request then runs concurrently with others. The next message is dispatched only once a notification's handler has ended, or
/// has reached its time limit.
pub(super) async fn dispatch<S: PeerService>(
    mut service: S,
    mut admitted: mpsc::Receiver<AdmittedMessage>,
    shared: Arc<ConnectionState>,
    prediction: WaitPrediction,
) {
    let closed = shared.closed();
    tokio::pin!(closed);
    loop {
        let message = tokio::select! {
            biased;
            // Polled first, because waiting for the end costs more than receiving a message.
            message = admitted.recv(), if !shared.is_closed() => message,
            () = &mut closed => break,
        };
        let Some(AdmittedMessage { incoming, route }) = message else { return };
        if incoming.is_notification() {
            shared.running.release(incoming.params.len());
        }
        let ready = tokio::select! {
            biased;
            ready = AssertUnwindSafe(poll_fn(|cx| service.poll_ready(cx))).catch_unwind() => ready,
            () = &mut closed => break,
        };
        let refused = match ready {
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(Err(error.into())),
            Err(panic) => Some(Ok(edge::panicked(&*panic, &incoming.method))),
        };
        match (incoming.id.clone(), refused) {
            (None, None) => notify(&mut service, incoming, &shared).await,
            (None, Some(_)) => {
                let (session, method) = (shared.session.id(), &incoming.method);
                warn_limited!(shared.failed, session, %method, "the service is not ready: notification dropped");
            }
            (Some(id), None) => {
                run(Box::pin(request(&mut service, incoming, id, route, &shared)), &prediction);
            }
            (Some(id), Some(result)) => {
                edge::answer(&shared, &id, &route, &cancel_token(&incoming), result).await;
            }
        }
    }
    // Requests that never reached the service end with their connection.
    admitted.close();
    while let Ok(AdmittedMessage { incoming, .. }) = admitted.try_recv() {
        if let Some(id) = &incoming.id {
            shared.running.remove(id);
        }
    }
}

/// Calls the service for the one request of a connection, and answers it.
pub(super) async fn dispatch_one<S: PeerService>(
    mut service: S,
    incoming: Incoming,
    id: RequestId,
    route: Route,
    shared: Arc<ConnectionState>,
) {
    let ready = AssertUnwindSafe(poll_fn(|cx| service.poll_ready(cx))).catch_unwind();
    let result = tokio::select! {
        biased;
        ready = ready => match ready {
            Ok(Ok(())) => return request(&mut service, incoming, id, route, &shared).await,
            Ok(Err(error)) => Err(error.into()),
            Err(panic) => Ok(edge::panicked(&*panic, &incoming.method)),
        },
        () = shared.closed() => return,
    };
    edge::answer(&shared, &id, &route, &cancel_token(&incoming), result).await;
}

/// Runs a future to its end: on this task if it does not wait, otherwise on a separate task. The prediction says which of the two
/// applies, and is updated by each future.
///
/// A future that waits is better off without a poll here. That poll sends messages and wakes their readers; the task that it then needs is
/// scheduled before those readers, and an idle thread takes them over, which costs more than a small call.
pub(super) fn run(mut future: BoxFuture<'static, ()>, WaitPrediction(waits): &WaitPrediction) {
    if waits.load(Ordering::Relaxed) {
        let waits = waits.clone();
        let mut is_first = true;
        tokio::spawn(poll_fn(move |cx| {
            let polled = future.as_mut().poll(cx);
            if std::mem::take(&mut is_first) && polled.is_ready() {
                waits.store(false, Ordering::Relaxed);
            }
            polled
        }));
    } else if future.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending() {
        waits.store(true, Ordering::Relaxed);
        // The task polls again before it waits, so a wake-up sent to this task in between is not lost.
        tokio::spawn(future);
    }
}

fn cancel_token(incoming: &Incoming) -> CancelToken {
    incoming.cancel_token().cloned().unwrap_or_default()
}

async fn notify<S: PeerService>(service: &mut S, incoming: Incoming, shared: &ConnectionState) {
    let (session, method) = (shared.session.id(), incoming.method.clone());
    let Ok(handling) = catch_unwind(AssertUnwindSafe(|| service.call(incoming))) else {
        return tracing::error!(%method, "a notification's handler panicked");
    };
    let limit = shared.config.notification_timeout;
    match tokio::time::timeout(limit, AssertUnwindSafe(owned(handling)).catch_unwind()).await {
        Ok(Ok(Ok(_))) => {}
        Ok(Ok(Err(error))) => {
            let error: BoxError = error.into();
            warn_limited!(shared.failed, session, %method, %error, "a notification's handler failed");
        }
        Ok(Err(panic)) => drop(edge::panicked(&*panic, &method)),
        Err(_) => {
            warn_limited!(shared.failed, session, %method, ?limit, "a notification's handler met its time limit");
        }
    }
}

/// Calls the service for a request. The returned future handles and answers it.
fn request<S: PeerService>(
    service: &mut S,
    incoming: Incoming,
    id: RequestId,
    route: Route,
    shared: &Arc<ConnectionState>,
) -> impl Future<Output = ()> + Send + use<S> {
    let (cancel, method) = (cancel_token(&incoming), incoming.method.clone());
    let call = catch_unwind(AssertUnwindSafe(|| service.call(incoming)));
    let session = (*method == *INITIALIZE).then(|| shared.session.clone());
    let shared = shared.clone();
    async move {
        let result = match call {
            Ok(handling) => handle(handling, method, session).await,
            Err(panic) => Ok(edge::panicked(&*panic, &method)),
        };
        edge::answer(&shared, &id, &route, &cancel, result).await;
    }
}

/// Runs a handler. `opens` is the session that the request opens, if any; the session keeps the revision that the answer agrees
/// on.
async fn handle<F, E>(handling: F, method: Method, opens: Option<Session>) -> Result<Reply, BoxError>
where
    F: Future<Output = Result<Reply, E>>,
    E: Into<BoxError>,
{
    let result = match AssertUnwindSafe(owned(handling)).catch_unwind().await {
        Ok(result) => result.map_err(Into::into),
        Err(panic) => Ok(edge::panicked(&*panic, &method)),
    };
    if let (Some(session), Ok(reply)) = (&opens, &result)
        && let Some(agreed) = reply.result().and_then(era::agreed_revision)
    {
        session.set(agreed);
    }
    result
}

/// Awaits a future by value, so that a guard against panics covers the future's drop, too.
async fn owned<F: Future>(future: F) -> F::Output {
    future.await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connection::{Connection, stream::ByteSink};
    use mgp_types::{json::RawJson, rpc::RawParams};
    use tokio::{sync::oneshot, task};

    #[tokio::test]
    async fn a_future_gets_a_task_at_once_only_after_one_that_waited() {
        let prediction = WaitPrediction::default();
        for (waiting, on_a_task) in
            [(false, false), (true, false), (true, true), (false, true), (false, false)]
        {
            let (began, start) = oneshot::channel();
            let (ended, end) = oneshot::channel();
            let future = async move {
                // The body of the test is no task.
                began.send(task::try_id().is_some()).unwrap();
                if waiting {
                    task::yield_now().await;
                }
                ended.send(()).unwrap();
            };
            run(Box::pin(future), &prediction);
            assert_eq!(start.await, Ok(on_a_task), "{waiting}");
            end.await.unwrap();
        }
    }

    #[tokio::test]
    async fn connections_of_one_request_share_their_prediction() {
        let prediction = WaitPrediction::default();
        for is_first in [true, false] {
            let (polled, mut first) = mpsc::unbounded_channel();
            let service = tower::service_fn(move |_| {
                let polled = polled.clone();
                async move {
                    polled.send(task::try_id()).unwrap();
                    task::yield_now().await;
                    Ok::<_, BoxError>(Reply::ok(RawJson::null()))
                }
            });
            let incoming = Incoming::request(1, "any", RawParams::none());
            let connection = Connection::builder(service).wait_prediction(prediction.clone());
            let _peer = connection.answer_one(incoming, ByteSink::new(tokio::io::sink(), 1024));
            assert_eq!(first.recv().await.unwrap() == task::try_id(), is_first);
        }
    }
}
