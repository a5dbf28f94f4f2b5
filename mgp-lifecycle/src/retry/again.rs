//! The attempts after the first.

use super::{CallDeadline, RetryNote, service::Retries};
use crate::state::{Outlook, StateMachine};
use mgp_transport::{
    connection::error_of,
    seam::{BoxError, CallRecord, Incoming, Record, RefusalKind, Reply},
};
use mgp_types::{
    error::{ErrorCode, Recovery},
    lifecycle::ServerState,
    rpc::ErrorObject,
};
use std::{future::poll_fn, sync::Arc, time::Duration};
use tokio::time::{Instant, sleep, timeout_at};
use tower::retry::budget::Budget;
use tower_service::Service;

/// A call that can be made again.
#[derive(Debug)]
pub(super) struct Again<S> {
    pub(super) message: Incoming,
    pub(super) retries: Arc<Retries<S>>,
    /// The time at which the first attempt began.
    pub(super) since: Instant,
}

/// The rest of a failed call.
enum Next {
    /// It is made again after this pause.
    Retry(Duration),
    /// It is made again when its server takes calls.
    WhenConnected,
    /// It is not made again: nothing says that this does no harm, there is no time, or it was made often enough.
    Stop,
}

impl<S> Again<S> {
    /// Returns whether a call failed, so that it may have to be made again.
    pub(super) fn failed(reply: &Result<Reply, BoxError>) -> bool {
        reply.as_ref().map_or(true, |reply| reply.as_error().is_some())
    }

    fn next(&self, error: &ErrorObject, number: u32) -> Next {
        let rules = &self.retries.rules;
        let pause = advice(error).and_then(|advice| rules.policy.pause_before(number, &advice));
        let Some(pause) = pause else { return Next::Stop };
        if CallRecord::of(&self.message).is_some_and(|record| record.update(|record| is_over(record))) {
            return Next::Stop;
        }
        let is_connected =
            rules.machine.as_ref().is_none_or(|machine| machine.state() == ServerState::Connected);
        if !is_connected {
            return Next::WhenConnected;
        }
        if pause >= self.deadline().left() || !self.retries.budget.withdraw() {
            return Next::Stop;
        }
        Next::Retry(pause)
    }

    fn deadline(&self) -> CallDeadline {
        CallDeadline(self.since + self.retries.rules.limit)
    }
}

/// Returns whether a call may not be made again, whatever its error says: because its caller has seen a part of it, or because it has
/// waited for its turn as long as a call may.
fn is_over(record: &Record) -> bool {
    let got_no_turn = record.refusal.as_ref().is_some_and(|refusal| refusal.kind == RefusalKind::RateLimit);
    record.begun || got_no_turn
}

impl<S> Again<S>
where
    S: Service<Incoming, Response = Reply, Error = BoxError> + Clone,
{
    /// Makes the call again, until it succeeds or may not be made once more. Returns the last reply, whose error asks for no retry if there
    /// was one.
    pub(super) async fn retry(self, mut reply: Result<Reply, BoxError>) -> Result<Reply, BoxError> {
        let mut inner = self.retries.inner.clone();
        for number in 1.. {
            let Some(error) = error_of(&reply) else { break };
            let waits_since = Instant::now();
            if !wait(self.next(&error, number), &self.retries, self.deadline()).await {
                return last(&self.message, reply, error, number);
            }
            let mut message = self.message.clone();
            message.ext.insert(self.deadline());
            if let Some(before) = self.retries.rules.before.clone() {
                let note = RetryNote { number, error: &error, waited: waits_since.elapsed() };
                if !before(&mut message, note).await {
                    return last(&self.message, reply, error, number);
                }
            }
            if let Some(record) = CallRecord::of(&message) {
                record.update(|record| record.refusal = None);
            }
            poll_fn(|cx| inner.poll_ready(cx)).await?;
            reply = inner.call(message).await;
        }
        reply
    }
}

/// Waits before a retry, until the deadline at most. Returns whether the retry may be made.
async fn wait(next: Next, retries: &Retries<impl Sized>, CallDeadline(deadline): CallDeadline) -> bool {
    match next {
        Next::Stop => return false,
        Next::Retry(pause) => sleep(pause).await,
        Next::WhenConnected => {}
    }
    match &retries.rules.machine {
        // A connection can be lost before the state says so.
        Some(machine) => timeout_at(deadline, connected(machine, deadline)).await.unwrap_or(false),
        None => true,
    }
}

/// Returns the advice that an error carries, or that its code implies.
fn advice(error: &ErrorObject) -> Option<Recovery> {
    Recovery::from_error(error).or_else(|| ErrorCode::from_code(error.code).map(Recovery::of))
}

/// Returns the reply to a call that is not made again: after a retry, its error asks for no other. The record keeps whether it did.
fn last(
    message: &Incoming,
    reply: Result<Reply, BoxError>,
    error: ErrorObject,
    number: u32,
) -> Result<Reply, BoxError> {
    if number == 1 {
        return reply;
    }
    let Some(advice) = advice(&error) else { return Ok(Reply::error(error)) };
    if let Some(record) = CallRecord::of(message) {
        record.update(|record| record.given_up = advice.retryable);
    }
    Ok(Reply::error(advice.without_retry().attach(error)))
}

/// Waits until a server takes calls again. Returns `false` if nothing will start it, or not before a deadline.
async fn connected(machine: &StateMachine, deadline: Instant) -> bool {
    let mut status = machine.watch();
    loop {
        {
            let now = status.borrow_and_update();
            if now.state == ServerState::Connected {
                return true;
            }
            let may_start = match now.outlook {
                // A server that has taken the place of this one is reached by a call from the host.
                Outlook::Final | Outlook::Replaced => false,
                Outlook::StartAt(start) | Outlook::StartBy(start) => start < deadline,
                // The call that waits is counted as one that needs the server.
                Outlook::Open | Outlook::OnDemand | Outlook::FirstStart => true,
            };
            if !may_start {
                return false;
            }
        }
        if status.changed().await.is_err() {
            return false;
        }
    }
}
