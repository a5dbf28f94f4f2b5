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
    /// The events with their numbers.
    events: VecDeque<(u64, Arc<Entry>)>,
    bytes: usize,
    /// The number of the next event.
    seq: u64,
    /// The number of events that were lost since the last one that was taken out.
    lost: u64,
    /// True once no more events come.
    pub(super) closed: bool,
}

/// An event that was taken out, with its number in the subscription.
#[derive(Debug)]
pub(super) struct NumberedEvent {
    pub(super) seq: u64,
    pub(super) entry: Arc<Entry>,
    /// The number of events that were lost before this one, and that no earlier event reported.
    pub(super) lost: u64,
}

impl Default for Queue {
    fn default() -> Self {
        Self { events: VecDeque::new(), bytes: 0, seq: 1, lost: 0, closed: false }
    }
}

impl Queue {
    /// Adds an event, unless the queue is closed.
    pub(super) fn push(&mut self, entry: Arc<Entry>) {
        if self.closed {
            return;
        }
        self.bytes += entry.event.size();
        self.events.push_back((self.seq, entry));
        self.seq += 1;
        while self.events.len() > MAX_QUEUED || (self.bytes > MAX_QUEUED_BYTES && self.events.len() > 1) {
            self.take_oldest();
            self.lose(1);
        }
    }

    /// Takes the oldest event out, with the number of those that were lost before it.
    pub(super) fn pop(&mut self) -> Option<NumberedEvent> {
        let (seq, entry) = self.take_oldest()?;
        Some(NumberedEvent { seq, entry, lost: std::mem::take(&mut self.lost) })
    }

    fn take_oldest(&mut self) -> Option<(u64, Arc<Entry>)> {
        let (seq, entry) = self.events.pop_front()?;
        self.bytes -= entry.event.size();
        Some((seq, entry))
    }

    /// Closes the queue. Returns the number of a last event, and the count of events lost before it.
    pub(super) fn end(&mut self) -> (u64, u64) {
        self.closed = true;
        (self.seq, std::mem::take(&mut self.lost))
    }

    /// Counts events that were lost.
    pub(super) fn lose(&mut self, count: u64) {
        self.lost = self.lost.saturating_add(count);
    }
}
