//! The description of the gateway for hosts, and the tools in their lists, as this room needs them.

use async_trait::async_trait;
use mgp_transport::seam::Session;
use mgp_types::{context::Principal, json::RawObject};
use std::fmt;

/// The part of the handshake that depends on the host.
#[async_trait]
pub(crate) trait Instructions: fmt::Debug + Send + Sync {
    /// Returns the settings of the servers' extensions by name, for the servers that a principal may use. Called after
    /// [`text`](Self::text), which waits for servers.
    fn extensions(&self, principal: &Principal) -> RawObject;

    /// Returns the instructions for the caller of a session. `is_asked` is true if the kernel asks the user of its host.
    async fn text(
        &self,
        session: Option<&Session>,
        principal: Option<&Principal>,
        is_asked: bool,
    ) -> Option<String>;
}

/// The tools in the lists of hosts.
pub(crate) trait ListedTools: fmt::Debug + Send + Sync {
    /// Returns whether the last list of a session contains the last change.
    fn is_in_list(&self, session: &Session) -> bool;

    /// Returns whether the list of a session may change after a change of tools or rights: because it has loaded or used tools, or because it
    /// has, or had, all tools of its principal.
    fn follows(&self, session: &Session) -> bool;
}
