//! The resources that are subscribed to at a session's server, in the era of `initialize`: one request for each.

use super::{
    ServerSession,
    listener::{Gap, ListenLimits, Listener},
    subscription_state::{HeldEvents, SubscriptionState},
    wait::at,
};
use mgp_transport::seam::{CallError, CallEvent};
use mgp_types::{
    error::ErrorCode,
    mcp::{MgpFilter, ResourceUri, SubscribeResource, SubscriptionFilter, UnsubscribeResource},
    rpc::{Call, RawParams},
};
use parking_lot::Mutex;
use std::{
    collections::{BTreeSet, HashSet},
    sync::{Arc, Weak},
    time::Duration,
};
use tokio::{sync::watch, time::Instant};

impl ServerSession {
    /// Adds a subscription, which is renewed with the session for as long as it lives.
    pub(super) fn join(&self, listener: Arc<dyn Listener>, limits: ListenLimits) -> Arc<SubscriptionState> {
        let joined = Arc::new(SubscriptionState {
            listener,
            limits,
            filter: Mutex::default(),
            events: HeldEvents::default(),
        });
        let mut subscribed = self.resources.subscribed.lock();
        subscribed.retain(|known| known.strong_count() > 0);
        subscribed.push(Arc::downgrade(&joined));
        joined
    }

    /// Replaces the content of a subscription.
    ///
    /// # Errors
    /// The server's refusal of a resource. The subscription is not changed, unless it is kept whatever the server answers.
    pub(super) async fn change(
        &self,
        subscribed: &SubscriptionState,
        mut wanted: SubscriptionFilter,
    ) -> Result<(), CallError> {
        let capabilities = &self.greeting.capabilities;
        wanted.tools_list_changed &= capabilities.list_changed("tools");
        wanted.prompts_list_changed &= capabilities.list_changed("prompts");
        wanted.resources_list_changed &= capabilities.list_changed("resources");
        let events = wanted.mgp.take().and_then(|mgp| mgp.events).filter(|_| self.has_events());
        wanted.mgp = events.clone().map(|events| MgpFilter { events: Some(events), ..MgpFilter::default() });
        wanted.task_ids.clear();
        // Each resource is listed once, because each needs a request to the server.
        let mut known = HashSet::new();
        wanted.resource_subscriptions.retain(|uri| known.insert(uri.clone()));
        let mut asked = self.resources.asked.lock().await;
        let stops = subscribed.limits.tries.is_some();
        let (attempt, mut outcome) = (Attempt::begin(subscribed, wanted.clone(), &asked), Ok(()));
        let before: HashSet<&String> = attempt.before.resource_subscriptions.iter().collect();
        for uri in wanted.resource_subscriptions.iter().filter(|uri| !before.contains(uri)) {
            let answered = self.ask_for(subscribed, uri, &mut asked).await;
            if answered.is_err() && stops {
                outcome = answered;
                break;
            }
            report(uri, &answered);
            outcome = outcome.and(answered);
        }
        if outcome.is_ok() || !stops {
            outcome = outcome.and(self.change_events(subscribed, events).await);
        }
        if outcome.is_ok() || !stops {
            attempt.keep();
            subscribed.listener.accepted(&subscribed.accepted(&asked), Gap::None).await;
        } else {
            drop(attempt);
        }
        self.give_up(subscribed, &mut asked).await;
        outcome
    }

    /// Ends the content of a subscription.
    pub(super) async fn leave(&self, subscribed: &SubscriptionState) {
        let mut asked = self.resources.asked.lock().await;
        *subscribed.filter.lock() = SubscriptionFilter::default();
        self.give_up(subscribed, &mut asked).await;
        let _ = self.change_events(subscribed, None).await;
    }

    /// Subscribes to a resource for a subscription, unless the server already reports it.
    async fn ask_for(
        &self,
        subscribed: &SubscriptionState,
        uri: &str,
        asked: &mut BTreeSet<String>,
    ) -> Result<(), CallError> {
        if !asked.contains(uri) {
            self.say::<SubscribeResource>(subscribed, &ResourceUri::new(uri)).await?;
            asked.insert(uri.to_owned());
        }
        Ok(())
    }

    /// Unsubscribes from the resources that no subscription includes any more. The requests are made for one
    /// subscription.
    async fn give_up(&self, subscribed: &SubscriptionState, asked: &mut BTreeSet<String>) {
        let wanted: HashSet<String> = self
            .subscribed()
            .iter()
            .flat_map(|one| one.filter.lock().resource_subscriptions.clone())
            .collect();
        let unwanted: Vec<String> = asked.iter().filter(|uri| !wanted.contains(*uri)).cloned().collect();
        for uri in unwanted {
            asked.remove(&uri);
            let said = self.say::<UnsubscribeResource>(subscribed, &ResourceUri::new(&uri)).await;
            report(&uri, &said.map(drop));
        }
    }

    /// Sets the log level and the subscriptions at the server again each time the session was renewed, because the server had forgotten
    /// them. `renewals` counts the renewals, if the transport has sessions. Does not return while the connection is open.
    pub async fn keep(&self, renewals: Option<watch::Receiver<u64>>) {
        let Some(mut renewals) = renewals.filter(|_| !self.is_stateless()) else {
            return self.peer.closed().await;
        };
        let (mut failures, mut retry) = (0, None);
        loop {
            let is_renewal = tokio::select! {
                renewed = renewals.changed() => match renewed {
                    Ok(()) => true,
                    Err(_) => return self.peer.closed().await,
                },
                () = at(retry) => false,
                () = self.peer.closed() => return,
            };
            if is_renewal {
                failures = 0;
                for one in self.subscribed() {
                    one.listener.renewed();
                }
                self.tell_level_again().await;
            }
            failures += 1;
            let delay = self.ask_again(is_renewal, failures).await;
            retry = delay.and_then(|delay| Instant::now().checked_add(delay));
        }
    }

    /// Renews everything that the server has forgotten or, after the first attempt, the events that it refused. Returns the delay before
    /// the next attempt, if it refuses events.
    async fn ask_again(&self, is_renewal: bool, failures: u32) -> Option<Duration> {
        let mut asked = self.resources.asked.lock().await;
        if is_renewal {
            asked.clear();
        }
        let mut delay = None;
        for one in self.subscribed() {
            if is_renewal {
                let wanted = one.filter.lock().resource_subscriptions.clone();
                for uri in wanted {
                    report(&uri, &self.ask_for(&one, &uri, &mut asked).await);
                }
                one.events.forget();
            } else if one.events.is_for(one.wanted_events().as_ref()) {
                continue;
            }
            delay = delay.max(self.renew_events(&one, failures).await);
            let gap = if is_renewal { Gap::Renewal } else { Gap::None };
            one.listener.accepted(&one.accepted(&asked), gap).await;
        }
        delay
    }

    fn subscribed(&self) -> Vec<Arc<SubscriptionState>> {
        self.resources.subscribed.lock().iter().filter_map(Weak::upgrade).collect()
    }

    /// Sends a request of a subscription, and passes the notifications that belong to the request to its listener.
    pub(super) async fn say<C: Call>(
        &self,
        subscribed: &SubscriptionState,
        params: &C::Params,
    ) -> Result<C::Result, CallError> {
        let answered = async {
            let params = RawParams::from_value(params).map_err(CallError::Params)?;
            let mut call = self.peer.start(C::METHOD, params).await?;
            loop {
                match call.next().await {
                    CallEvent::Reply(reply) => {
                        let read = |error| CallError::Result { method: C::METHOD, error };
                        return reply.and_then(|result| result.decode().map_err(read));
                    }
                    CallEvent::Notification(notification) => subscribed.listener.hear(notification).await,
                }
            }
        };
        let limit = subscribed.limits.answer;
        match tokio::time::timeout(limit, answered).await {
            Ok(answered) => answered,
            Err(_) => {
                let message = format!("the server did not answer {} within {limit:?}", C::METHOD);
                Err(CallError::Peer(ErrorCode::Timeout.error(message)))
            }
        }
    }
}

/// A change of a subscription, which is undone if it is dropped.
struct Attempt<'a> {
    subscribed: &'a SubscriptionState,
    before: SubscriptionFilter,
    /// The part of `before` that the server reports.
    accepted: SubscriptionFilter,
    undone: bool,
}

impl<'a> Attempt<'a> {
    /// Begins a change. Notifications of the old and the new subscription are both received until its end.
    fn begin(
        subscribed: &'a SubscriptionState,
        wanted: SubscriptionFilter,
        asked: &BTreeSet<String>,
    ) -> Self {
        let accepted = subscribed.accepted(asked);
        subscribed.listener.listens_for(&either(accepted.clone(), &wanted));
        let before = std::mem::replace(&mut *subscribed.filter.lock(), wanted);
        Self { subscribed, before, accepted, undone: true }
    }

    fn keep(mut self) {
        self.undone = false;
    }
}

impl Drop for Attempt<'_> {
    fn drop(&mut self) {
        if self.undone {
            *self.subscribed.filter.lock() = std::mem::take(&mut self.before);
            self.subscribed.listener.listens_for(&self.accepted);
        }
    }
}

/// Returns the union of two filters.
fn either(mut one: SubscriptionFilter, other: &SubscriptionFilter) -> SubscriptionFilter {
    one.tools_list_changed |= other.tools_list_changed;
    one.prompts_list_changed |= other.prompts_list_changed;
    one.resources_list_changed |= other.resources_list_changed;
    one.resource_subscriptions.extend_from_slice(&other.resource_subscriptions);
    one
}

/// Logs the refusal of a resource.
fn report(uri: &str, answered: &Result<(), CallError>) {
    if let Err(error) = answered {
        tracing::warn!(uri, %error, "the server did not accept the subscription to a resource");
    }
}
