//! The trust in a server's statements about its tools.

use super::{Link, Server};
use mgp_types::context::TrustLevel;

impl Server {
    /// Returns whether a tool may run twice without harm: by the configuration, or by the tool's own statement if its server is
    /// trusted.
    pub(crate) fn may_run_twice(&self, tool_name: &str) -> bool {
        let trust = || self.link().map_or(self.spec.trust, |link| self.trust_over(&link));
        self.spec.idempotent.iter().any(|known| known == tool_name)
            || self.says_harmless(tool_name) && trust() >= TrustLevel::Standard
    }

    /// Returns the trust in the server over a connection. The server's own claim can only lower it.
    pub(crate) fn trust_over(&self, link: &Link) -> TrustLevel {
        let claimed = link.negotiated.as_ref().and_then(|negotiated| negotiated.claimed_trust);
        claimed.map_or(self.spec.trust, |claimed| claimed.min(self.spec.trust))
    }

    /// Returns whether a tool's annotations state that it only reads, or that a second call has no further effect.
    fn says_harmless(&self, tool_name: &str) -> bool {
        let tools = self.tools();
        let listed = tools.iter().find(|listed| listed.tool.name == tool_name);
        listed
            .and_then(|listed| listed.tool.annotations.as_ref())
            .is_some_and(|hints| hints.read_only_hint == Some(true) || hints.idempotent_hint == Some(true))
    }
}
