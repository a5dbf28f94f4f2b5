//! Subscriptions in the stateless era: a request that stays open, and is sent again when it breaks.

use super::changes::Changes;
use crate::client::caller::Caller;
use futures_util::FutureExt;
use mgp_transport::seam::{CallError, CallEvent, Notification, PendingCall};
use mgp_types::{
    error::ErrorCode,
    mcp::stateless::{Listen, ListenParams, SubscriptionFilter, SubscriptionsAcknowledged},
    rpc::{Call, JsonRpcCode, Notice, RawParams},
};
use std::{sync::Arc, time::Duration};
use tokio::sync::{mpsc, oneshot};

/// A command to replace what is subscribed to.
#[derive(Debug)]
pub(super) struct Command {
    pub(super) wanted: SubscriptionFilter,
    pub(super) done: oneshot::Sender<Result<(), CallError>>,
}

/// The Tokio task that holds the open request. It ends with its subscription.
pub(super) struct Listening {
    pub(super) caller: Caller,
    pub(super) changes: Arc<Changes>,
    pub(super) wanted: SubscriptionFilter,
    pub(super) call: PendingCall,
    pub(super) commands: mpsc::Receiver<Command>,
}

/// The outcome of a wait.
enum Waited {
    /// The time has passed.
    Out,
    /// The request is open again.
    Open,
    /// The subscription is gone.
    Gone,
}

impl Listening {
    pub(super) async fn run(mut self) {
        loop {
            tokio::select! {
                biased;
                command = self.commands.recv() => match command {
                    Some(command) => drop(self.obey(command).await),
                    None => return,
                },
                event = self.call.next() => match event {
                    CallEvent::Notification(notification) => hear(&self.caller, &self.changes, notification).await,
                    CallEvent::Reply(reply) => match self.again(reply.err()).await {
                        Ok(true) => {}
                        Ok(false) => return,
                        Err(error) => return self.changes.end(error),
                    },
                },
            }
        }
    }

    /// Sends a new request for what the command wants. The earlier request stays open until the new one is accepted. Returns
    /// whether it was accepted.
    async fn obey(&mut self, Command { wanted, done }: Command) -> bool {
        let opened = open(&self.caller, &wanted, &self.changes).await;
        let outcome = opened.map(|call| {
            let mut before = std::mem::replace(&mut self.call, call);
            self.wanted = wanted;
            while let Some(CallEvent::Notification(last)) = before.next().now_or_never() {
                self.caller.cache.hear(&last.method);
                self.changes.take(&last.method, &last.params);
            }
        });
        let opened = outcome.is_ok();
        // The sender of the command may have stopped waiting.
        let _ = done.send(outcome);
        opened
    }

    /// Sends the request again after it ended. Returns `true` once it is open again, and `false` if the subscription is gone.
    async fn again(&mut self, mut error: Option<CallError>) -> Result<bool, CallError> {
        let mut failures = 0;
        loop {
            if let Some(error) =
                error.take_if(|error| failures >= self.caller.limits.reconnects || !may_pass(error))
            {
                return Err(error);
            }
            tracing::debug!(
                failures,
                error = error.as_ref().map(tracing::field::display),
                "a subscription broke"
            );
            match self.wait(failures).await {
                Waited::Open => break,
                Waited::Gone => return Ok(false),
                Waited::Out => {}
            }
            match open(&self.caller, &self.wanted, &self.changes).await {
                Ok(call) => {
                    self.call = call;
                    break;
                }
                Err(failed) => error = Some(failed),
            }
            failures += 1;
        }
        self.caller.cache.clear();
        self.changes.all();
        Ok(true)
    }

    /// Waits before the next attempt. A command that arrives during the wait is an attempt too.
    async fn wait(&mut self, failures: u32) -> Waited {
        let limits = &self.caller.limits;
        let delay = limits.reconnect_delay.saturating_mul(2u32.saturating_pow(failures.min(16)));
        let mut out = std::pin::pin!(tokio::time::sleep(delay.min(limits.max_reconnect_delay)));
        loop {
            tokio::select! {
                biased;
                command = self.commands.recv() => match command {
                    Some(command) => if self.obey(command).await { return Waited::Open },
                    None => return Waited::Gone,
                },
                () = &mut out => return Waited::Out,
            }
        }
    }
}

/// Sends the request and waits until the server accepts it.
pub(super) async fn open(
    caller: &Caller,
    wanted: &SubscriptionFilter,
    changes: &Changes,
) -> Result<PendingCall, CallError> {
    let params = RawParams::from_value(&ListenParams::new(wanted.clone())).map_err(CallError::Params)?;
    let limit = caller.limits.subscribe_time_limit;
    match tokio::time::timeout(limit, accepted(caller, params, wanted, changes)).await {
        Ok(accepted) => accepted,
        Err(_) => Err(timed_out(limit)),
    }
}

async fn accepted(
    caller: &Caller,
    params: RawParams,
    wanted: &SubscriptionFilter,
    changes: &Changes,
) -> Result<PendingCall, CallError> {
    let mut call = caller.peer.start(Listen::METHOD, params).await?;
    loop {
        match call.next().await {
            CallEvent::Notification(first) if *first.method == *SubscriptionsAcknowledged::METHOD => {
                let told: ListenParams = first.params.decode().map_err(CallError::Peer)?;
                changes.set_filter(both(told.notifications, wanted));
                return Ok(call);
            }
            CallEvent::Notification(early) => hear(caller, changes, early).await,
            CallEvent::Reply(reply) => {
                reply?;
                return Err(CallError::Unreadable("a subscription ended before it was accepted".into()));
            }
        }
    }
}

/// Returns the part of what the server accepted that was also asked for.
fn both(mut told: SubscriptionFilter, wanted: &SubscriptionFilter) -> SubscriptionFilter {
    told.tools_list_changed &= wanted.tools_list_changed;
    told.prompts_list_changed &= wanted.prompts_list_changed;
    told.resources_list_changed &= wanted.resources_list_changed;
    told.resource_subscriptions.retain(|uri| wanted.resource_subscriptions.contains(uri));
    told.resource_subscriptions.dedup();
    told.mgp = told.mgp.filter(|_| wanted.mgp.is_some());
    told
}

async fn hear(caller: &Caller, changes: &Changes, notification: Notification) {
    // The cache is told before the change is reported, because a reader of the change asks again.
    caller.cache.hear(&notification.method);
    changes.take(&notification.method, &notification.params);
    caller.hear(notification).await;
}

/// Returns `true` if the same request may succeed later.
fn may_pass(error: &CallError) -> bool {
    match error {
        CallError::Peer(error) => {
            let passing = [
                ErrorCode::UpstreamUnavailable,
                ErrorCode::UpstreamError,
                ErrorCode::RateLimited,
                ErrorCode::ResourceExhausted,
                ErrorCode::Timeout,
            ];
            passing.map(i64::from).contains(&error.code)
                || error.code == i64::from(JsonRpcCode::InternalError)
        }
        CallError::Unreadable(_) | CallError::SlowCaller { .. } | CallError::TooManyCalls { .. } => true,
        _ => false,
    }
}

fn timed_out(limit: Duration) -> CallError {
    let message = format!("the server did not accept a subscription within {limit:?}");
    CallError::Peer(ErrorCode::Timeout.error(message))
}
