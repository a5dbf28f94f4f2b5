//! Delivers events to their subscriptions.

use super::{
    ChannelEvent, EventSubscription,
    entry::{Entry, MayHear},
    subscription::SharedSubscription,
};
use mgp_types::{context::Principal, events::SubscribeParams};
use parking_lot::Mutex;
use std::{
    collections::HashSet,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};
use tokio::sync::watch;

/// A hub that delivers events to their subscriptions. Clones share one hub; its subscriptions end when the last clone is dropped.
///
/// ```
/// use mgp_stream::events::{ChannelEvent, EventHub};
/// use mgp_types::events::SubscribeParams;
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let hub = EventHub::new();
/// let mut builds = hub.subscribe(SubscribeParams::new(["build.*"]), None);
/// hub.publish(ChannelEvent {
///     channel: "build.finished".into(),
///     server_id: None,
///     timestamp: "2026-01-01T00:00:00Z".to_owned(),
///     severity: None,
///     data: None,
/// });
/// let event = builds.next("sub-1").await.unwrap();
/// assert_eq!((&*event.channel, event.place()), ("build.finished", Some(1)));
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct EventHub(Arc<Owner>);

/// The part of a hub that ends its subscriptions when it is dropped.
#[derive(Debug)]
struct Owner(Arc<HubState>);

/// The subscriptions of a hub.
#[derive(Debug)]
pub(super) struct HubState {
    subscriptions: Mutex<Vec<Arc<SharedSubscription>>>,
    /// The number of subscriptions, so that an event without subscribers costs one read.
    count: AtomicUsize,
    changes: watch::Sender<u64>,
}

impl HubState {
    fn change(&self, change: impl FnOnce(&mut Vec<Arc<SharedSubscription>>)) {
        let mut subscriptions = self.subscriptions.lock();
        change(&mut subscriptions);
        self.count.store(subscriptions.len(), Ordering::Release);
        drop(subscriptions);
        self.changes.send_modify(|changes| *changes += 1);
    }

    /// Removes a subscription.
    pub(super) fn leave(&self, subscription: &Arc<SharedSubscription>) {
        self.change(|all| all.retain(|known| !Arc::ptr_eq(known, subscription)));
    }

    /// Calls a function for each subscription, without holding the lock.
    fn each(&self, act: impl Fn(&SharedSubscription)) {
        let subscriptions = self.subscriptions.lock().clone();
        subscriptions.iter().for_each(|subscription| act(subscription));
    }
}

impl Default for EventHub {
    fn default() -> Self {
        Self::new()
    }
}

impl EventHub {
    /// Creates a hub without subscriptions.
    #[must_use]
    pub fn new() -> Self {
        let (subscriptions, count) = (Mutex::default(), AtomicUsize::new(0));
        Self(Arc::new(Owner(Arc::new(HubState { subscriptions, count, changes: watch::Sender::new(0) }))))
    }

    fn state(&self) -> &Arc<HubState> {
        &self.0.0
    }

    /// Returns whether the hub has a subscription.
    #[must_use]
    pub fn is_heard(&self) -> bool {
        self.state().count.load(Ordering::Acquire) > 0
    }

    /// Begins a subscription, of a principal if one is known. The params have been [checked](super::check_params).
    #[must_use]
    pub fn subscribe(&self, params: SubscribeParams, principal: Option<Principal>) -> EventSubscription {
        let subscription = EventSubscription::new(self.state().clone(), params, principal);
        self.state().change(|all| all.push(subscription.shared.clone()));
        subscription
    }

    /// Begins a passive subscription to all channels except some. No server is kept awake for it: see [`patterns_for`](Self::patterns_for).
    #[must_use]
    pub fn overhear(
        &self,
        except: &'static [&'static str],
        principal: Option<Principal>,
    ) -> EventSubscription {
        let subscription = EventSubscription::passive(self.state().clone(), except, principal);
        self.state().change(|all| all.push(subscription.shared.clone()));
        subscription
    }

    /// Returns whether any subscription takes the events of a channel.
    #[must_use]
    pub fn takes(&self, channel: &str) -> bool {
        self.state().subscriptions.lock().iter().any(|subscription| subscription.is_for(channel))
    }

    /// Delivers an event to all subscriptions that take it.
    pub fn publish(&self, event: ChannelEvent) {
        self.publish_to(event, |_| true);
    }

    /// Delivers an event to the subscriptions that take it and whose principals may receive it. `may_hear` is called again before the event
    /// is sent.
    pub fn publish_to(
        &self,
        event: ChannelEvent,
        may_hear: impl Fn(Option<&Principal>) -> bool + Send + Sync + 'static,
    ) {
        if self.is_heard() {
            let entry =
                Arc::new(Entry { event, may_hear: Arc::<MayHear>::from(Box::new(may_hear) as Box<MayHear>) });
            self.state().each(|subscription| subscription.offer(&entry));
        }
    }

    /// Records that events of a server were lost before they reached the hub. Each subscription that might have received them counts them as
    /// lost, because their channels are unknown.
    pub fn lost(&self, server_id: &str, count: u64, may_hear: impl Fn(Option<&Principal>) -> bool) {
        self.state().each(|subscription| {
            if subscription.filter.passes_server(Some(server_id)) && may_hear(subscription.principal.as_ref())
            {
                subscription.lose(count);
            }
        });
    }

    /// Records that events of a channel were lost before they reached the hub. Each subscription that takes the channel counts them as lost.
    pub fn lost_in(&self, channel: &str, count: u64, may_hear: impl Fn(Option<&Principal>) -> bool) {
        self.state().each(|subscription| {
            if subscription.is_for(channel) && may_hear(subscription.principal.as_ref()) {
                subscription.lose(count);
            }
        });
    }

    /// Returns patterns of the subscriptions that take a server's events and whose principals may receive them, each once, up to a limit. The
    /// first pattern of each subscription comes first, then the second of each, so that no subscription crowds out another. Passive
    /// subscriptions count only if `with_passive`.
    #[must_use]
    pub fn patterns_for(
        &self,
        server_id: &str,
        limit: usize,
        with_passive: bool,
        may_hear: impl Fn(Option<&Principal>) -> bool,
    ) -> Vec<String> {
        let mut subscriptions = self.state().subscriptions.lock().clone();
        subscriptions.retain(|subscription| {
            (with_passive || !subscription.is_passive)
                && subscription.filter.passes_server(Some(server_id))
                && may_hear(subscription.principal.as_ref())
        });
        let places = subscriptions.iter().map(|subscription| subscription.patterns.len()).max().unwrap_or(0);
        let mut known = HashSet::new();
        (0..places)
            .flat_map(|place| subscriptions.iter().filter_map(move |one| one.patterns.get(place)))
            .filter(|pattern| known.insert(*pattern))
            .take(limit)
            .cloned()
            .collect()
    }

    /// Returns a watch that changes with each subscription that begins or ends. It is closed when the last clone of the hub is dropped
    /// and the last subscription has ended.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.state().changes.subscribe()
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.0.each(SharedSubscription::close);
    }
}
