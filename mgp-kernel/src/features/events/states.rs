//! Publishes the states of servers.

use super::KernelEvents;
use crate::ground::own_channel::OwnChannel;
use jiff::Timestamp;
use mgp_stream::events::ChannelEvent;
use mgp_types::{context::Principal, json::RawJson, lifecycle::LifecycleParams};

impl KernelEvents {
    /// Publishes a change of a server's state to principals that satisfy `may_know`. Only operators receive the reason.
    pub(crate) fn state_changed(
        &self,
        change: &LifecycleParams,
        may_know: impl Fn(&Principal) -> bool + Send + Sync + 'static,
    ) {
        let Ok(data) = RawJson::from_value(change) else { return };
        let event = ChannelEvent {
            channel: OwnChannel::ServerState.as_str().into(),
            server_id: Some(change.server_id.as_str().into()),
            timestamp: change.timestamp.clone().unwrap_or_else(|| Timestamp::now().to_string()),
            severity: Some(OwnChannel::ServerState.severity()),
            data: Some(data),
        };
        self.hub.publish_to(event, move |who| who.is_some_and(&may_know));
    }

    /// Counts missed changes of servers' states as lost. The servers are unknown, so only operators are notified, who receive the changes
    /// of all servers.
    pub(crate) fn states_missed(&self, count: u64) {
        let is_admin = |who: Option<&Principal>| who.is_some_and(Principal::is_admin);
        self.hub.lost_in(OwnChannel::ServerState.as_str(), count, is_admin);
    }
}
