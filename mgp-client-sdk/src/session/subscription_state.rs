//! The subscriptions of a session, as far as the session keeps them.

use super::listener::{ListenLimits, Listener};
use mgp_types::{
    events::{SubscribeParams, SubscribeResult},
    mcp::{MgpFilter, SubscriptionFilter},
};
use parking_lot::Mutex;
use std::{
    collections::BTreeSet,
    sync::{Arc, Weak},
};

/// The resources that are subscribed to at a session's server, and the subscriptions that include them.
#[derive(Debug, Default)]
pub(super) struct Resources {
    /// Locked during requests to the server, so that they are sent in the order of the changes.
    pub(super) asked: tokio::sync::Mutex<BTreeSet<String>>,
    pub(super) subscribed: Mutex<Vec<Weak<SubscriptionState>>>,
}

/// A subscription of a session.
pub(super) struct SubscriptionState {
    pub(super) listener: Arc<dyn Listener>,
    pub(super) limits: ListenLimits,
    pub(super) filter: Mutex<SubscriptionFilter>,
    /// The server's subscription to events for this one.
    pub(super) events: HeldEvents,
}

impl SubscriptionState {
    /// Returns the wanted events.
    pub(super) fn wanted_events(&self) -> Option<SubscribeParams> {
        self.filter.lock().mgp.as_ref()?.events.clone()
    }

    /// Removes the events from the subscription.
    pub(super) fn give_up_events(&self) {
        self.filter.lock().mgp = None;
    }

    /// Returns the wanted subscription, with those of its resources that the server reports.
    pub(super) fn accepted(&self, asked: &BTreeSet<String>) -> SubscriptionFilter {
        let mut filter = self.filter.lock().clone();
        filter.resource_subscriptions.retain(|uri| asked.contains(uri));
        filter.mgp =
            self.events.accepted().map(|events| MgpFilter { events: Some(events), ..MgpFilter::default() });
        filter
    }
}

/// The server's subscription to events for a subscription of this side.
#[derive(Debug, Default)]
pub(super) struct HeldEvents(pub(super) Mutex<Option<HeldSubscription>>);

/// A subscription that the server accepted.
#[derive(Debug)]
pub(super) struct HeldSubscription {
    pub(super) params: SubscribeParams,
    pub(super) result: SubscribeResult,
}

impl HeldEvents {
    /// Returns the requested subscription, with the channels that the server has.
    pub(super) fn accepted(&self) -> Option<SubscribeParams> {
        let held = self.0.lock();
        let HeldSubscription { params, result } = held.as_ref()?;
        Some(SubscribeParams { channels: result.subscribed.clone(), ..params.clone() })
    }

    /// Forgets the subscription, because the server has forgotten it.
    pub(super) fn forget(&self) {
        *self.0.lock() = None;
    }

    pub(super) fn is_for(&self, wanted: Option<&SubscribeParams>) -> bool {
        self.0.lock().as_ref().map(|held| &held.params) == wanted
    }
}
