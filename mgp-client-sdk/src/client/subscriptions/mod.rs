//! Subscriptions to changes at the server, the same in both eras.

mod listener;
mod subscription;

pub use subscription::Subscription;
