//! Takes over the events of a server.

use super::{KernelEvents, kernel_events::may_use_server, own_channel::OwnChannel};
use mgp_stream::events::{ChannelEvent, MAX_DATA, check_channel};
use mgp_types::{
    events::{EventParams, SUBSCRIPTION_ENDED},
    json::RawObject,
};

/// The longest time that an event may name, in bytes.
const MAX_TIME: usize = 64;

/// The longest members of an event beside its data, with their keys, in bytes.
const MAX_REST: usize = 4096;

/// The problem with an event of a server, which is dropped.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(in crate::kernel) enum EventProblem {
    #[error("the server did not negotiate the extension \"events\"")]
    NotNegotiated,
    #[error("{bytes} bytes of {part} are too many: expected at most {limit}")]
    TooLong { part: &'static str, bytes: usize, limit: usize },
    #[error("the event cannot be read: {0}")]
    Unreadable(String),
    #[error("a name that no channel has")]
    Channel,
    #[error("a channel of the kernel's own")]
    OwnChannel,
    #[error("the event belongs to another subscription")]
    Subscription,
    #[error("the event could not be searched for secrets, or the secrets found could not be recorded")]
    Withheld,
}

impl EventProblem {
    /// Returns whether a host may miss the event.
    pub(in crate::kernel) const fn is_loss(&self) -> bool {
        matches!(self, Self::TooLong { .. } | Self::Withheld)
    }
}

/// Checks the length of an event of a server, which is [`EventParams`] as they came.
///
/// # Errors
/// [`EventProblem::TooLong`].
pub(in crate::kernel) fn check_length(event: &RawObject) -> Result<(), EventProblem> {
    let all: usize = event.iter().map(|(key, value)| key.len() + value.as_bytes().len()).sum();
    let data = event.get("data").map_or(0, |data| data.as_bytes().len());
    let time = event.get("timestamp").map_or(0, |time| time.as_bytes().len());
    for (part, bytes, limit) in
        [("data", data, MAX_DATA), ("timestamp", time, MAX_TIME), ("other members", all - data, MAX_REST)]
    {
        if bytes > limit {
            return Err(EventProblem::TooLong { part, bytes, limit });
        }
    }
    Ok(())
}

/// Checks that a channel can be one of a server.
///
/// # Errors
/// [`EventProblem`]. A server cannot publish in the kernel's own channels, where hosts would believe it.
pub(in crate::kernel) fn check_channel_of_server(channel: &str) -> Result<(), EventProblem> {
    check_channel(channel).map_err(|_| EventProblem::Channel)?;
    let is_own = OwnChannel::of_name(channel).is_some() || channel == SUBSCRIPTION_ENDED;
    if is_own { Err(EventProblem::OwnChannel) } else { Ok(()) }
}

impl KernelEvents {
    /// Brings an event of a server to the hosts that may use the server and want the event. Whatever the event says, it is of that server.
    pub(in crate::kernel) fn take_over(&self, server_id: &str, event: EventParams) {
        self.lost(server_id, event.lost());
        let EventParams { channel, timestamp, severity, data, .. } = event;
        let server = Some(server_id.into());
        let event = ChannelEvent { channel: channel.into(), server_id: server, timestamp, severity, data };
        self.hub.publish_to(event, may_use_server(self.access.clone(), server_id));
    }
}
