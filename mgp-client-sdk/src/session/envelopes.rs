//! The envelopes of requests to a server of a stateless revision, by the profiles of their hosts.

use mgp_types::{
    json::{RawJson, RawObject},
    mcp::{ClientCapabilities, LoggingLevel},
};
use parking_lot::Mutex;
use std::collections::VecDeque;

/// The maximum number of envelopes kept for one server. Hosts of one kind share an envelope.
const MOST: usize = 8;
/// The maximum size of a host's capabilities for which an envelope is kept, in bytes.
const LONGEST: usize = 16 * 1024;

/// The profile of a request's host.
#[derive(Debug, PartialEq)]
pub struct HostProfile {
    pub capabilities: ClientCapabilities,
    /// True if tasks are accepted as answers.
    pub takes_tasks: bool,
    pub log_level: Option<LoggingLevel>,
}

/// The envelopes of requests to one server, by the profiles of their hosts. Each envelope is created only once.
#[derive(Debug, Default)]
pub(super) struct Envelopes(Mutex<VecDeque<(HostProfile, RawJson)>>);

impl Envelopes {
    /// Returns the envelope for a host as an object, if it is kept.
    pub(super) fn of(&self, host: &HostProfile) -> Option<RawJson> {
        self.0.lock().iter().find(|(known, _)| known == host).map(|(_, envelope)| envelope.clone())
    }

    /// Stores an envelope, with a copy of its host's profile: parts of a request would keep the whole request in
    /// memory.
    pub(super) fn keep(&self, host: &HostProfile, envelope: &RawJson) {
        let text = host.capabilities.0.to_json();
        if text.as_bytes().len() > LONGEST {
            return;
        }
        if let Ok(capabilities) = RawObject::from_json(&text) {
            let host = HostProfile { capabilities: ClientCapabilities(capabilities), ..*host };
            let mut known = self.0.lock();
            known.truncate(MOST - 1);
            known.push_front((host, envelope.clone()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    fn host(capabilities: &str) -> HostProfile {
        let capabilities = ClientCapabilities(RawObject::parse(capabilities.to_owned()).unwrap());
        HostProfile { capabilities, takes_tasks: false, log_level: None }
    }

    #[test]
    fn few_envelopes_are_kept_and_no_long_ones() {
        let envelopes = Envelopes::default();
        let keep = |host: &HostProfile| envelopes.keep(host, &RawJson::empty_object());
        keep(&host(&format!(r#"{{"x":"{}"}}"#, "x".repeat(LONGEST))));
        assert_eq!(envelopes.0.lock().len(), 0);
        for number in 0..MOST + 2 {
            keep(&host(&format!(r#"{{"x":{number}}}"#)));
        }
        let known = envelopes.0.lock();
        assert_eq!(known.len(), MOST);
        assert!(known.iter().all(|(known, _)| *known != host(r#"{"x":0}"#)));
        assert_eq!(known[0].0, host(&format!(r#"{{"x":{}}}"#, MOST + 1)));
    }
}
