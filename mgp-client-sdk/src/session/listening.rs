//! Subscriptions in the stateless era: a request that stays open, and is sent again when it breaks. No change between two of these
//! requests is missed.

use super::{
    ServerSession,
    listener::{Gap, ListenLimits, Listener},
    wait::at,
};
use futures_util::FutureExt;
use mgp_transport::seam::{CallError, CallEvent, PendingCall};
use mgp_types::{
    error::ErrorCode,
    json::RawObject,
    mcp::{Listen, ListenParams, SubscriptionFilter, SubscriptionsAcknowledged},
    rpc::{Call, Notice, RawParams},
};
use std::{collections::HashSet, future::pending, sync::Arc};
use tokio::{
    sync::{mpsc, oneshot},
    time::{Instant, timeout},
};

/// A command to replace the subscription.
#[derive(Debug)]
pub(super) struct Command {
    pub(super) wanted: SubscriptionFilter,
    pub(super) done: oneshot::Sender<Result<(), CallError>>,
}

/// The open request of a subscription.
pub struct ListenRequest {
    session: ServerSession,
    listener: Arc<dyn Listener>,
    limits: ListenLimits,
    commands: mpsc::Receiver<Command>,
    /// The filter for the next request.
    wanted: SubscriptionFilter,
    open: Option<PendingCall>,
    opening: Option<PendingListen>,
    /// The time at which the request is sent again.
    retry: Option<Instant>,
    /// The number of consecutive failures.
    failures: u32,
    /// The reason why changes may be missed while no request is open.
    gap: Gap,
    /// The reason why changes may be missed until the server accepts the open request, if it did not do so in time.
    late: Option<Gap>,
}

/// A request that the server has not accepted yet. The previous one stays open meanwhile.
struct PendingListen {
    call: PendingCall,
    wanted: SubscriptionFilter,
    /// The sender of the command, if the request was sent for one.
    done: Option<oneshot::Sender<Result<(), CallError>>>,
    until: Option<Instant>,
}

impl ListenRequest {
    pub(super) fn new(
        session: ServerSession,
        listener: Arc<dyn Listener>,
        limits: ListenLimits,
        commands: mpsc::Receiver<Command>,
    ) -> Self {
        let (wanted, gap) = (SubscriptionFilter::default(), Gap::Start);
        let (open, opening, retry) = (None, None, None);
        let (failures, late) = (0, None);
        Self { session, listener, limits, commands, wanted, open, opening, retry, failures, gap, late }
    }

    /// Listens until the subscription is dropped or given up.
    pub async fn run(mut self) {
        loop {
            let due = match &self.opening {
                Some(opening) => opening.until,
                None => self.retry,
            };
            let step = tokio::select! {
                biased;
                command = self.commands.recv() => match command {
                    Some(command) => self.obey(command).await,
                    None => return,
                },
                event = next(self.opening.as_mut().map(|opening| &mut opening.call)) => self.hear_opening(event).await,
                event = next(self.open.as_mut()) => self.hear_open(event).await,
                () = at(due) => self.due().await,
            };
            if let Err(error) = step {
                return self.listener.ended(error);
            }
        }
    }

    /// Sends a request for the subscription in a command.
    async fn obey(&mut self, Command { wanted, done }: Command) -> Result<(), CallError> {
        if self.limits.tries.is_none() {
            self.wanted = wanted.clone();
        }
        if wanted != SubscriptionFilter::default() {
            // After a failure, a new subscription is requested no sooner than the old one.
            if self.limits.tries.is_none() && self.opening.is_none() && self.retry.is_some() {
                let _ = done.send(Ok(()));
                return Ok(());
            }
            return self.start(wanted, Some(done)).await;
        }
        (self.open, self.opening, self.retry, self.gap) = (None, None, None, Gap::Start);
        self.listener.accepted(&wanted, Gap::None).await;
        // The sender of a command may have stopped waiting.
        let _ = done.send(Ok(()));
        Ok(())
    }

    async fn start(
        &mut self,
        wanted: SubscriptionFilter,
        done: Option<oneshot::Sender<Result<(), CallError>>>,
    ) -> Result<(), CallError> {
        let started = timeout(self.limits.accept, send(&self.session, &wanted)).await;
        match started.unwrap_or_else(|_| Err(self.not_accepted())) {
            Ok(call) => {
                let until = Instant::now().checked_add(self.limits.accept);
                self.opening = Some(PendingListen { call, wanted, done, until });
                Ok(())
            }
            Err(error) => self.failed(error, done),
        }
    }

    async fn hear_opening(&mut self, event: CallEvent) -> Result<(), CallError> {
        let Some(opening) = self.opening.take() else { return Ok(()) };
        match event {
            CallEvent::Notification(first) if *first.method == *SubscriptionsAcknowledged::METHOD => {
                match first.params.decode::<ListenParams>() {
                    Ok(told) => {
                        self.failures = 0;
                        self.open(opening, Some(told)).await;
                        Ok(())
                    }
                    Err(error) => self.failed(CallError::Peer(error), opening.done),
                }
            }
            CallEvent::Notification(early) => {
                self.opening = Some(opening);
                self.listener.hear(early).await;
                Ok(())
            }
            CallEvent::Reply(reply) => {
                let ended =
                    || CallError::Unreadable("a subscription ended before it was accepted".to_owned());
                self.failed(reply.err().unwrap_or_else(ended), opening.done)
            }
        }
    }

    async fn hear_open(&mut self, event: CallEvent) -> Result<(), CallError> {
        match event {
            CallEvent::Notification(notification) => {
                if *notification.method == *SubscriptionsAcknowledged::METHOD
                    && let Some(gap) = self.late.take()
                    && let Ok(told) = notification.params.decode::<ListenParams>()
                {
                    self.failures = 0;
                    self.listener.accepted(&both(told.notifications, &self.wanted), gap).await;
                }
                self.listener.hear(notification).await;
                Ok(())
            }
            CallEvent::Reply(reply) => {
                (self.open, self.gap) = (None, Gap::Break);
                // If the request is being replaced, its end is not a failure.
                self.retry_after(reply.err().filter(|_| self.opening.is_none()))
            }
        }
    }

    /// Sends the request again, or ends the wait for its acceptance.
    async fn due(&mut self) -> Result<(), CallError> {
        match self.opening.take() {
            Some(opening) if self.limits.tries.is_none() => {
                self.failures = self.failures.saturating_add(1);
                self.open(opening, None).await;
                Ok(())
            }
            Some(opening) => self.failed(self.not_accepted(), opening.done),
            None => self.start(self.wanted.clone(), None).await,
        }
    }

    /// Replaces the open request with one that was accepted, or that is used without being accepted.
    async fn open(&mut self, opening: PendingListen, told: Option<ListenParams>) {
        let before = self.open.replace(opening.call);
        let gap = if before.is_some() { Gap::None } else { self.gap };
        self.late = told.is_none().then_some(gap);
        let accepted =
            told.map_or_else(|| opening.wanted.clone(), |told| both(told.notifications, &opening.wanted));
        (self.wanted, self.retry) = (opening.wanted, None);
        self.listener.accepted(&accepted, gap).await;
        if let Some(mut before) = before {
            while let Some(CallEvent::Notification(last)) = before.next().now_or_never() {
                self.listener.hear(last).await;
            }
        }
        if let Some(done) = opening.done {
            let _ = done.send(Ok(()));
        }
    }

    /// Ends an attempt. If it was made for a command, the earlier subscription stays.
    fn failed(
        &mut self,
        error: CallError,
        done: Option<oneshot::Sender<Result<(), CallError>>>,
    ) -> Result<(), CallError> {
        if let Some(done) = done {
            let _ = done.send(Err(error.clone()));
            if self.limits.tries.is_some() {
                return Ok(());
            }
        }
        self.failures = self.failures.saturating_add(1);
        self.retry_after(Some(error))
    }

    /// Sends the request again after a delay.
    ///
    /// # Errors
    /// The error after which the subscription is given up.
    fn retry_after(&mut self, error: Option<CallError>) -> Result<(), CallError> {
        tracing::debug!(
            self.failures,
            error = error.as_ref().map(tracing::field::display),
            "a subscription broke"
        );
        match (self.limits.delay_after(self.failures, error.as_ref()), error) {
            (None, Some(error)) => Err(error),
            (delay, _) => {
                self.retry = delay.and_then(|delay| Instant::now().checked_add(delay));
                Ok(())
            }
        }
    }

    fn not_accepted(&self) -> CallError {
        let message = format!("the server did not accept a subscription within {:?}", self.limits.accept);
        CallError::Peer(ErrorCode::Timeout.error(message))
    }
}

/// Sends the request that stays open.
async fn send(session: &ServerSession, wanted: &SubscriptionFilter) -> Result<PendingCall, CallError> {
    let mut params = ListenParams::new(wanted.clone());
    if !wanted.task_ids.is_empty() {
        let mut declaring = RawObject::new();
        session.declare_tasks(&mut declaring);
        params.meta = declaring.object("_meta");
    }
    let params = RawParams::from_value(&params).map_err(CallError::Params)?;
    session.peer.start(Listen::METHOD, params).await
}

/// Returns the next event of a request; waits forever if there is none.
async fn next(call: Option<&mut PendingCall>) -> CallEvent {
    match call {
        Some(call) => call.next().await,
        None => pending().await,
    }
}

/// Returns the part of the accepted subscription that was also requested.
fn both(mut told: SubscriptionFilter, wanted: &SubscriptionFilter) -> SubscriptionFilter {
    told.tools_list_changed &= wanted.tools_list_changed;
    told.prompts_list_changed &= wanted.prompts_list_changed;
    told.resources_list_changed &= wanted.resources_list_changed;
    let mut left: HashSet<&String> = wanted.resource_subscriptions.iter().collect();
    told.resource_subscriptions.retain(|uri| left.remove(uri));
    told.mgp = told.mgp.filter(|_| wanted.mgp.is_some());
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resources(uris: &[&str]) -> SubscriptionFilter {
        let resource_subscriptions = uris.iter().map(|uri| (*uri).to_owned()).collect();
        SubscriptionFilter { resource_subscriptions, ..Default::default() }
    }

    #[test]
    fn each_accepted_resource_counts_once() {
        let told = resources(&["memo:1", "memo:2", "memo:3", "memo:1"]);
        assert_eq!(both(told, &resources(&["memo:3", "memo:1"])), resources(&["memo:1", "memo:3"]));
    }
}
