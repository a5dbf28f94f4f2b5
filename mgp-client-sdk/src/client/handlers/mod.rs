//! The handlers of a client for questions and notifications of its server. A question is a separate request in the era of
//! `initialize`, and part of a round of input in the stateless era.

mod answer;
mod callback;
mod defaults;
#[expect(clippy::module_inception, reason = "the table is named for what it holds")]
mod handlers;
mod inbound;
mod register;

pub use answer::IntoAnswer;
pub(super) use callback::ActiveCallbacks;
pub use callback::CallbackAnswer;
pub(super) use handlers::Handlers;
pub(super) use inbound::Inbound;
