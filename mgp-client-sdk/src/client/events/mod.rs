//! §13.2, §13.3 Subscriptions to the server's events, the same in both eras.

mod listener;
mod stream;

pub use stream::EventStream;
