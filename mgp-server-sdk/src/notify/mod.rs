//! Notifications from a server to its clients.

mod audience;
mod listening;
mod notifier;
mod subscriptions;

pub(crate) use audience::Audience;
pub use listening::asked_for;
pub use notifier::Notifier;
pub(crate) use notifier::has;
pub use subscriptions::Subscriptions;
