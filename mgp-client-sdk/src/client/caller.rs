//! Sends the client's requests.

use super::{
    Limits, ToolEvent,
    cache::Cache,
    call_end::CallEnd,
    timeouts::{RequestTime, Timeouts},
};
use crate::{
    call_clock::CallClock,
    left_out::LeftOutEntries,
    session::{RunningEvent, ServerSession, read_entries, read_list},
};
use mgp_lifecycle::retry::RetryPolicy;
use mgp_stream::{
    order::{ChunkOrder, ChunkPlace},
    sink::CallStream,
};
use mgp_transport::seam::{BoxPeerService, CallContext, CallError, CancelToken, Incoming, Notification};
use mgp_types::{
    json::{JsonError, RawJson, RawObject},
    mcp::{Cursor, Progress, ProgressParams, ProgressToken, tasks::core::GetTaskPayload},
    mgp_member, request_meta,
    rpc::{Call, Notice, RawParams, RawResult, RequestId},
    stream::{StreamChunk, StreamChunkParams, StreamProgress, StreamProgressParams},
};
use std::{pin::pin, time::Duration};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

/// The time limit for the partial result of a cancelled call. A kernel waits for its own server for two seconds.
pub(super) const PARTIAL_RESULT: Duration = Duration::from_secs(3);

/// The sender of the client's requests. Clones use the same connection.
#[derive(Debug, Clone)]
pub(super) struct Caller {
    pub(super) session: ServerSession,
    /// The service that answers the server's questions and receives its notifications.
    pub(super) service: BoxPeerService,
    pub(super) limits: Limits,
    pub(super) cache: Cache,
    #[cfg(feature = "check-results")]
    pub(super) outputs: super::outputs::OutputSchemas,
    pub(super) timeouts: Timeouts,
    pub(super) retries: RetryPolicy,
    /// Cancelled when the requests have to end before their answers; `None` if that cannot happen.
    pub(super) cancel: Option<CancellationToken>,
    /// The clock of requests, which is paused while questions of the server are answered.
    pub(super) clock: CallClock,
    /// The maximum time for which the handler of a notification may delay the messages after it.
    pub(super) notification_timeout: Duration,
}

/// The callback for the progress of a call, and for the chunks of its result.
pub(super) type OnEvent<'a> = &'a mut (dyn FnMut(ToolEvent) + Send);

impl Caller {
    /// Sends a typed request until the server answers it.
    pub(super) async fn request<C: Call>(&self, params: &C::Params) -> Result<C::Result, CallError> {
        let params = RawJson::from_value(params).and_then(|params| RawObject::from_json(&params));
        let result = self.call(C::METHOD, params.map_err(CallError::Params)?, None).await?;
        decode::<C>(&result)
    }

    /// Reads every page of a list, as text.
    pub(super) async fn list_raw(
        &self,
        method: &'static str,
        member: &'static str,
    ) -> Result<Vec<RawJson>, CallError> {
        let request = |cursor: Option<Cursor>| {
            let cursor = cursor.map(|Cursor(cursor)| ("cursor", RawJson::string(cursor.as_str())));
            self.call(method, cursor.into_iter().collect(), None)
        };
        let list = read_list(method, member, self.limits.list(), request).await?;
        if let Some(fault) = list.fault {
            tracing::warn!(method, fault, "the rest of a list is not read");
        }
        list.excess.map_or(Ok(list.entries), |excess| Err(CallError::Unreadable(excess)))
    }

    /// Reads every page of a list, whose entries are called by `noun` and named by their member `key`. An entry that cannot be read is left
    /// out with a warning.
    pub(super) async fn list<T>(
        &self,
        (method, member): (&'static str, &'static str),
        (noun, key): (&'static str, &'static str),
        read: impl Fn(RawObject) -> Result<T, JsonError>,
    ) -> Result<Vec<T>, CallError> {
        let (entries, left_out) = read_entries(noun, key, self.list_raw(method, member).await?, read);
        warn_of(&left_out);
        Ok(entries.into_iter().map(|(_, entry)| entry).collect())
    }

    /// Sends a request once, and cancels it if it is not answered in time. Notifications before the answer, such as log messages,
    /// go to the client's service.
    pub(super) async fn once(
        &self,
        method: &'static str,
        mut params: RawObject,
        on_event: &mut Option<OnEvent<'_>>,
        chunks: &mut ChunkOrder,
    ) -> Result<RawResult, CallError> {
        let id = self.session.peer.next_id();
        if on_event.is_some() {
            request_meta::set_progress_token(&mut params, &ProgressToken(RequestId::from(id)));
        }
        // A request that waits for a task lasts as long as the task, and has the time limit of the task.
        let timeouts = if method == GetTaskPayload::METHOD { Timeouts::NONE } else { self.timeouts };
        let time = RequestTime::begin(method, timeouts, &self.clock);
        // The futures are pinned here, so the wait does not hold them a second time.
        let (end, _guard) = CallEnd::new();
        let call = time.wait(pin!(self.session.peer.start_as(id, method, params))).await??;
        let mut call = self.session.running(call);
        loop {
            // Dropping the call cancels it.
            let event = tokio::select! {
                biased;
                event = async { time.wait(pin!(call.next())).await } => event?,
                () = self.cancelled(), if !call.is_cancelled() => {
                    call.cancel("the caller cancelled the call", PARTIAL_RESULT);
                    continue;
                }
            };
            match event {
                RunningEvent::Answered(reply) => return reply,
                RunningEvent::Cancelled(partial) => return Ok(partial_result(partial)),
                RunningEvent::Notification(Notification { method, params }) => {
                    let event = match &*method {
                        Progress::METHOD => params.decode().ok().map(ToolEvent::Progress),
                        StreamProgress::METHOD => mgp_progress(id, &params).map(ToolEvent::Progress),
                        StreamChunk::METHOD if on_event.is_some() => {
                            let chunk = params.decode().ok();
                            chunk.and_then(|chunk| in_order(chunk, chunks, on_event))
                        }
                        _ => {
                            self.hear(Notification { method, params }, Some(&end)).await;
                            continue;
                        }
                    };
                    if let (Some(hear), Some(event)) = (on_event.as_mut(), event) {
                        hear(event);
                    }
                }
            }
        }
    }

    /// Passes a notification of a call to the client's service, like the connection does with notifications that belong to no call. `end`
    /// is the end of a call during which questions are answered.
    pub(super) async fn hear(&self, notification: Notification, end: Option<&CallEnd>) {
        let mut heard = Incoming::notification(notification.method, notification.params);
        heard.ext.insert(self.context());
        if let Some(end) = end {
            heard.ext.insert(end.clone());
        }
        let heard = self.service.clone().oneshot(heard);
        match tokio::time::timeout(self.notification_timeout, heard).await {
            Ok(Ok(_)) => {}
            Ok(Err(error)) => tracing::warn!(%error, "a notification's handler failed"),
            Err(_) => tracing::warn!(
                limit = ?self.notification_timeout,
                "a notification's handler met its time limit"
            ),
        }
    }

    /// Waits until the requests have to end; forever if that cannot happen.
    async fn cancelled(&self) {
        match &self.cancel {
            Some(cancel) => cancel.cancelled().await,
            None => std::future::pending().await,
        }
    }

    /// Returns the context of a message that the server sends during a call.
    pub(super) fn context(&self) -> CallContext {
        CallContext { peer: self.session.peer.clone(), cancel: CancelToken::new() }
    }
}

/// Returns the event of a chunk, after that of the missing chunks before it; `None` for a late or repeated chunk.
fn in_order(
    chunk: StreamChunkParams,
    order: &mut ChunkOrder,
    on_event: &mut Option<OnEvent<'_>>,
) -> Option<ToolEvent> {
    match order.see(chunk.index) {
        ChunkPlace::Next => {}
        ChunkPlace::AfterGap { missing } => {
            let hear = on_event.as_mut()?;
            hear(ToolEvent::Gap { first: chunk.index.saturating_sub(missing), missing });
        }
        ChunkPlace::Late => {
            tracing::debug!(index = chunk.index, "a late or repeated chunk: dropped");
            return None;
        }
    }
    Some(ToolEvent::Chunk(chunk))
}

/// Returns the progress in MGP's own notification, in MCP's form. MGP's scale ends at 1.
fn mgp_progress(id: i64, params: &RawParams) -> Option<ProgressParams> {
    let StreamProgressParams { progress, message, estimated_remaining_ms, .. } = params.decode().ok()?;
    let params = ProgressParams {
        progress_token: ProgressToken(RequestId::from(id)),
        progress,
        total: Some(1.into()),
        message,
        meta: None,
        mgp: None,
    };
    Some(params.with_estimated_remaining_ms(estimated_remaining_ms))
}

/// Returns the result of a cancelled call, which is marked as such in `_mgp`.
fn partial_result(partial: Option<RawObject>) -> RawResult {
    let stream = CallStream::new();
    stream.keep_partial(partial.unwrap_or_default());
    stream.edit_partial(|result| mgp_member::set(result, "cancelled", true.into()));
    stream.partial_result()
}

/// Warns of the entries of a listing that are left out, if there are any.
pub(super) fn warn_of(left_out: &LeftOutEntries) {
    if left_out.count() > 0 {
        let noun = left_out.noun();
        tracing::warn!(count = left_out.count(), entries = %left_out, "{noun}s left out of the listing");
    }
}

/// Decodes the result of a method.
pub(super) fn decode<C: Call>(result: &RawResult) -> Result<C::Result, CallError> {
    result.decode().map_err(|error| CallError::Result { method: C::METHOD, error })
}
