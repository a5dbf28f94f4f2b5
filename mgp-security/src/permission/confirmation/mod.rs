//! §4.4 Confirmation of dangerous calls.
//!
//! A question is a row ([`ConfirmationRow`]) of a [`ConfirmationStore`], which an operator answers from any process through
//! [`Confirmations`]; [`ConfirmationLayer`] is the gate that asks.

mod arguments;
mod confirmations;
mod layer;
mod memory;
mod refusal;
mod row;
mod service;
#[cfg(feature = "sqlite")]
mod sqlite;
mod store;

pub use confirmations::Confirmations;
pub use layer::ConfirmationLayer;
pub use memory::MemoryConfirmationStore;
pub use row::{ApprovalTerm, ConfirmationKey, ConfirmationRow, ConfirmationState};
pub use service::Confirm;
#[cfg(feature = "sqlite")]
pub(super) use sqlite::CONFIRMATIONS;
pub use store::{AskOutcome, Bound, ConfirmationBounds, ConfirmationStore};

#[cfg(test)]
#[cfg(feature = "full")]
mod tests;
