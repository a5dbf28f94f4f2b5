//! An event in the queues of its subscriptions.

use super::ChannelEvent;
use mgp_types::context::Principal;
use std::{fmt, sync::Arc};

/// The function that decides whether a principal's subscription may receive an event.
pub(super) type MayHear = dyn Fn(Option<&Principal>) -> bool + Send + Sync;

/// An event in the queues of its subscriptions, which share it.
pub(super) struct Entry {
    pub(super) event: ChannelEvent,
    /// Called when the event is queued and again when it is sent, because rights may have been revoked by then.
    pub(super) may_hear: Arc<MayHear>,
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.event.fmt(f)
    }
}
