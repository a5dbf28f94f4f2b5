//! Answers `mgp/stream/cancel`.

use crate::sink::{ActiveStreams, StreamEnd};
use mgp_transport::seam::{CancelCause, Incoming, Reply, Role, Routes};
use mgp_types::{
    rpc::{ErrorObject, RawResult},
    stream::{CancelStream, StreamCancelParams, StreamCancelResult},
};
use std::time::Duration;

/// The time limit for the end of the request. After that, the cancellation is answered without a partial result.
const TIMEOUT: Duration = Duration::from_secs(3);

/// The method `mgp/stream/cancel` on a connection's lane: cancels the request and answers with the content streamed so far.
///
/// The connection then answers the request itself, once, with `_mgp.cancelled`.
#[derive(Debug, Clone)]
pub struct StreamCancel {
    limit: Duration,
}

impl StreamCancel {
    /// Creates the method, which waits at most three seconds for the partial result.
    #[must_use]
    pub const fn new() -> Self {
        Self { limit: TIMEOUT }
    }

    /// Sets the time limit for the partial result.
    #[must_use]
    pub const fn timeout(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Returns the method.
    #[must_use]
    pub fn routes() -> Routes<Self> {
        Routes::new().route(CancelStream, Role::Anyone, async |cancel: Self, message| {
            Ok(Reply::from_value(&cancel.answer(&message).await?))
        })
    }

    async fn answer(&self, incoming: &Incoming) -> Result<StreamCancelResult, ErrorObject> {
        let StreamCancelParams { request_id, reason } = incoming.params.decode()?;
        let (Some(peer), Some(session)) = (incoming.peer(), incoming.session()) else {
            return Ok(StreamCancelResult::not_active());
        };
        // A cancellation request is not a stream, even if it names its own id.
        let running = peer.running(&request_id).filter(|_| incoming.id.as_ref() != Some(&request_id));
        let Some(token) = running else {
            return Ok(StreamCancelResult::not_active());
        };
        let stream = ActiveStreams::of(session).get(&request_id);
        // A request counts as running until its answer has been written, and for a moment longer.
        if stream.as_ref().is_some_and(|stream| stream.end().is_some()) {
            return Ok(StreamCancelResult::not_active());
        }
        token.cancel(CancelCause::Method);
        if token.cause() != Some(CancelCause::Method) {
            // The request was cancelled in another way before, and gets no answer.
            return Ok(StreamCancelResult::not_active());
        }
        tracing::debug!(%request_id, reason, "request cancelled");
        // A request that has not reached its handler has no stream and no partial result.
        let Some(stream) = stream else { return Ok(cancelled(None)) };
        match tokio::time::timeout(self.limit, stream.ended()).await {
            Ok(StreamEnd::Answered) => Ok(StreamCancelResult::not_active()),
            Ok(StreamEnd::Cancelled) => Ok(cancelled(Some(stream.partial_result()))),
            Err(_) => {
                tracing::warn!(%request_id, limit = ?self.limit, "a handler does not obey its cancellation");
                Ok(cancelled(None))
            }
        }
    }
}

impl Default for StreamCancel {
    fn default() -> Self {
        Self::new()
    }
}

fn cancelled(partial_result: Option<RawResult>) -> StreamCancelResult {
    StreamCancelResult { cancelled: true, partial_result, reason: None }
}
