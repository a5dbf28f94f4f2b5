//! A call whose progress and chunks a test reads.

use super::{TestError, result};
use futures_util::future::BoxFuture;
use mgp_transport::seam::{CallError, CallEvent, Notification, PendingCall};
use mgp_types::{
    mcp::{self, CallToolResult, ContentBlock, ProgressParams},
    rpc::{Notice, RawResult},
    stream::{CancelStream, StreamCancelParams, StreamChunk, StreamChunkParams},
};
use serde::de::DeserializeOwned;
use std::fmt;

/// A message about a call that is received before its result.
#[derive(Debug, Clone, PartialEq)]
pub enum CallUpdate {
    /// Progress.
    Progress {
        /// The completed amount.
        progress: f64,
        /// The total amount, if it is known.
        total: Option<f64>,
        /// A message about the current step.
        message: Option<String>,
    },
    /// §12.4 A part of the result.
    Chunk(ContentBlock),
}

/// A call that is sent once it is read. Dropping it cancels the call.
pub struct TestCall {
    sending: BoxFuture<'static, Result<PendingCall, CallError>>,
    pending: Option<PendingCall>,
    reply: Option<Result<RawResult, CallError>>,
}

impl TestCall {
    pub(super) fn new(
        sending: impl Future<Output = Result<PendingCall, CallError>> + Send + 'static,
    ) -> Self {
        Self { sending: Box::pin(sending), pending: None, reply: None }
    }

    /// Waits for the next update, or returns `None` once the result has arrived.
    pub async fn next(&mut self) -> Option<CallUpdate> {
        while self.reply.is_none() {
            let Some(pending) = self.sent().await else { break };
            match pending.next().await {
                CallEvent::Notification(notification) => {
                    if let Some(update) = update(&notification) {
                        return Some(update);
                    }
                }
                CallEvent::Reply(reply) => self.reply = Some(reply),
            }
        }
        None
    }

    /// Sends the call if it was not sent yet. Returns `None` if that failed.
    async fn sent(&mut self) -> Option<&mut PendingCall> {
        if self.pending.is_none() && self.reply.is_none() {
            match (&mut self.sending).await {
                Ok(pending) => self.pending = Some(pending),
                Err(error) => self.reply = Some(Err(error)),
            }
        }
        self.pending.as_mut()
    }

    /// §12.7 Cancels the call, and waits for the partial result: that of
    /// [`PartialResult`](crate::extract::PartialResult), or what a sink has sent. Updates before it are dropped. A call that has ended
    /// returns its result.
    ///
    /// # Errors
    /// Returns [`TestError::Call`] if there is no result, as from a server without MGP.
    pub async fn cancel(mut self) -> Result<CallToolResult, TestError> {
        let is_running = self.reply.is_none();
        if let Some(pending) = self.sent().await.filter(|_| is_running) {
            let params = StreamCancelParams { request_id: pending.id().into(), reason: None };
            let peer = pending.peer().clone();
            peer.request::<CancelStream>(&params).await?;
        }
        self.raw_result().await
    }

    /// Waits for the result, including the result of a tool that failed. Updates before it are dropped.
    ///
    /// # Errors
    /// Returns [`TestError::Call`] if there is no result.
    pub async fn raw_result(mut self) -> Result<CallToolResult, TestError> {
        while self.next().await.is_some() {}
        let Some(reply) = self.reply else { return Err(result::other("", &"expected a reply")) };
        let reply = reply?;
        reply.decode().map_err(|error| result::other(reply.as_str(), &error))
    }

    /// Waits for the result and reads it as [`TestClient::call`](super::TestClient::call) does.
    ///
    /// # Errors
    /// Returns the same errors as [`TestClient::call`](super::TestClient::call).
    pub async fn result<T: DeserializeOwned>(self) -> Result<T, TestError> {
        result::read(&self.raw_result().await?)
    }
}

impl fmt::Debug for TestCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TestCall").field("pending", &self.pending).finish_non_exhaustive()
    }
}

fn update(notification: &Notification) -> Option<CallUpdate> {
    match &*notification.method {
        mcp::Progress::METHOD => {
            let ProgressParams { progress, total, message, .. } = notification.params.decode().ok()?;
            let total = total.and_then(|total| total.as_f64());
            Some(CallUpdate::Progress { progress: progress.as_f64()?, total, message })
        }
        StreamChunk::METHOD => {
            let StreamChunkParams { content, .. } = notification.params.decode().ok()?;
            Some(CallUpdate::Chunk(content))
        }
        _ => None,
    }
}
