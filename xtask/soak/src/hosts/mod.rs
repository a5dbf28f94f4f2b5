//! The hosts.

mod ask;
mod calls;
mod cut;
mod exchange;
mod host;
mod listen;
mod measure;
mod message;
mod shared;
mod subscriber;
mod work;

pub(crate) use ask::put_answers;
pub(crate) use exchange::Response;
pub(crate) use host::Host;
pub(crate) use message::Era;
pub(crate) use shared::SharedState;
pub(crate) use subscriber::{REQUIRED, SUBSCRIBERS, subscribe};
