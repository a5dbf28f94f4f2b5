//! §13.2, §13.3, §13.5: events of channels, delivered to their subscribers.
//!
//! An [`EventHub`] delivers events to its subscriptions. It costs nothing without subscriptions, numbers the events of each one, and never
//! waits for one. A subscription that is not read in time loses its oldest events, and its next event carries their number. [`EventChannels`]
//! are the channels of a server, and [`routes`] the methods over any [`EventSource`].

mod channel_event;
mod channels;
mod entry;
mod forward;
mod hub;
mod methods;
mod names;
mod queue;
mod session;
mod subscription;

#[cfg(test)]
mod tests;

pub use channel_event::ChannelEvent;
pub use channels::{EventChannels, PublishError};
pub use hub::EventHub;
pub use methods::{EventSource, OpenedEvents, routes};
pub use names::{InvalidChannel, check_channel, check_params, resolve};
pub use subscription::EventSubscription;

/// The most channels and patterns that one subscription may name.
pub const MAX_PATTERNS: usize = 64;
/// The longest name of a channel, and the longest pattern, in characters.
pub const MAX_NAME: usize = 128;
/// The most servers, and the most members of `data`, that the filter of one subscription may name.
pub const MAX_FILTER: usize = 64;
/// The longest members of `data` that the filter of one subscription may name, with their values, in bytes.
pub const MAX_FILTER_BYTES: usize = 4096;
/// The most subscriptions of one session.
pub const MAX_SUBSCRIPTIONS: usize = 32;
/// The longest data of one event, in bytes.
pub const MAX_DATA: usize = 64 * 1024;
/// The longest time after which a subscription may end by itself, in seconds: a year.
pub const MAX_TTL: u64 = 365 * 24 * 60 * 60;
