//! The channels of a server.

use super::{
    ChannelEvent, EventHub, EventSource, InvalidChannel, MAX_DATA, OpenedEvents, check_channel, check_params,
    resolve,
};
use mgp_transport::seam::Incoming;
use mgp_types::{context::Principal, events::SubscribeParams, json::RawJson, rpc::ErrorObject};
use std::sync::Arc;

/// The channels of a server, and the hub that delivers their events to subscribers. Clones share the channels.
#[derive(Debug, Clone)]
pub struct EventChannels {
    hub: EventHub,
    names: Arc<[Arc<str>]>,
}

/// The error returned for an event that cannot be published.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PublishError {
    /// The channel does not exist.
    #[error("unknown channel {channel:?}: expected one of {known:?}")]
    UnknownChannel {
        /// The channel of the event.
        channel: String,
        /// The existing channels.
        known: Vec<String>,
    },
    /// The data are too long.
    #[error("data of {bytes} bytes: expected at most {MAX_DATA}")]
    TooLong {
        /// The length of the data.
        bytes: usize,
    },
    /// The data cannot be written as JSON.
    #[error("failed to write the data: {0}")]
    Data(String),
}

impl EventChannels {
    /// Creates channels with names.
    ///
    /// # Errors
    /// [`InvalidChannel`] for a name that is not valid for a channel.
    pub fn new<N: Into<Arc<str>>>(names: impl IntoIterator<Item = N>) -> Result<Self, InvalidChannel> {
        let names: Arc<[Arc<str>]> = names.into_iter().map(Into::into).collect();
        names.iter().try_for_each(|name| check_channel(name))?;
        Ok(Self { hub: EventHub::new(), names })
    }

    /// Returns whether the hub has a subscription, so that an event without subscribers need not be built.
    #[must_use]
    pub fn is_heard(&self) -> bool {
        self.hub.is_heard()
    }

    /// Returns the channel with a name.
    ///
    /// # Errors
    /// [`PublishError::UnknownChannel`].
    pub fn find(&self, name: &str) -> Result<Arc<str>, PublishError> {
        self.names.iter().find(|known| &***known == name).cloned().ok_or_else(|| {
            PublishError::UnknownChannel {
                channel: name.to_owned(),
                known: self.names.iter().map(ToString::to_string).collect(),
            }
        })
    }

    /// Publishes an event.
    ///
    /// # Errors
    /// [`PublishError::TooLong`].
    pub fn publish(&self, event: ChannelEvent) -> Result<(), PublishError> {
        let bytes = event.data.as_ref().map_or(0, |data: &RawJson| data.as_bytes().len());
        if bytes > MAX_DATA {
            return Err(PublishError::TooLong { bytes });
        }
        self.hub.publish(event);
        Ok(())
    }

    /// Begins a subscription.
    ///
    /// # Errors
    /// -32602 for params past the bounds.
    pub fn subscribe(
        &self,
        params: SubscribeParams,
        principal: Option<Principal>,
    ) -> Result<OpenedEvents, ErrorObject> {
        check_params(&params)?;
        let names: Vec<&str> = self.names.iter().map(|name| &**name).collect();
        let (subscribed, unsupported) = resolve(&params.channels, &names);
        Ok(OpenedEvents { subscribed, unsupported, subscription: self.hub.subscribe(params, principal) })
    }
}

impl EventSource for EventChannels {
    async fn open(&self, message: &Incoming, params: SubscribeParams) -> Result<OpenedEvents, ErrorObject> {
        self.subscribe(params, message.principal().cloned())
    }
}
