//! An event in the queues of its subscriptions.

use super::ChannelEvent;
use mgp_types::context::Principal;
use std::{fmt, sync::Arc};

/// The function that tells whether a subscription of a principal may hear of something.
pub(super) type MayHear = dyn Fn(Option<&Principal>) -> bool + Send + Sync;

/// An event in the queues of its subscriptions, which share it.
pub(super) struct Entry {
    pub(super) event: ChannelEvent,
    /// Asked when the event is queued and again when it is sent, because rights may be gone by then.
    pub(super) may_hear: Arc<MayHear>,
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.event.fmt(f)
    }
}
