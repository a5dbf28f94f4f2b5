//! The streams of messages to a client: their queues, the messages that are kept for a reconnection, and their form on the wire.

mod event_id;
mod log;
mod queue;
mod resumable;
pub(crate) mod sse;
mod streams;

pub(crate) use event_id::EventId;
pub(super) use log::{Event, Kind, ResumeError, Retention};
pub(super) use queue::{Limits, Next, PushError, Queue, Reader};
pub(super) use streams::Streams;
