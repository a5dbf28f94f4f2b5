//! §4.4 Confirmation of dangerous calls.
//!
//! A question is a row ([`ConfirmationRow`]) of the [`PermissionStore`](super::PermissionStore), which an operator answers from any process through
//! [`Confirmations`]; [`ConfirmationGate`] is the gate that asks.

mod arguments;
mod bounds;
mod confirmations;
mod judge;
mod refusal;
mod row;
mod store;

use bounds::{AskOutcome, Bound, ConfirmationBounds};
pub use confirmations::Confirmations;
pub use judge::ConfirmationGate;
pub use row::{ApprovalTerm, ConfirmationKey, ConfirmationRow, ConfirmationState};
pub(super) use store::CONFIRMATIONS;

#[cfg(test)]
#[cfg(feature = "full")]
mod tests;
