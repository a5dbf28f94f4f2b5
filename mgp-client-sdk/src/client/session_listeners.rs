//! The subscriptions that receive the notifications of a session.

use super::{changes::Changes, event_queue::EventQueue};
use mgp_types::{
    events::{Event, EventParams},
    rpc::{Notice, RawParams},
};
use parking_lot::Mutex;
use std::sync::{Arc, Weak};

/// The subscriptions that receive the notifications of a session, in the era of `initialize`. Clones share the same
/// subscriptions.
#[derive(Debug, Clone, Default)]
pub(super) struct SessionListeners(Arc<Mutex<Listeners>>);

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
    pub(super) fn join_events(&self, queue: &Arc<EventQueue>) {
        let listeners = &mut self.0.lock().events;
        listeners.retain(|known| known.strong_count() > 0);
        listeners.push(Arc::downgrade(queue));
    }

    /// Passes a notification of the session to all subscriptions.
    pub(super) fn tell(&self, method: &str, params: &RawParams) {
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
