//! §12.7 The end of a host's request before the server has answered. The server is asked for its partial result.

use crate::{
    host::{HostDialect, whole},
    upstream::Link,
};
use mgp_security::results::CallSearch;
use mgp_stream::sink::{CallStream, StreamHold};
use mgp_transport::seam::{BoxError, CancelToken, Incoming, Reply};
use mgp_types::{
    json::RawObject,
    rpc::{ErrorObject, Method, RawResult},
};
use std::{
    future::pending,
    pin::Pin,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};
use tokio::{sync::Notify, time::timeout};

/// The time limit for the partial result of a server.
pub(super) const PARTIAL_RESULT: Duration = Duration::from_secs(2);

/// The time limit for ending a request whose own time limit has passed. It leaves room for [`PARTIAL_RESULT`].
const END: Duration = Duration::from_millis(2_200);

/// The early end of a host's request: by `mgp/stream/cancel`, or by its time limit.
#[derive(Debug)]
pub(super) struct EarlyEnd {
    cancel: CancelToken,
    stream: CallStream,
    method: Method,
    /// Notified when the time limit of the request has passed.
    is_late: Notify,
    /// True once the result of the request is partial.
    is_cancelled: AtomicBool,
}

impl EarlyEnd {
    /// Returns the early end of a request, if its host accepts partial results and the server supports them.
    pub(super) fn of(link: &Link, message: &Incoming) -> Option<Self> {
        let stream = CallStream::of(message).filter(|_| link.session.cancels_by_method())?;
        Some(Self {
            cancel: message.cancel_token()?.clone(),
            stream: stream.clone(),
            method: message.method.clone(),
            is_late: Notify::new(),
            is_cancelled: AtomicBool::new(false),
        })
    }

    /// Waits until the request ends early. Returns the reason, and a hold on the stream until the request has ended.
    pub(super) async fn reached(end: Option<&Self>) -> (&'static str, StreamHold) {
        let Some(end) = end else { return pending().await };
        let hold = end.stream.hold();
        tokio::select! {
            () = end.cancel.cancelled() => ("the host cancelled the call", hold),
            () = end.is_late.notified() => ("the time limit of the call passed", hold),
        }
    }

    /// Ends a request whose time limit has passed. Returns its reply, or `None` if there is none in time.
    pub(super) async fn late(
        &self,
        run: Pin<&mut impl Future<Output = Result<Reply, BoxError>>>,
    ) -> Option<Result<Reply, BoxError>> {
        self.is_late.notify_one();
        timeout(END, run).await.ok()
    }

    /// Returns whether the result of the request is a partial one.
    pub(super) fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed)
    }

    /// Returns the result of a cancelled request: the server's partial result, or else the forwarded chunks.
    pub(super) async fn result(
        end: Option<&Self>,
        partial: Option<RawObject>,
        dialect: HostDialect,
        search: Option<&CallSearch>,
    ) -> RawResult {
        let Some(end) = end else { return CallStream::new().cancelled_result() };
        if let Some(partial) = partial {
            match end.for_host(partial, dialect, search).await {
                Ok(partial) => end.stream.keep_partial(partial),
                Err(error) => tracing::warn!(%error, "a partial result was withheld"),
            }
        }
        end.is_cancelled.store(true, Ordering::Relaxed);
        end.stream.cancelled_result()
    }

    /// Adapts a partial result to the host.
    async fn for_host(
        &self,
        partial: RawObject,
        dialect: HostDialect,
        search: Option<&CallSearch>,
    ) -> Result<RawObject, ErrorObject> {
        let partial = whole(dialect.result(&self.method, partial.to_json(), false)?);
        // The answer to the cancellation has the partial result, too, and is not searched for secrets later.
        let partial = match search {
            None => partial.into(),
            Some(search) => search
                .params(partial.into())
                .await
                .ok_or_else(|| ErrorObject::internal("it could not be searched for secrets"))?,
        };
        partial.into_object()
    }
}
