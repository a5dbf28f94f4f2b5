//! Delivers the events of a subscription to its reader.

use crate::{
    client::{caller::Caller, event_queue::EventQueue},
    session::{Gap, Listener},
};
use futures_util::{FutureExt, future::BoxFuture};
use mgp_transport::seam::{CallError, Notification};
use mgp_types::{
    events::{Event, EventParams},
    mcp::SubscriptionFilter,
    rpc::Notice,
};
use std::sync::Arc;

/// The delivery of the events of a subscription to its reader.
pub(super) struct EventListener {
    pub(super) caller: Caller,
    pub(super) queue: Arc<EventQueue>,
}

impl Listener for EventListener {
    fn hear(&self, notification: Notification) -> BoxFuture<'_, ()> {
        if *notification.method == *Event::METHOD {
            match notification.params.decode::<EventParams>() {
                Ok(event) => self.queue.take(event),
                Err(error) => tracing::debug!(%error, "unreadable event ignored"),
            }
        }
        self.caller.hear(notification, None).boxed()
    }

    fn accepted<'a>(&'a self, filter: &'a SubscriptionFilter, gap: Gap) -> BoxFuture<'a, ()> {
        let events = filter.mgp.as_ref().and_then(|mgp| mgp.events.clone());
        self.queue.accepted(events, gap == Gap::Break);
        std::future::ready(()).boxed()
    }

    fn events_come_as(&self, subscription_id: &str) {
        self.queue.comes_as(subscription_id);
    }

    fn renewed(&self) {
        self.queue.renewed();
    }

    fn ended(&self, error: CallError) {
        self.queue.end(error);
    }
}
