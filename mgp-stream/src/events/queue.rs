//! The unread events of one subscription.

use super::entry::Entry;
use std::{collections::VecDeque, sync::Arc};

/// The most events that wait for one subscription.
pub(super) const MAX_QUEUED: usize = 256;
/// The most bytes of events that wait for one subscription; a single event may be longer.
pub(super) const MAX_QUEUED_BYTES: usize = 1024 * 1024;

/// A queue of the unread events of one subscription. A full queue loses its oldest event.
#[derive(Debug)]
pub(super) struct Queue {
    events: VecDeque<NumberedEvent>,
    bytes: usize,
    /// The number of the next event.
    seq: u64,
    /// The number of events that were lost since the last one that was taken out.
    lost: u64,
    /// True once no more events come.
    pub(super) closed: bool,
}

/// An event with its number in a subscription.
#[derive(Debug)]
pub(super) struct NumberedEvent {
    pub(super) seq: u64,
    pub(super) entry: Arc<Entry>,
}

impl Default for Queue {
    fn default() -> Self {
        Self { events: VecDeque::new(), bytes: 0, seq: 1, lost: 0, closed: false }
    }
}

impl Queue {
    pub(super) fn push(&mut self, entry: Arc<Entry>) {
        self.bytes += entry.event.size();
        self.events.push_back(NumberedEvent { seq: self.seq, entry });
        self.seq += 1;
        while self.events.len() > MAX_QUEUED || (self.bytes > MAX_QUEUED_BYTES && self.events.len() > 1) {
            self.pop();
            self.lost += 1;
        }
    }

    pub(super) fn pop(&mut self) -> Option<NumberedEvent> {
        let event = self.events.pop_front()?;
        self.bytes -= event.entry.event.size();
        Some(event)
    }

    /// Counts events that were lost.
    pub(super) fn lose(&mut self, count: u64) {
        self.lost = self.lost.saturating_add(count);
    }

    /// Takes the number of lost events, which the next event tells.
    pub(super) fn take_lost(&mut self) -> Option<u64> {
        Some(std::mem::take(&mut self.lost)).filter(|lost| *lost > 0)
    }
}
