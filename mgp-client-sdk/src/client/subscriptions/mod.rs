//! Subscriptions to changes at the server, the same in both eras.

mod changes;
mod listener;
mod subscription;

pub use changes::Change;
pub(super) use listener::SessionListeners;
pub use subscription::Subscription;
