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
    /// Make the call again after this pause.
    Retry(Duration),
    /// Make the call again when its server takes calls.
    WhenConnected,
    /// Do not make the call again: a retry is not known to be safe, no time is left, or the retries are used up.
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

/// Returns whether a call may not be made again, regardless of its error: its caller has seen a part of it, or its wait for a turn has timed
/// out.
fn is_over(record: &Record) -> bool {
    let got_no_turn = record.refusal.as_ref().is_some_and(|refusal| refusal.kind == RefusalKind::RateLimit);
    record.begun || got_no_turn
}

impl<S> Again<S>
where
    S: Service<Incoming, Response = Reply, Error = BoxError> + Clone,
{
    /// Makes the call again until it succeeds or may not be repeated. Returns the last reply. After a retry, its error advises against
    /// another one.
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
        // A connection can be lost before the state reflects it.
        Some(machine) => timeout_at(deadline, connected(machine, deadline)).await.unwrap_or(false),
        None => true,
    }
}

/// Returns the advice that an error carries, or that its code implies.
fn advice(error: &ErrorObject) -> Option<Recovery> {
    Recovery::from_error(error).or_else(|| ErrorCode::from_code(error.code).map(Recovery::of))
}

/// Returns the reply to a call that is not made again. After a retry, its error advises against another one. The record keeps the original
/// advice.
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
                // A replacement of this server is reached only by a new call from the host.
                Outlook::Final | Outlook::Replaced => false,
                Outlook::StartAt(start) | Outlook::StartBy(start) => start < deadline,
                // The waiting call counts toward the demand for the server.
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
