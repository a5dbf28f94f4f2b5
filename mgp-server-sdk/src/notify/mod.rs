//! Notifications from a server to its clients.

mod audience;
mod listening;
mod notifier;
mod subscriptions;
mod urls;

pub(crate) use audience::Audience;
pub use listening::asked_for;
pub use notifier::Notifier;
pub(crate) use notifier::has;
pub use subscriptions::Subscriptions;
pub(crate) use urls::OpenUrls;
