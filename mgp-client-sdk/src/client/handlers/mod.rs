//! What a client answers when its server asks, and hears when it tells: as a request of its own in the era of `initialize`, in the
//! rounds of a request in the stateless one.

mod answer;
mod defaults;
#[expect(clippy::module_inception, reason = "the table is named for what it holds")]
mod handlers;
mod inbound;
mod register;

pub use answer::IntoAnswer;
pub(super) use handlers::Handlers;
pub(super) use inbound::Inbound;
