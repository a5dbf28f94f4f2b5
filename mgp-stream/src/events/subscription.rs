//! A subscription to events.

use super::{
    entry::Entry,
    hub::HubState,
    queue::{NumberedEvent, Queue},
};
use jiff::Timestamp;
use mgp_types::{
    context::Principal,
    events::{EventFilter, EventParams, SUBSCRIPTION_ENDED, SubscribeParams, WantedData, matches_channel},
    json::{RawJson, RawObject},
};
use parking_lot::Mutex;
use std::{sync::Arc, time::Duration};
use tokio::{sync::Notify, time::Instant};

/// A subscription to the events of an [`EventHub`](super::EventHub), which ends when it is dropped.
#[derive(Debug)]
pub struct EventSubscription {
    pub(super) shared: Arc<SharedSubscription>,
    /// The hub's count of its subscriptions.
    pub(super) hub: Arc<HubState>,
    /// The time at which the subscription ends by itself.
    end: Option<Instant>,
}

/// The part of a subscription that its hub sees.
#[derive(Debug)]
pub(super) struct SharedSubscription {
    pub(super) patterns: Vec<String>,
    /// The channels that the subscription does not take, regardless of its patterns.
    except: &'static [&'static str],
    /// True if no server is to be kept awake for the subscription.
    pub(super) is_passive: bool,
    pub(super) filter: EventFilter,
    wanted: WantedData,
    pub(super) principal: Option<Principal>,
    queue: Mutex<Queue>,
    /// Wakes the reader.
    rings: Notify,
}

impl SharedSubscription {
    fn new(params: SubscribeParams, principal: Option<Principal>) -> Self {
        let filter = params.filter.unwrap_or_default();
        Self {
            patterns: params.channels,
            except: &[],
            is_passive: false,
            wanted: filter.wanted_data(),
            filter,
            principal,
            queue: Mutex::default(),
            rings: Notify::new(),
        }
    }

    /// Queues an event if it is subscribed to, passes the filter, and may be received by the principal.
    pub(super) fn offer(&self, entry: &Arc<Entry>) {
        let event = &entry.event;
        let is_wanted = self.is_for(&event.channel)
            && self.filter.passes_severity(event.severity)
            && self.filter.passes_server(event.server_id.as_deref())
            && self.wanted.is_in(event.data.as_ref());
        if is_wanted && (entry.may_hear)(self.principal.as_ref()) {
            self.queue.lock().push(entry.clone());
            self.rings.notify_one();
        }
    }

    /// Returns whether the subscription takes events of a channel.
    pub(super) fn is_for(&self, channel: &str) -> bool {
        !self.except.contains(&channel)
            && self.patterns.iter().any(|pattern| matches_channel(pattern, channel))
    }

    /// Counts events that were lost.
    pub(super) fn lose(&self, count: u64) {
        self.queue.lock().lose(count);
    }

    pub(super) fn close(&self) {
        self.queue.lock().closed = true;
        self.rings.notify_one();
    }
}

impl EventSubscription {
    pub(super) fn new(hub: Arc<HubState>, params: SubscribeParams, principal: Option<Principal>) -> Self {
        let end = params.ttl_seconds.and_then(|ttl| Instant::now().checked_add(Duration::from_secs(ttl)));
        Self { shared: Arc::new(SharedSubscription::new(params, principal)), hub, end }
    }

    /// Creates a passive subscription to all channels but some.
    pub(super) fn passive(
        hub: Arc<HubState>,
        except: &'static [&'static str],
        principal: Option<Principal>,
    ) -> Self {
        let all = SharedSubscription::new(SubscribeParams::new(["*"]), principal);
        let shared = SharedSubscription { except, is_passive: true, ..all };
        Self { shared: Arc::new(shared), hub, end: None }
    }

    /// Waits for the next event, and gives it the subscription's id. Returns `None` once the hub is gone or the subscription has expired.
    /// Events that are queued by then are still returned; none are added.
    pub async fn next(&mut self, id: &str) -> Option<EventParams> {
        loop {
            if self.end.is_some_and(|end| end <= Instant::now()) {
                self.shared.queue.lock().closed = true;
            }
            if let Some(event) = self.take(id) {
                return Some(event);
            }
            if self.shared.queue.lock().closed {
                return None;
            }
            match self.end {
                None => self.shared.rings.notified().await,
                // The time is checked above.
                Some(end) => drop(tokio::time::timeout_at(end, self.shared.rings.notified()).await),
            }
        }
    }

    /// Returns the event that reports the expiry of the subscription to its subscriber, or `None` while the subscription has not expired.
    pub(super) fn last(&self, id: &str) -> Option<EventParams> {
        if self.end.is_none_or(|end| end > Instant::now()) {
            return None;
        }
        let (seq, lost) = self.shared.queue.lock().end();
        let reason: RawObject = [("reason", RawJson::string("ttl_seconds"))].into_iter().collect();
        Some(EventParams {
            subscription_id: id.to_owned(),
            channel: SUBSCRIPTION_ENDED.to_owned(),
            server_id: None,
            timestamp: format!("{:.3}", Timestamp::now()),
            severity: None,
            data: Some(reason.to_json()),
            mgp: EventParams::metadata(Some(seq), lost),
            flat_seq: None,
            flat_dropped: None,
        })
    }

    /// Takes the next event that the principal may still receive.
    fn take(&self, id: &str) -> Option<EventParams> {
        loop {
            let NumberedEvent { seq, entry, lost } = self.shared.queue.lock().pop()?;
            // Not under the lock, because the function may look up rights.
            if !(entry.may_hear)(self.shared.principal.as_ref()) {
                self.shared.queue.lock().lose(lost.saturating_add(1));
                continue;
            }
            let event = &entry.event;
            return Some(EventParams {
                subscription_id: id.to_owned(),
                channel: event.channel.to_string(),
                server_id: event.server_id.as_deref().map(str::to_owned),
                timestamp: event.timestamp.clone(),
                severity: event.severity,
                data: event.data.clone(),
                mgp: EventParams::metadata(Some(seq), lost),
                flat_seq: None,
                flat_dropped: None,
            });
        }
    }
}

impl Drop for EventSubscription {
    fn drop(&mut self) {
        self.hub.leave(&self.shared);
    }
}
