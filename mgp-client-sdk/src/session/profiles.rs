//! The profiles of hosts: each request to a server of a stateless revision declares its host.

use super::{ServerSession, envelopes::HostProfile};
use mgp_transport::seam::Peer;
use mgp_types::{
    json::RawObject,
    mcp::{ClientCapabilities, stateless::RequestEnvelope},
    negotiation::{Carrier, offer},
};

impl ServerSession {
    /// Writes the profile of a request's host into the request's `_meta`, unless the client was declared once by `initialize`. The `_meta` must
    /// not have a [profile](remove_profile) yet. `visible` returns the part of the host's capabilities that the server may see.
    pub fn write_profile(
        &self,
        params: &mut RawObject,
        host: impl FnOnce() -> HostProfile,
        visible: impl FnOnce(&ClientCapabilities) -> RawObject,
    ) {
        let Some(own) = self.peer.envelope() else { return };
        let host = host();
        if let Some(envelope) = self.envelopes.of(&host) {
            return params.append("_meta", &envelope);
        }
        let mut capabilities = ClientCapabilities(visible(&host.capabilities));
        if host.takes_tasks {
            capabilities = capabilities.with_tasks();
        }
        if let Some(negotiated) = &self.greeting.negotiated {
            Carrier::Extensions.put(&mut capabilities.0, &offer(negotiated.extensions));
        }
        let envelope = RequestEnvelope { capabilities, log_level: host.log_level, ..own.clone() };
        let envelope = envelope.members().to_json();
        self.envelopes.keep(&host, &envelope);
        params.append("_meta", &envelope);
    }
}

/// Returns whether a server has a session with its client, so that it can send questions outside of its answers and
/// receive responses.
pub fn has_session(server: &Peer) -> bool {
    server.envelope().is_none()
}

/// Removes from the params of a forwarded request the profile of its sender, and everything else in `_meta` that is only valid for
/// one connection.
pub fn remove_profile(params: &mut RawObject) {
    RequestEnvelope::strip(params);
}
