//! §13.2, §13.3 Events: a server publishes them in its channels, and clients subscribe to channels.
//!
//! A channel is declared with [`Server::channel`](crate::Server::channel). Handlers take an [`Events`] as an argument; other code
//! gets one from [`ServerStack::events`](crate::ServerStack::events). Publishing never waits for a client: a slow client loses
//! its oldest events, and its next event contains their number.

mod handle;

pub use handle::{Events, NoChannels};
pub use mgp_stream::events::{InvalidChannel, MAX_DATA, PublishError};
