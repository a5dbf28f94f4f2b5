//! A session with a server after its handshake.

use super::{Era, Greeting, subscription_state::Resources};
use mgp_lifecycle::health::ProbeMethod;
use mgp_transport::seam::{CallError, Peer};
use mgp_types::{
    json::RawObject,
    mcp::{LoggingLevel, RootsListChanged, stateless::RequestEnvelope},
    negotiation::Extension,
    rpc::Empty,
};
use parking_lot::Mutex;
use std::sync::Arc;

/// A session with a server after its handshake. Clones share the same session.
#[derive(Debug, Clone)]
pub struct ServerSession {
    pub peer: Peer,
    pub greeting: Arc<Greeting>,
    /// True if all messages go over one byte stream, so that one request can name another. Over HTTP, each request of the stateless
    /// era is independent.
    pub(super) has_one_stream: bool,
    /// The resources that are subscribed to at the session's server.
    pub(super) resources: Arc<Resources>,
    /// The log level that was set at the server.
    pub(super) log_level: Arc<Mutex<Option<LoggingLevel>>>,
    /// The descriptions of hosts in requests to the server.
    pub(super) envelopes: Arc<super::envelopes::Envelopes>,
}

impl ServerSession {
    /// Creates a session over the connection of `peer`.
    pub(super) fn new(peer: Peer, greeting: Greeting, has_one_stream: bool) -> Self {
        Self {
            peer,
            greeting: Arc::new(greeting),
            has_one_stream,
            resources: Arc::default(),
            log_level: Arc::default(),
            envelopes: Arc::default(),
        }
    }

    /// Returns `true` if the server speaks a stateless revision of MCP.
    pub(super) fn is_stateless(&self) -> bool {
        self.greeting.era() == Era::Stateless
    }

    /// Returns the method for checking whether a server is alive. The stateless revisions have no `ping`.
    pub fn probe_method(&self) -> ProbeMethod {
        if self.is_stateless() { ProbeMethod::Discover } else { ProbeMethod::Mcp }
    }

    /// Returns `true` if events were negotiated with the server (§13.2).
    pub fn has_events(&self) -> bool {
        self.greeting.negotiated.as_ref().is_some_and(|negotiated| negotiated.has(Extension::Events))
    }

    /// Notifies the server that the list of roots has changed. In the stateless era nothing is sent: a server requests the roots again
    /// with each request.
    pub async fn roots_changed(&self) -> Result<(), CallError> {
        if self.is_stateless() {
            return Ok(());
        }
        self.peer.notice::<RootsListChanged>(&Empty::default()).await
    }

    /// Declares in a request that tasks are accepted as answers, which other requests do not declare.
    pub fn declare_tasks(&self, params: &mut RawObject) {
        if let Some(envelope) = self.peer.envelope() {
            let log_level = self.peer.log_level().or(envelope.log_level);
            let capabilities = envelope.capabilities.clone().with_tasks();
            RequestEnvelope { capabilities, log_level, ..envelope.clone() }.write(params);
        }
    }
}
