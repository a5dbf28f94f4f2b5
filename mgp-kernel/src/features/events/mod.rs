//! §13.2, §13.3, §13.5 Events through the kernel: hosts subscribe to the channels of all servers that they may use, and to the kernel's
//! own. The kernel has one subscription at each server, while a host wants its events. Filters, numbers and rights belong to each
//! host's subscription.
//!
//! §11.2 Changes of servers' states are events, too, and notifications of their own.

mod as_log;
mod from_server;
mod kernel_events;
mod open;
mod publishing_sink;
mod state_changes;
mod states;

pub(crate) use kernel_events::{KernelEvents, follow_subscriptions};
pub(crate) use open::{HostChannels, routes};
pub(crate) use publishing_sink::PublishingSink;
pub(crate) use state_changes::{for_others, is_of_user, tell_hosts};
