//! What requests to a server of a stateless revision say of the hosts that they are made for.

use super::{Caller, Link, Server, questions::capabilities_for};
use mgp_server_sdk::logging;
use mgp_types::{
    mcp::{ClientCapabilities, LoggingLevel, stateless::EnvelopeMembers},
    negotiation::{Carrier, offer},
};
use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
};

/// How many envelopes are kept for one server. Hosts of one kind have the same.
const MOST: usize = 8;
/// How long what a host says of itself may be to be kept, in bytes.
const LONGEST: usize = 16 * 1024;

/// The envelopes that requests to one server carry, by what their hosts can do. Each is put together once.
#[derive(Debug, Default)]
pub(super) struct Envelopes(Mutex<VecDeque<(OfHost, EnvelopeMembers)>>);

/// What an envelope says of a host.
#[derive(Debug, PartialEq)]
struct OfHost {
    capabilities: ClientCapabilities,
    /// It takes tasks for answers.
    takes_tasks: bool,
    log_level: Option<LoggingLevel>,
}

impl Envelopes {
    /// That of a request; none to a server of a revision with `initialize`.
    pub(super) fn of(
        &self,
        server: &Server,
        link: &Link,
        caller: Option<&Caller>,
        takes_tasks: bool,
    ) -> Option<EnvelopeMembers> {
        let own = link.peer.envelope()?;
        let host = OfHost {
            capabilities: caller.map(Caller::capabilities).unwrap_or_default(),
            takes_tasks,
            log_level: caller.and_then(|caller| logging::level(caller.peer.session())),
        };
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, members)) = known.iter().find(|(known, _)| *known == host) {
            return Some(members.clone());
        }
        let mut capabilities = ClientCapabilities(capabilities_for(server, &host.capabilities));
        if takes_tasks {
            capabilities = capabilities.with_tasks();
        }
        if let Some(negotiated) = &link.negotiated {
            Carrier::Extensions.put(&mut capabilities.0, &offer(negotiated.extensions));
        }
        let mut envelope = own.clone();
        (envelope.capabilities, envelope.log_level) = (capabilities, host.log_level);
        let members = envelope.members();
        if host.capabilities.0.to_json().as_bytes().len() <= LONGEST {
            known.truncate(MOST - 1);
            known.push_front((host, members.clone()));
        }
        Some(members)
    }
}
