//! §4.4 Confirmation of dangerous calls.
//!
//! A question is a row ([`ConfirmationRow`]) of a [`ConfirmationStore`], which an operator answers from any process through
//! [`Confirmations`]; [`ConfirmationGate`] is the gate that asks.

mod arguments;
mod confirmations;
mod for_server;
mod foresee;
mod judge;
mod pattern;
mod places;
mod refusal;
mod row;
#[cfg(feature = "sqlite")]
mod sql;
mod store;
mod together;

pub use confirmations::Confirmations;
pub use judge::ConfirmationGate;
pub use pattern::{ArgumentsPattern, PatternError};
pub use row::{ConfirmationKey, ConfirmationRow, ConfirmationState};
#[cfg(feature = "sqlite")]
pub(super) use sql::{CONFIRMATIONS, ESTIMATES, INTENTS, SESSIONS_AND_PATTERNS};
pub use store::{AskOutcome, Bound, ConfirmationBounds, ConfirmationStore};

#[cfg(test)]
#[cfg(feature = "full")]
mod tests;
