//! Subscriptions to changes at the server: in the era of `initialize`, requests for single resources and the notifications of the
//! session; in the stateless era, a request that stays open.

mod changes;
mod listening;
#[cfg(feature = "http")]
mod renewed;
mod session;
mod subscribe;
mod subscription;

pub use changes::Change;
pub(super) use session::SessionListeners;
pub use subscription::Subscription;
