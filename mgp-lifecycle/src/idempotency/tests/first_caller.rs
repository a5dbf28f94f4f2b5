//! Tests of the call that is made, and of the calls that wait for it.

use super::support::*;
use jiff::{SignedDuration, Timestamp};
use mgp_transport::seam::{BoxError, CancelCause, CancelToken, Reply, ToolCall};
use mgp_types::{error::ErrorCode, json::RawJson};
use std::{
    sync::Arc,
    task::{Context, Poll},
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tower::{Layer, Service, ServiceExt, service_fn};
use xtask_testing::{until_some, within};

#[tokio::test]
async fn a_call_whose_caller_left_early_arrives_cancelled() {
    for (store, _folder) in stores().await {
        for cause in [CancelCause::Disconnected, CancelCause::Notification, CancelCause::Method] {
            let server = service_fn(move |call: ToolCall| async move {
                assert_eq!(call.cancel_token().unwrap().cause(), Some(cause));
                Ok::<_, BoxError>(Reply::cancelled(RawJson::empty_object()))
            });
            let cancel = CancelToken::new();
            let call = keyed("k", "{}").on_session(None, &cancel).identified();
            cancel.cancel(cause);
            let reply = within(layer(&store).layer(server).oneshot(call)).await.unwrap();
            assert!(reply.is_cancelled(), "{cause:?} {}", problem(&reply));
        }
    }
}

#[tokio::test]
async fn a_panicked_call_is_stored_as_ended() {
    for (store, _folder) in stores().await {
        let server = service_fn(|call: ToolCall| async move {
            call.record.update(|record| record.attempts = 1);
            match call.dry_run {
                true => Ok::<_, BoxError>(Reply::ok(RawJson::empty_object())),
                false => panic!("on purpose"),
            }
        });
        let service = layer(&store).layer(server);
        let panicked = tokio::spawn(service.oneshot(keyed("k", "{}").identified()));
        assert!(within(panicked).await.unwrap_err().is_panic());
        let over = Timestamp::now() + SignedDuration::from_hours(25);
        until_some(async || Some(store.sweep(over).await.unwrap()).filter(|removed| *removed > 0)).await;
    }
}

#[tokio::test]
async fn a_call_sent_after_waiting_in_vain_is_judged_again() {
    for (store, _folder) in stores().await {
        let mut server = CountingServer::unsent(Reply::error(ErrorCode::ServerNotReady.error("it is down")));
        server.gate = Arc::new(Semaphore::new(0));
        let (inner, waited) = (server.clone(), Arc::new(parking_lot::Mutex::new(Vec::new())));
        let seen = waited.clone();
        let service = layer(&store).layer(service_fn(move |call: ToolCall| {
            seen.lock().push(call.waited);
            inner.clone().call(call)
        }));
        let first = tokio::spawn(service.clone().oneshot(keyed("k", "{}").identified()));
        server.until_reached(1).await;
        let second = tokio::spawn(service.clone().oneshot(keyed("k", "{}").identified()));
        tokio::task::yield_now().await;
        server.gate.add_permits(2);
        within(first).await.unwrap().unwrap();
        within(second).await.unwrap().unwrap();
        assert_eq!(*waited.lock(), [false, true], "its rights are judged once more before it is sent");
    }
}

/// A server that is ready for two calls at a time.
#[derive(Debug)]
struct TwoAtATime {
    inner: CountingServer,
    permits: Arc<Semaphore>,
    permit: Option<OwnedSemaphorePermit>,
}

impl Clone for TwoAtATime {
    fn clone(&self) -> Self {
        Self { inner: self.inner.clone(), permits: self.permits.clone(), permit: None }
    }
}

impl Service<ToolCall> for TwoAtATime {
    type Response = Reply;
    type Error = BoxError;
    type Future = futures_util::future::BoxFuture<'static, Result<Reply, BoxError>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        if self.permit.is_none() {
            self.permit = self.permits.clone().try_acquire_owned().ok();
        }
        if self.permit.is_none() {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, call: ToolCall) -> Self::Future {
        let (permit, answer) = (self.permit.take(), self.inner.call(call));
        Box::pin(async move {
            let _permit = permit.expect("it is ready");
            answer.await
        })
    }
}

#[tokio::test]
async fn waiting_calls_with_the_same_key_take_no_other_call_s_slot() {
    for (store, _folder) in stores().await {
        let server = CountingServer::held();
        let limited =
            TwoAtATime { inner: server.clone(), permits: Arc::new(Semaphore::new(2)), permit: None };
        let service = layer(&store).layer(limited);
        let first = tokio::spawn(service.clone().oneshot(keyed("k", "{}").identified()));
        server.until_reached(1).await;
        let waiting = tokio::spawn(service.clone().oneshot(keyed("k", "{}").identified()));
        tokio::task::yield_now().await;
        let other = tokio::spawn(service.clone().oneshot(keyed("other", "{}").identified()));
        server.until_reached(2).await;
        server.gate.add_permits(2);
        for made in [first, waiting, other] {
            within(made).await.unwrap().unwrap();
        }
    }
}
