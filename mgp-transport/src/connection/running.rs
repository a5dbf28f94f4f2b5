//! Requests of the other side that are admitted and not answered yet.

use crate::{
    seam::{CancelCause, CancelToken},
    sync::wait_until,
};
use mgp_types::rpc::RequestId;
use parking_lot::Mutex;
use std::collections::{BTreeMap, btree_map::Entry};
use tokio::sync::Notify;

/// Requests of the other side by id.
#[derive(Debug)]
pub(super) struct RunningRequests {
    held: Mutex<RequestTable>,
    limit: usize,
    max_bytes: usize,
    idle: Notify,
}

#[derive(Debug, Default)]
struct RequestTable {
    requests: BTreeMap<RequestId, Admission>,
    /// True once a request had an integer as its id.
    has_integers: bool,
    /// True once a request had an integer in another form as its id, such as `"7"`.
    has_other_forms: bool,
    /// The total length of the params of all requests, and of the notifications that wait, in bytes.
    bytes: usize,
    /// True while a task waits until no request runs: it is notified when the last request ends.
    is_awaited: bool,
}

#[derive(Debug)]
struct Admission {
    cancel: CancelToken,
    bytes: usize,
}

/// The reason that a request was not admitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AdmissionError {
    /// Another request with the same id still runs.
    SameId,
    /// Too many requests run, or the total length of their params is too long.
    TooMany,
}

impl RunningRequests {
    /// Creates an empty set with room for `limit` requests, whose params have at most `max_bytes` in total.
    pub(super) fn new(limit: usize, max_bytes: usize) -> Self {
        Self { held: Mutex::default(), limit, max_bytes, idle: Notify::new() }
    }

    /// Admits a request whose params have `bytes` bytes. `beside` is the room above the limit for requests of the lane, which the
    /// limit must not delay. It is 0 for other requests.
    pub(super) fn admit(
        &self,
        id: RequestId,
        bytes: usize,
        beside: usize,
    ) -> Result<CancelToken, AdmissionError> {
        let mut held = self.held.lock();
        held.note_form(&id);
        let full = held.requests.len() >= self.limit + beside
            || (beside == 0 && !held.has_room(bytes, self.max_bytes));
        match held.requests.entry(id) {
            Entry::Occupied(_) => Err(AdmissionError::SameId),
            Entry::Vacant(_) if full => Err(AdmissionError::TooMany),
            Entry::Vacant(place) => {
                let cancel = CancelToken::new();
                place.insert(Admission { cancel: cancel.clone(), bytes });
                held.bytes += bytes;
                Ok(cancel)
            }
        }
    }

    pub(super) fn remove(&self, id: &RequestId) {
        let is_told = {
            let mut held = self.held.lock();
            if let Some(Admission { bytes, .. }) = held.requests.remove(id) {
                held.bytes -= bytes;
            }
            held.is_awaited && held.requests.is_empty()
        };
        if is_told {
            self.idle.notify_waiters();
        }
    }

    /// Counts a notification that has to wait. Returns `false` if there is no room for it.
    pub(super) fn hold(&self, bytes: usize) -> bool {
        let mut held = self.held.lock();
        let room = held.has_room(bytes, self.max_bytes);
        if room {
            held.bytes += bytes;
        }
        room
    }

    /// Removes a notification that waited.
    pub(super) fn release(&self, bytes: usize) {
        self.held.lock().bytes -= bytes;
    }

    /// Returns the token of the request with this id. Some peers name a request by another form of its number, such as `"7"` for 7.
    pub(super) fn token(&self, id: &RequestId) -> Option<CancelToken> {
        let held = self.held.lock();
        let admission = held.requests.get(id).or_else(|| held.in_other_form(id));
        admission.map(|admission| admission.cancel.clone())
    }

    pub(super) fn count(&self) -> usize {
        self.held.lock().requests.len()
    }

    /// Waits until no request runs.
    pub(super) async fn idle(&self) {
        self.held.lock().is_awaited = true;
        wait_until(&self.idle, || self.count() == 0).await;
    }

    pub(super) fn cancel_all(&self, cause: CancelCause) {
        let tokens: Vec<_> =
            self.held.lock().requests.values().map(|admission| admission.cancel.clone()).collect();
        for token in tokens {
            token.cancel(cause);
        }
    }
}

impl RequestTable {
    /// Records the form of a request's id.
    fn note_form(&mut self, id: &RequestId) {
        if id.as_i64().is_some() {
            self.has_integers = true;
        } else if !self.has_other_forms {
            self.has_other_forms = id.number().is_some();
        }
    }

    /// Returns the request whose id is another form of the same number. Returns `None` if a peer uses both forms. Each form may
    /// then be the id of a different request, which may already be answered.
    fn in_other_form(&self, id: &RequestId) -> Option<&Admission> {
        if self.has_integers && self.has_other_forms {
            return None;
        }
        let mut same = self.requests.iter().filter(|(running, _)| id.answers(running));
        let (_, admission) = same.next()?;
        same.next().is_none().then_some(admission)
    }

    fn has_room(&self, bytes: usize, max: usize) -> bool {
        self.bytes == 0 || self.bytes + bytes <= max
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_types::json::RawJson;

    fn id(text: &str) -> RequestId {
        RequestId::from_json(&RawJson::parse(text.to_owned()).unwrap()).unwrap()
    }

    #[test]
    fn another_form_of_an_id_matches_only_a_peer_with_one_form() {
        for (sent, answered, named, is_found) in [
            (&["7"][..], None, r#""7""#, true),
            (&[r#""7""#], None, "7", true),
            (&["7.0"], None, "7", true),
            (&["7", r#""a""#], None, r#""7""#, true),
            (&["7"], None, "8", false),
            (&[r#""7""#, "7"], Some(r#""7""#), r#""7""#, false),
            (&["7", r#""7""#], Some("7"), "7", false),
            (&["7", r#""7""#], Some("7"), r#""7""#, true),
            (&[r#""7""#, r#""7.0""#], None, "7", false),
        ] {
            let running = RunningRequests::new(10, 1000);
            for text in sent {
                running.admit(id(text), 1, 0).unwrap();
            }
            if let Some(text) = answered {
                running.remove(&id(text));
            }
            assert_eq!(running.token(&id(named)).is_some(), is_found, "{sent:?} {answered:?} {named}");
        }
    }
}
