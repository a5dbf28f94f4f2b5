//! The rules by which a store keeps requests for servers, and for how long.

use super::{RequestOutcome, RequestedServer};
use jiff::Timestamp;
use std::{collections::HashSet, time::Duration};

/// The time after which an undecided request is forgotten.
const LIFETIME: Duration = Duration::from_secs(24 * 60 * 60);
/// The most open requests of one agent.
const OPEN_OF_AGENT: usize = 8;
/// The most open requests in all.
const OPEN: usize = 64;
/// The most denials that are kept for one agent. A further one replaces the oldest.
const DENIED_OF_AGENT: usize = 32;

impl RequestedServer {
    /// Returns whether the request waits at a time.
    pub(super) fn is_open(&self, now: Timestamp) -> bool {
        let asked: Result<Timestamp, _> = self.registration.created_at.parse();
        self.denied_by.is_none()
            && asked.is_ok_and(|asked| now.duration_since(asked).unsigned_abs() < LIFETIME)
    }

    fn agent(&self) -> &str {
        &self.registration.created_by
    }

    fn concerns_same(&self, other: &Self) -> bool {
        self.agent() == other.agent() && self.registration.id() == other.registration.id()
    }
}

/// Adds a request to the existing ones. Forgotten requests are removed, and so is an open request of the same agent for another server with
/// the same id. Returns the outcome and the ids of the remaining rows.
pub(super) fn place(
    rows: &[RequestedServer],
    asked: &RequestedServer,
    now: Timestamp,
) -> (RequestOutcome, HashSet<String>) {
    let mut denied = 0;
    let mut stays = |row: &&RequestedServer| {
        if row.denied_by.is_some() {
            denied += usize::from(row.agent() == asked.agent());
            return denied <= DENIED_OF_AGENT || row.agent() != asked.agent();
        }
        row.request_id == asked.request_id || (row.is_open(now) && !row.concerns_same(asked))
    };
    // The latest come first, so that the oldest denials are removed.
    let kept: Vec<_> = rows.iter().rev().filter(|row| stays(row)).collect();
    let ids = kept.iter().map(|row| row.request_id.clone()).collect();
    let known = kept.iter().find(|row| row.request_id == asked.request_id);
    let open = kept.iter().filter(|row| row.denied_by.is_none());
    let of_agent = open.clone().filter(|row| row.agent() == asked.agent()).count();
    let outcome = match known {
        Some(known) if known.denied_by.is_some() => RequestOutcome::Kept(Box::new((*known).clone())),
        Some(_) => RequestOutcome::Kept(Box::new(asked.clone())),
        None if of_agent >= OPEN_OF_AGENT => RequestOutcome::Full(of_agent),
        None if open.clone().count() >= OPEN => RequestOutcome::Full(OPEN),
        None => RequestOutcome::Kept(Box::new(asked.clone())),
    };
    (outcome, ids)
}
