//! §13.2, §13.3, §13.5 Events through the kernel: hosts subscribe to the channels of all servers that they may use, and to the kernel's
//! own. The kernel has one subscription at each server, while a host wants its events. Filters, numbers and rights belong to each
//! host's subscription.

mod as_log;
mod from_server;
mod kernel_events;
mod open;
mod own_channel;
mod publishing_sink;
mod states;

pub(in crate::kernel) use from_server::{EventProblem, check_channel_of_server, check_length};
pub(in crate::kernel) use kernel_events::{KernelEvents, StarAnswer, follow_subscriptions};
pub(in crate::kernel) use open::{HostChannels, routes};
pub(in crate::kernel) use publishing_sink::PublishingSink;
