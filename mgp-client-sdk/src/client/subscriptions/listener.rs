//! Delivers the changes of a subscription to its reader.

use crate::{
    client::{caller::Caller, changes::Changes},
    session::{Gap, Listener},
};
use futures_util::{FutureExt, future::BoxFuture};
use mgp_transport::seam::{CallError, Notification};
use mgp_types::mcp::SubscriptionFilter;
use std::sync::Arc;

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
