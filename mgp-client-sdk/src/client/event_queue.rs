//! A queue of the unread events of a subscription.

use mgp_transport::seam::CallError;
use mgp_types::{
    events::{EventParams, SubscribeParams},
    json::RawObject,
};
use parking_lot::Mutex;
use std::collections::VecDeque;
use tokio::sync::Notify;

/// The maximum number of unread events of a subscription.
const MAX_UNREAD: usize = 1024;
/// The maximum size of unread events of a subscription, in bytes; a single event may be longer. The same limit applies until the server has
/// announced its subscription id.
const MAX_UNREAD_BYTES: usize = 4 * 1024 * 1024;
/// The maximum number of events that are kept until the server has announced its subscription id.
const MAX_EARLY: usize = 256;

/// An item of an [`EventStream`](super::EventStream).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum EventItem {
    /// An event.
    Event(EventParams),
    /// This number of events was lost, because they were not read in time, here or in transit; `None` if the subscription broke and was
    /// renewed, and the number is unknown.
    Missed(Option<u64>),
}

/// A queue of the unread events of a subscription. A full queue loses its oldest events, and reports their number.
#[derive(Debug, Default)]
pub(in crate::client) struct EventQueue {
    state: Mutex<State>,
    /// Wakes the reader.
    rings: Notify,
}

#[derive(Debug, Default)]
struct State {
    items: VecDeque<EventItem>,
    /// The length of the events in `items`.
    bytes: usize,
    /// The subscription id of the server's events, in the era of `initialize`.
    id: Option<String>,
    /// Events that arrived before their id was known.
    early: VecDeque<EventParams>,
    /// The length of the events in `early`.
    early_bytes: usize,
    /// The number of the latest event.
    latest: u64,
    accepted: Option<SubscribeParams>,
    /// The reason why there are no more events.
    end: Option<CallError>,
}

impl EventQueue {
    /// Adds an event that certainly belongs to this subscription.
    pub(super) fn take(&self, event: EventParams) {
        // The stream ends by its own clock.
        if event.is_end() {
            return;
        }
        self.state.lock().push(event);
        self.rings.notify_one();
    }

    /// Adds an event of the session, if it belongs to this subscription or may turn out to.
    pub(in crate::client) fn take_named(&self, event: &EventParams) {
        if event.is_end() {
            return;
        }
        let mut state = self.state.lock();
        match &state.id {
            Some(id) if *id == event.subscription_id => state.push(event.clone()),
            None => {
                state.early_bytes += size(event);
                state.early.push_back(event.clone());
                while state.early.len() > MAX_EARLY
                    || (state.early_bytes > MAX_UNREAD_BYTES && state.early.len() > 1)
                {
                    // A gap in the numbers reveals the loss.
                    let lost = state.early.pop_front();
                    state.early_bytes -= lost.as_ref().map_or(0, size);
                }
            }
            Some(_) => return,
        }
        drop(state);
        self.rings.notify_one();
    }

    /// Sets the subscription id of the following events.
    pub(super) fn comes_as(&self, id: &str) {
        let mut state = self.state.lock();
        state.id = Some(id.to_owned());
        (state.latest, state.early_bytes) = (0, 0);
        for event in std::mem::take(&mut state.early) {
            if event.subscription_id == id {
                state.push(event);
            }
        }
        drop(state);
        self.rings.notify_one();
    }

    /// Notes that the session was renewed, so that the id will change.
    pub(super) fn renewed(&self) {
        let mut state = self.state.lock();
        state.id = None;
        state.broke();
        drop(state);
        self.rings.notify_one();
    }

    /// Sets the channels that the server reports from now on, and whether events were missed before.
    pub(super) fn accepted(&self, accepted: Option<SubscribeParams>, was_broken: bool) {
        let mut state = self.state.lock();
        state.accepted = accepted;
        if was_broken {
            state.broke();
        }
        drop(state);
        self.rings.notify_one();
    }

    /// Returns the channels that the server reports.
    pub(super) fn channels(&self) -> Vec<String> {
        self.state.lock().accepted.as_ref().map(|accepted| accepted.channels.clone()).unwrap_or_default()
    }

    /// Ends the queue, with the reason.
    pub(super) fn end(&self, error: CallError) {
        self.state.lock().end.get_or_insert(error);
        self.rings.notify_one();
    }

    /// Waits for the next item. Events from before the end are returned before the error.
    pub(super) async fn next(&self) -> Result<EventItem, CallError> {
        loop {
            {
                let mut state = self.state.lock();
                if let Some(item) = state.pop() {
                    return Ok(item);
                }
                if let Some(error) = &state.end {
                    return Err(error.clone());
                }
            }
            self.rings.notified().await;
        }
    }
}

impl State {
    /// Adds an event, unless the queue has ended.
    fn push(&mut self, event: EventParams) {
        if self.end.is_some() {
            return;
        }
        let place = event.place();
        // Without numbers, only the sender's own count is available.
        let gap = place.map_or(0, |place| place.saturating_sub(self.latest.saturating_add(1)));
        self.latest = place.unwrap_or(self.latest);
        let lost = gap.max(event.lost());
        if lost > 0 {
            self.items.push_back(EventItem::Missed(Some(lost)));
        }
        self.bytes += size(&event);
        self.items.push_back(EventItem::Event(event));
        if self.items.len() > MAX_UNREAD || self.bytes > MAX_UNREAD_BYTES {
            self.shorten();
        }
    }

    fn pop(&mut self) -> Option<EventItem> {
        let item = self.items.pop_front()?;
        if let EventItem::Event(event) = &item {
            self.bytes -= size(event);
        }
        Some(item)
    }

    /// Notes that an unknown number of events was missed. The numbers are reset.
    fn broke(&mut self) {
        self.latest = 0;
        if self.end.is_none() && self.items.back() != Some(&EventItem::Missed(None)) {
            self.items.push_back(EventItem::Missed(None));
        }
    }

    /// Drops the oldest half, so that not every further event causes a loss.
    fn shorten(&mut self) {
        let mut lost = Some(0u64);
        while self.items.len() > 1
            && (self.items.len() > MAX_UNREAD / 2 + 1 || self.bytes > MAX_UNREAD_BYTES / 2)
        {
            let more = match self.pop() {
                Some(EventItem::Missed(count)) => count,
                _ => Some(1),
            };
            lost = lost.zip(more).map(|(lost, more)| lost.saturating_add(more));
        }
        if lost != Some(0) {
            self.items.push_front(EventItem::Missed(lost));
        }
    }
}

/// Returns the size of an event, in bytes.
fn size(event: &EventParams) -> usize {
    let EventParams { subscription_id, channel, server_id, timestamp, data, mgp, .. } = event;
    let data = data.as_ref().map_or(0, |data| data.as_bytes().len());
    let mgp = mgp.iter().flat_map(RawObject::iter).map(|(key, value)| key.len() + value.as_bytes().len());
    let server = server_id.as_ref().map_or(0, String::len);
    subscription_id.len() + channel.len() + server + timestamp.len() + data + mgp.sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;
    use mgp_types::json::RawJson;

    fn event(id: &str, seq: u64, flat_dropped: Option<u64>) -> EventParams {
        let text = format!(r#"{{"subscription_id":"{id}","channel":"c","timestamp":"t","_mgp.seq":{seq}}}"#);
        EventParams { flat_dropped, ..serde_json::from_str(&text).unwrap() }
    }

    /// Returns what can be read: the number of each event, and each loss in brackets.
    fn read(queue: &EventQueue) -> Vec<String> {
        let mut read = Vec::new();
        while let Some(item) = queue.next().now_or_never() {
            read.push(match item.unwrap() {
                EventItem::Event(event) => event.place().unwrap().to_string(),
                EventItem::Missed(count) => format!("({count:?})"),
            });
        }
        read
    }

    #[test]
    fn lost_events_are_reported_before_the_next_event() {
        let queue = EventQueue::default();
        for (seq, dropped) in [(1, None), (4, Some(2)), (5, Some(3)), (7, None)] {
            queue.take(event("s", seq, dropped));
        }
        assert_eq!(read(&queue), ["1", "(Some(2))", "4", "(Some(3))", "5", "(Some(1))", "7"]);
    }

    #[test]
    fn the_end_of_a_subscription_is_not_an_item() {
        let queue = EventQueue::default();
        queue.comes_as("s");
        let last =
            |seq| EventParams { channel: "system.subscription_ended".to_owned(), ..event("s", seq, None) };
        queue.take_named(&event("s", 1, None));
        queue.take_named(&last(2));
        queue.take(last(2));
        assert_eq!(read(&queue), ["1"]);
    }

    #[test]
    fn an_unread_queue_drops_its_oldest_events_and_counts_them() {
        let queue = EventQueue::default();
        for seq in 1..=MAX_UNREAD as u64 + 1 {
            queue.take(event("s", seq, None));
        }
        let read = read(&queue);
        assert_eq!(&read[..2], ["(Some(512))", "513"]);
        assert_eq!((read.len(), read.last().map(String::as_str)), (514, Some("1025")));
    }

    #[test]
    fn long_events_are_dropped_and_counted_before_memory_fills() {
        let queue = EventQueue::default();
        let long = RawJson::string(&"x".repeat(MAX_UNREAD_BYTES / 8));
        let long = |seq| EventParams { data: Some(long.clone()), ..event("s", seq, None) };
        for seq in 1..=9 {
            queue.take(long(seq));
        }
        // A single event may be longer than all others together.
        queue.take(EventParams {
            data: Some(RawJson::string(&"x".repeat(2 * MAX_UNREAD_BYTES))),
            ..event("s", 10, None)
        });
        assert_eq!(read(&queue), ["(Some(9))", "10"]);
        assert_eq!(queue.state.lock().bytes, 0);
        for seq in 11..=18 {
            queue.take(long(seq));
        }
        assert_eq!(read(&queue), ["(Some(5))", "16", "17", "18"]);
    }

    #[test]
    fn long_events_before_their_id_is_known_are_dropped_too() {
        let queue = EventQueue::default();
        let long = RawJson::string(&"x".repeat(MAX_UNREAD_BYTES / 2));
        for seq in 1..=3 {
            queue.take_named(&EventParams { data: Some(long.clone()), ..event("mine", seq, None) });
        }
        queue.comes_as("mine");
        assert_eq!(read(&queue), ["(Some(2))", "3"]);
    }

    #[test]
    fn early_events_are_kept_and_those_of_others_are_ignored() {
        let queue = EventQueue::default();
        queue.take_named(&event("mine", 1, None));
        queue.take_named(&event("other", 1, None));
        queue.comes_as("mine");
        queue.take_named(&event("other", 2, None));
        queue.take_named(&event("mine", 2, None));
        assert_eq!(read(&queue), ["1", "2"]);
    }

    #[test]
    fn nothing_follows_the_end() {
        let queue = EventQueue::default();
        queue.take(event("s", 1, None));
        queue.end(CallError::Unreadable("over".to_owned()));
        queue.take(event("s", 2, None));
        queue.renewed();
        assert!(matches!(queue.next().now_or_never(), Some(Ok(EventItem::Event(_)))));
        assert!(matches!(queue.next().now_or_never(), Some(Err(_))));
    }

    #[test]
    fn numbering_restarts_after_a_break() {
        let queue = EventQueue::default();
        queue.take(event("s", 1, None));
        queue.take(event("s", 2, None));
        queue.accepted(None, true);
        queue.take(event("s", 1, None));
        assert_eq!(read(&queue), ["1", "2", "(None)", "1"]);
    }
}
