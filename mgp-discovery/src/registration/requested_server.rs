//! Servers requested by agents without the right to register them.

use super::Registration;
use jiff::Timestamp;
use sha2::{Digest, Sha256};
use std::{collections::HashSet, time::Duration};

/// The time after which an undecided request is forgotten.
const LIFETIME: Duration = Duration::from_secs(24 * 60 * 60);
/// The most open requests of one agent.
const OPEN_OF_AGENT: usize = 8;
/// The most open requests in all.
const OPEN: usize = 64;
/// The most denials that are kept for one agent. A further one replaces the oldest.
const DENIED_OF_AGENT: usize = 32;
/// The number of bytes of the hash in an id. An agent chooses the hashed content, so it must not be able to find two servers with the same
/// id.
const ID_BYTES: usize = 20;

/// A server requested by an agent without the right to register it. The request waits for an operator, or was denied by one.
#[derive(Debug, Clone, PartialEq)]
pub struct RequestedServer {
    /// The id by which an operator decides. It is derived from the agent and the whole server, so a different server has a different id.
    pub request_id: String,
    /// The requested registration, in the name of the agent.
    pub registration: Registration,
    /// The name of the operator who denied the request. `None` while it waits.
    pub denied_by: Option<String>,
}

/// The outcome of asking for a server.
#[derive(Debug, Clone, PartialEq)]
pub enum RequestOutcome {
    /// The request waits, or was denied before.
    Kept(Box<RequestedServer>),
    /// The agent has this many open requests, or there are this many in all.
    Full(usize),
    /// The store keeps no requests.
    NotKept,
}

impl RequestedServer {
    /// Returns whether a text has the form of a request's id.
    #[must_use]
    pub fn is_request_id(text: &str) -> bool {
        let is_digit = |c: char| matches!(c, '0'..='9' | 'a'..='f');
        text.strip_prefix("reg-")
            .is_some_and(|digits| digits.len() == 2 * ID_BYTES && digits.chars().all(is_digit))
    }

    pub(super) fn new(registration: Registration) -> Self {
        // A configuration can always be written as JSON.
        let server = serde_json::to_vec(&registration.server).unwrap_or_default();
        let agent = registration.created_by.as_bytes();
        let mut hash = Sha256::new();
        hash.update(agent.len().to_be_bytes());
        hash.update(agent);
        hash.update(server);
        let digits = mgp_types::hex::encode(&hash.finalize()[..ID_BYTES]);
        Self { request_id: format!("reg-{digits}"), registration, denied_by: None }
    }

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
