//! §13.2, §13.3 Subscriptions to the server's events, the same in both eras.

mod listener;
mod queue;
mod stream;

pub use queue::EventItem;
pub(super) use queue::EventQueue;
pub use stream::EventStream;
