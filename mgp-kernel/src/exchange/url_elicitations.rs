//! Tracks the hosts that a server sent to a URL, to notify them when the server reports that the user is done there.

use mgp_transport::seam::Peer;
use mgp_types::json::RawObject;
use parking_lot::Mutex;
use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

/// The maximum number of tracked elicitations. Past this number, the oldest is forgotten.
const MOST: usize = 1024;
/// The time for which an elicitation is tracked.
const LIFETIME: Duration = Duration::from_secs(60 * 60);
/// The maximum length of an id that is kept, in bytes.
const LONGEST_ID: usize = 1024;

/// The hosts that a server sent to a URL, by the ids of its elicitations.
#[derive(Debug, Default)]
pub(super) struct UrlElicitations(Mutex<HashMap<String, ElicitingHost>>);

#[derive(Debug)]
struct ElicitingHost {
    host: Peer,
    at: Instant,
}

impl UrlElicitations {
    /// Tracks a host that is sent to a URL.
    pub(super) fn asked(&self, question: &RawObject, host: &Peer) {
        if question.text("mode").as_deref() == Some("url")
            && let Some(id) = question.text("elicitationId")
        {
            self.add(id, host);
        }
    }

    /// Takes the host that was sent to a URL, so that it is notified only once.
    pub(super) fn take(&self, id: &str) -> Option<Peer> {
        let asked = self.0.lock().remove(id)?;
        (asked.at.elapsed() < LIFETIME && !asked.host.is_closed()).then_some(asked.host)
    }

    fn add(&self, id: String, host: &Peer) {
        if id.len() > LONGEST_ID {
            return;
        }
        let mut known = self.0.lock();
        if known.len() >= MOST && !known.contains_key(&id) {
            known.retain(|_, asked| asked.at.elapsed() < LIFETIME && !asked.host.is_closed());
            let oldest = known.iter().min_by_key(|(_, asked)| asked.at).map(|(id, _)| id.clone());
            if let Some(oldest) = oldest.filter(|_| known.len() >= MOST) {
                known.remove(&oldest);
            }
        }
        known.insert(id, ElicitingHost { host: host.unbound(), at: Instant::now() });
    }
}
