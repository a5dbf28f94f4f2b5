//! A call at a server, and its end by `mgp/stream/cancel` (§12.7).

use super::ServerSession;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use mgp_stream::cancel::cancel_unheard;
use mgp_transport::seam::Peer;
use mgp_transport::seam::{CallError, CallEvent, Notification, PendingCall};
use mgp_types::{
    json::RawObject,
    negotiation::Extension,
    rpc::RawResult,
    stream::{CancelStream, StreamCancelParams, StreamCancelResult, StreamSummary},
};
use std::{fmt, pin::Pin, time::Duration};
use tokio::time::{Instant, Sleep, sleep};

/// The time limit for the second of the two answers to a cancelled call and its cancellation, after the first has
/// arrived.
const SECOND_ANSWER: Duration = Duration::from_millis(250);

/// The maximum number of notifications of a cancelled call that are read after its time limit, to reach a reply
/// behind them.
const MAX_LATE: usize = 64;

/// A call at a server. If it is dropped before its reply, the server is notified: by `notifications/cancelled`, and in the era
/// of `initialize` by `mgp/stream/cancel` if the server supports it.
pub struct RunningCall {
    call: PendingCall,
    /// True if cancellations are sent with `mgp/stream/cancel`.
    by_method: bool,
    /// True if the server speaks a stateless revision, whose requests contain a description of their client.
    is_stateless: bool,
    cancelling: Option<Box<Cancellation>>,
}

/// A cancellation that was sent to the server.
struct Cancellation {
    /// The answer of the server, until it arrives.
    answer: BoxFuture<'static, Result<StreamCancelResult, CallError>>,
    is_answered: bool,
    /// The answer, if the server has cancelled the call.
    said: Option<StreamCancelResult>,
    /// The time limit for the partial result.
    over: Pin<Box<Sleep>>,
    /// The number of notifications that were read after that time.
    late: usize,
}

/// An event of a call. Its notifications arrive in order, and then its end.
#[derive(Debug)]
pub enum RunningEvent {
    /// A notification that names the call.
    Notification(Notification),
    /// The server has answered the call.
    Answered(Result<RawResult, CallError>),
    /// The call was cancelled. The partial result is `None` if the server gave none in time.
    Cancelled(Option<RawObject>),
}

impl ServerSession {
    /// Returns whether cancellations are sent to the server with `mgp/stream/cancel`. Over HTTP in the stateless era, a request cannot
    /// name another, and the end of a request's stream notifies the server.
    pub fn cancels_by_method(&self) -> bool {
        let negotiated = self.greeting.negotiated.as_ref();
        let can_name = !self.is_stateless() || self.has_one_stream;
        can_name && negotiated.is_some_and(|negotiated| negotiated.has(Extension::Streaming))
    }

    /// Returns a call of this session's server, which was sent.
    pub fn running(&self, call: PendingCall) -> RunningCall {
        let (by_method, is_stateless) = (self.cancels_by_method(), self.is_stateless());
        RunningCall { call, by_method, is_stateless, cancelling: None }
    }
}

impl RunningCall {
    /// Returns the server.
    pub fn peer(&self) -> &Peer {
        self.call.peer()
    }

    /// Returns whether the server certainly did not run the call, by the transport's knowledge. Known after the
    /// answer.
    pub fn is_unrun(&self) -> bool {
        self.call.is_unrun()
    }

    /// Returns whether the call was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.cancelling.is_some()
    }

    /// Cancels the call. Its end follows within a time limit: a server with `mgp/stream/cancel` is asked for the partial result, and any
    /// other server is not waited for.
    pub fn cancel(&mut self, reason: &str, limit: Duration) {
        let by_method = std::mem::take(&mut self.by_method);
        let (peer, request_id) = (self.call.peer().clone(), self.call.id().into());
        let params = StreamCancelParams { request_id, reason: Some(reason.to_owned()) };
        self.cancelling = Some(Box::new(Cancellation {
            answer: async move { peer.request::<CancelStream>(&params).await }.boxed(),
            is_answered: !by_method,
            said: None,
            over: Box::pin(sleep(if by_method { limit } else { Duration::ZERO })),
            late: 0,
        }));
    }

    /// Waits for the next event of the call. After the end there are no more events.
    pub async fn next(&mut self) -> RunningEvent {
        loop {
            let Some(cancelling) = &mut self.cancelling else {
                return match self.call.next().await {
                    CallEvent::Notification(notification) => RunningEvent::Notification(notification),
                    CallEvent::Reply(reply) => {
                        self.by_method = false;
                        RunningEvent::Answered(reply)
                    }
                };
            };
            tokio::select! {
                biased;
                event = self.call.next(), if cancelling.late < MAX_LATE => return match event {
                    CallEvent::Notification(notification) => {
                        // A server that streams endlessly does not delay the end of its call.
                        cancelling.late += usize::from(Instant::now() >= cancelling.over.deadline());
                        RunningEvent::Notification(notification)
                    }
                    CallEvent::Reply(reply) => after_reply(reply, cancelling.said.take()),
                },
                answer = &mut cancelling.answer, if !cancelling.is_answered => cancelling.answered(answer),
                () = &mut cancelling.over => {
                    return RunningEvent::Cancelled(cancelling.said.take().and_then(partial_result));
                }
            }
        }
    }
}

impl Cancellation {
    /// Stores the answer of the server, after which the call's own answer is awaited.
    fn answered(&mut self, answer: Result<StreamCancelResult, CallError>) {
        self.is_answered = true;
        let left = match answer {
            Ok(answer) if answer.cancelled => {
                self.said = Some(answer);
                SECOND_ANSWER
            }
            // The call's own answer will follow, or the connection is gone, which ends the call.
            Ok(_) => return,
            Err(error) => {
                tracing::debug!(%error, "a server did not cancel a call by method");
                Duration::ZERO
            }
        };
        let over = Instant::now() + left;
        if over < self.over.deadline() {
            self.over.as_mut().reset(over);
        }
    }
}

/// Returns the end of a call whose reply arrived after it was cancelled. `said` is the answer to the cancellation, if the server
/// cancelled.
fn after_reply(reply: Result<RawResult, CallError>, said: Option<StreamCancelResult>) -> RunningEvent {
    let partial = reply.as_ref().ok().and_then(|result| RawObject::from_json(result).ok());
    let says_so = |result: &RawObject| {
        let mgp = result.object("_mgp");
        mgp.is_some_and(|mgp| StreamSummary::read(&mgp).cancelled == Some(true))
    };
    match (partial, said) {
        (Some(partial), said) if said.is_some() || says_so(&partial) => {
            RunningEvent::Cancelled(Some(partial))
        }
        (None, Some(said)) => RunningEvent::Cancelled(partial_result(said)),
        _ => RunningEvent::Answered(reply),
    }
}

/// Returns the partial result in the answer to a cancellation.
fn partial_result(said: StreamCancelResult) -> Option<RawObject> {
    RawObject::from_json(&said.partial_result?).ok()
}

impl Drop for RunningCall {
    fn drop(&mut self) {
        if !self.by_method || self.is_stateless {
            return;
        }
        cancel_unheard(self.call.peer(), self.call.id(), "the caller no longer waits");
    }
}

impl fmt::Debug for RunningCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunningCall").field("call", &self.call).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_transport::{
        connection::Connection,
        memory,
        seam::{BoxError, Incoming, Reply},
    };
    use mgp_types::{json::RawJson, mcp::CallTool, rpc::Call};
    use xtask_testing::RawPeer;

    #[tokio::test(start_paused = true)]
    async fn a_streaming_server_does_not_delay_a_cancelled_call() {
        let (here, there) = memory::pair();
        let mut server = RawPeer::new(there);
        let answer = tower::service_fn(|_: Incoming| async { Ok::<_, BoxError>(Reply::none()) });
        let connection = Connection::builder(answer).over(here.0, here.1);
        let peer = connection.peer();
        let id = peer.next_id();
        let call = peer.start_as(id, CallTool::METHOD, RawJson::parse("{}").unwrap()).await.unwrap();
        let mut call = RunningCall { call, by_method: true, is_stateless: false, cancelling: None };
        call.cancel("enough", Duration::from_secs(2));
        let began = Instant::now();
        for index in 0..10 * MAX_LATE {
            let chunk = format!(
                r#"{{"jsonrpc":"2.0","method":"notifications/mgp.stream.chunk","params":{{"request_id":{id},"index":{index},"content":{{}}}}}}"#
            );
            server.send(chunk).await;
            // Until the chunk has arrived.
            sleep(Duration::from_millis(100)).await;
            match call.next().await {
                RunningEvent::Notification(_) => {}
                RunningEvent::Cancelled(None) => {
                    assert!(began.elapsed() >= Duration::from_secs(2), "{:?}", began.elapsed());
                    return;
                }
                other => panic!("{other:?}"),
            }
        }
        panic!("still going on after {:?}", began.elapsed());
    }
}
