//! Servers requested by agents without the right to register them.

use super::Registration;
use sha2::{Digest, Sha256};

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

    /// Returns the request for a registration, with its id.
    #[must_use]
    pub fn new(registration: Registration) -> Self {
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
}
