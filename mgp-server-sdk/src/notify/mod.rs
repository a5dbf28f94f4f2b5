//! What a server tells its clients without being asked.

mod audience;
mod notifier;
mod subscriptions;

pub(crate) use audience::Audience;
pub use notifier::Notifier;
pub(crate) use subscriptions::Subscriptions;
