//! Delivers the changes of a subscription to its reader.

use super::changes::Changes;
use crate::{
    client::{caller::Caller, events::EventQueue},
    session::{Gap, Listener},
};
use futures_util::{FutureExt, future::BoxFuture};
use mgp_transport::seam::{CallError, Notification};
use mgp_types::{
    events::{Event, EventParams},
    mcp::SubscriptionFilter,
    rpc::{Notice, RawParams},
};
use parking_lot::Mutex;
use std::sync::{Arc, Weak};

/// The delivery of the changes of a subscription to its reader.
pub(super) struct ChangesListener {
    pub(super) caller: Caller,
    pub(super) changes: Arc<Changes>,
}

impl Listener for ChangesListener {
    fn hear(&self, notification: Notification) -> BoxFuture<'_, ()> {
        // The cache is updated before the change is reported, because a reader of the change requests the data again.
        self.caller.cache.hear(&notification.method);
        self.changes.take(&notification.method, &notification.params);
        self.caller.hear(notification, None).boxed()
    }

    fn accepted<'a>(&'a self, filter: &'a SubscriptionFilter, gap: Gap) -> BoxFuture<'a, ()> {
        self.changes.set_filter(filter.clone());
        if matches!(gap, Gap::Break | Gap::Renewal) {
            self.caller.cache.clear();
            self.changes.all();
        }
        std::future::ready(()).boxed()
    }

    fn listens_for(&self, filter: &SubscriptionFilter) {
        self.changes.set_filter(filter.clone());
    }

    fn ended(&self, error: CallError) {
        self.changes.end(error);
    }
}

/// The subscriptions that receive the notifications of a session, in the era of `initialize`. Clones share the same
/// subscriptions.
#[derive(Debug, Clone, Default)]
pub(in crate::client) struct SessionListeners(Arc<Mutex<Listeners>>);

#[derive(Debug, Default)]
struct Listeners {
    changes: Vec<Weak<Changes>>,
    events: Vec<Weak<EventQueue>>,
}

impl SessionListeners {
    /// Adds a subscription, which receives the session's notifications for as long as it lives.
    pub(super) fn join(&self, changes: &Arc<Changes>) {
        let listeners = &mut self.0.lock().changes;
        listeners.retain(|known| known.strong_count() > 0);
        listeners.push(Arc::downgrade(changes));
    }

    /// Adds a subscription to events, which receives those of the session for as long as it lives.
    pub(in crate::client) fn join_events(&self, queue: &Arc<EventQueue>) {
        let listeners = &mut self.0.lock().events;
        listeners.retain(|known| known.strong_count() > 0);
        listeners.push(Arc::downgrade(queue));
    }

    /// Passes a notification of the session to all subscriptions.
    pub(in crate::client) fn tell(&self, method: &str, params: &RawParams) {
        let listeners = self.0.lock();
        if method == Event::METHOD {
            let queues: Vec<_> = listeners.events.iter().filter_map(Weak::upgrade).collect();
            match params.decode::<EventParams>() {
                Ok(event) => queues.iter().for_each(|queue| queue.take_named(&event)),
                Err(error) => tracing::debug!(%error, "unreadable event ignored"),
            }
            return;
        }
        for changes in listeners.changes.iter().filter_map(Weak::upgrade) {
            changes.take(method, params);
        }
    }
}
