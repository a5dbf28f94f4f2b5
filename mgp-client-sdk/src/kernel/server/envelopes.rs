//! The envelopes by which requests to a server of a stateless revision describe the hosts that they are made for.

use super::{Caller, Link, Server, questions::capabilities_for};
use mgp_server_sdk::logging;
use mgp_types::{
    json::RawObject,
    mcp::{ClientCapabilities, LoggingLevel, stateless::EnvelopeMembers},
    negotiation::{Carrier, offer},
};
use parking_lot::Mutex;
use std::collections::VecDeque;

/// The most envelopes that are kept for one server. Hosts of one kind share an envelope.
const MOST: usize = 8;
/// The longest capabilities of a host for which an envelope is kept, in bytes.
const LONGEST: usize = 16 * 1024;

/// The envelopes that requests to one server carry, by the descriptions of their hosts. Each envelope is put together only once.
#[derive(Debug, Default)]
pub(super) struct Envelopes(Mutex<VecDeque<(OfHost, EnvelopeMembers)>>);

/// The description of a host in an envelope.
#[derive(Debug, PartialEq)]
struct OfHost {
    capabilities: ClientCapabilities,
    /// True if tasks are taken for answers.
    takes_tasks: bool,
    log_level: Option<LoggingLevel>,
}

impl Envelopes {
    /// Returns the envelope of a request; `None` for a server of a revision with `initialize`.
    pub(super) fn of(
        &self,
        server: &Server,
        link: &Link,
        caller: Option<&Caller>,
        takes_tasks: bool,
    ) -> Option<EnvelopeMembers> {
        if !link.is_stateless() {
            return None;
        }
        let host = OfHost {
            capabilities: caller.map(Caller::capabilities).unwrap_or_default(),
            takes_tasks,
            log_level: caller.and_then(|caller| logging::level(caller.peer.session())),
        };
        if let Some((_, members)) = self.0.lock().iter().find(|(known, _)| *known == host) {
            return Some(members.clone());
        }
        let mut capabilities = ClientCapabilities(capabilities_for(server, &host.capabilities));
        if takes_tasks {
            capabilities = capabilities.with_tasks();
        }
        if let Some(negotiated) = &link.negotiated {
            Carrier::Extensions.put(&mut capabilities.0, &offer(negotiated.extensions));
        }
        let members = link.session.envelope_for(capabilities, host.log_level)?;
        self.keep(&host, &members);
        Some(members)
    }

    /// Keeps an envelope, with a copy of its host's description: parts of a request would keep the whole request in memory.
    fn keep(&self, host: &OfHost, members: &EnvelopeMembers) {
        let text = host.capabilities.0.to_json();
        if text.as_bytes().len() > LONGEST {
            return;
        }
        if let Ok(capabilities) = RawObject::from_json(&text) {
            let host = OfHost { capabilities: ClientCapabilities(capabilities), ..*host };
            let mut known = self.0.lock();
            known.truncate(MOST - 1);
            known.push_front((host, members.detached()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_types::mcp::{ProtocolVersion, stateless::RequestEnvelope};

    fn host(capabilities: &str) -> OfHost {
        let capabilities = ClientCapabilities(RawObject::parse(capabilities.to_owned()).unwrap());
        OfHost { capabilities, takes_tasks: false, log_level: None }
    }

    #[test]
    fn few_are_kept_and_none_that_is_long() {
        let envelopes = Envelopes::default();
        let envelope = RequestEnvelope {
            version: ProtocolVersion::V2026_07_28,
            capabilities: ClientCapabilities::default(),
            client_info: None,
            log_level: None,
        };
        let keep = |host: &OfHost| envelopes.keep(host, &envelope.members());
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
