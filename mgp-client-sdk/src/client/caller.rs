//! Sends the client's requests.

use super::{
    Limits,
    cache::Cache,
    timeouts::{RequestTime, Timeouts},
};
use crate::{call_clock::CallClock, left_out::LeftOutEntries};
use mgp_transport::seam::{
    BoxPeerService, CallContext, CallError, CallEvent, CancelToken, Incoming, Notification, Peer,
};
use mgp_types::{
    json::{JsonError, RawJson, RawObject},
    mcp::{Cursor, Progress, ProgressParams, ProgressToken, tasks::core::GetTaskPayload},
    request_meta,
    rpc::{Call, Notice, RawResult, RequestId},
};
use std::{pin::pin, time::Duration};
use tower::ServiceExt;

/// Sends the client's requests. A clone sends them over the same connection.
#[derive(Debug, Clone)]
pub(super) struct Caller {
    pub(super) peer: Peer,
    /// The service that answers the server's questions and receives its notifications.
    pub(super) service: BoxPeerService,
    pub(super) limits: Limits,
    pub(super) cache: Cache,
    #[cfg(feature = "check-results")]
    pub(super) outputs: super::outputs::OutputSchemas,
    pub(super) timeouts: Timeouts,
    /// The clock of requests, which stands still while questions of the server are answered.
    pub(super) clock: CallClock,
    /// The longest time for which the handler of a notification may delay the messages after it.
    pub(super) notification_timeout: Duration,
}

/// The callback for the progress of a call.
pub(super) type OnProgress<'a> = &'a mut (dyn FnMut(ProgressParams) + Send);

/// One page of a list.
pub(super) type Page<T> = (Vec<T>, Option<Cursor>);

impl Caller {
    /// Sends a typed request until the server answers it.
    pub(super) async fn request<C: Call>(&self, params: &C::Params) -> Result<C::Result, CallError> {
        let params = RawJson::from_value(params).and_then(|params| RawObject::from_json(&params));
        let result = self.call(C::METHOD, params.map_err(CallError::Params)?, None).await?;
        decode::<C>(&result)
    }

    /// Reads every page of a list.
    pub(super) async fn list<T>(
        &self,
        method: &'static str,
        read: impl Fn(&RawResult) -> Result<Page<T>, JsonError>,
    ) -> Result<Vec<T>, CallError> {
        let (mut entries, mut params) = (Vec::new(), RawObject::new());
        for _ in 0..self.limits.pages {
            let result = self.call(method, params.clone(), None).await?;
            let (page, next) = read(&result).map_err(|error| CallError::Result { method, error })?;
            entries.extend(page);
            if entries.len() > self.limits.entries {
                let most = self.limits.entries;
                return Err(CallError::Unreadable(format!("{method} has more than {most} entries")));
            }
            let Some(Cursor(next)) = next else { return Ok(entries) };
            params.insert("cursor", RawJson::string(next.as_str()));
        }
        Err(CallError::Unreadable(format!("{method} has more than {} pages", self.limits.pages)))
    }

    /// Sends a request once, and cancels it if it is not answered in time. Notifications that come before the answer, such as log
    /// messages, go to the client's service.
    pub(super) async fn once(
        &self,
        method: &'static str,
        mut params: RawObject,
        on_progress: &mut Option<OnProgress<'_>>,
    ) -> Result<RawResult, CallError> {
        let id = self.peer.next_id();
        if on_progress.is_some() {
            request_meta::set_progress_token(&mut params, &ProgressToken(RequestId::from(id)));
        }
        // A request that waits for a task lasts as long as the task, and has the time limit of the task.
        let timeouts = if method == GetTaskPayload::METHOD { Timeouts::NONE } else { self.timeouts };
        let time = RequestTime::begin(method, timeouts, &self.clock);
        // The futures are pinned here, so the wait does not hold them a second time.
        let mut call = time.wait(pin!(self.peer.start_as(id, method, params))).await??;
        loop {
            // Dropping the call cancels it.
            match time.wait(pin!(call.next())).await? {
                CallEvent::Reply(reply) => return reply,
                CallEvent::Notification(notification) if *notification.method == *Progress::METHOD => {
                    if let (Some(hear), Ok(progress)) = (on_progress.as_mut(), notification.params.decode()) {
                        hear(progress);
                    }
                }
                CallEvent::Notification(notification) => self.hear(notification).await,
            }
        }
    }

    /// Passes a notification of a call to the client's service, as the connection does with notifications that belong to no call.
    pub(super) async fn hear(&self, notification: Notification) {
        let mut heard = Incoming::notification(notification.method, notification.params);
        heard.ext.insert(self.context());
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

    /// Returns the context of a message that the server sends during a call.
    pub(super) fn context(&self) -> CallContext {
        CallContext { peer: self.peer.clone(), cancel: CancelToken::new() }
    }
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
