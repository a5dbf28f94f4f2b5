//! The checks of the events that servers send.

use super::own_channel::OwnChannel;
use mgp_stream::events::{MAX_DATA, check_channel};
use mgp_types::{events::SUBSCRIPTION_ENDED, json::RawObject};

/// The maximum length of an event's time, in bytes.
const MAX_TIME: usize = 64;

/// The maximum size of an event's members except its data, with their keys, in bytes.
const MAX_REST: usize = 4096;

/// The reason why an event of a server is dropped.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum EventProblem {
    #[error("the server did not negotiate the extension \"events\"")]
    NotNegotiated,
    #[error("{bytes} bytes of {part} are too many: expected at most {limit}")]
    TooLong { part: &'static str, bytes: usize, limit: usize },
    #[error("the event cannot be read: {0}")]
    Unreadable(String),
    #[error("invalid name of a channel")]
    Channel,
    #[error("the channel is the kernel's own")]
    OwnChannel,
    #[error("the event belongs to another subscription")]
    Subscription,
    #[error("the event could not be searched for secrets, or the secrets found could not be recorded")]
    Withheld,
}

impl EventProblem {
    /// Returns whether hosts may miss the event.
    pub(crate) const fn is_loss(&self) -> bool {
        matches!(self, Self::TooLong { .. } | Self::Withheld)
    }
}

/// Checks the length of a server's event in its original form, [`EventParams`].
///
/// # Errors
/// [`EventProblem::TooLong`].
pub(crate) fn check_length(event: &RawObject) -> Result<(), EventProblem> {
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

/// Checks that a server may have a channel.
///
/// # Errors
/// [`EventProblem`]. A server cannot publish in the kernel's own channels, which hosts trust.
pub(crate) fn check_channel_of_server(channel: &str) -> Result<(), EventProblem> {
    check_channel(channel).map_err(|_| EventProblem::Channel)?;
    let is_own = OwnChannel::of_name(channel).is_some() || channel == SUBSCRIPTION_ENDED;
    if is_own { Err(EventProblem::OwnChannel) } else { Ok(()) }
}
