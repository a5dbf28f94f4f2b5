//! §3 Permissions, and the confirmation of §4.4.
//!
//! [`Permissions`] holds the status of every permission of every server, and is the gate in the pipeline: it asks an
//! [`Approver`] if the policy says so. A [`PermissionStore`] keeps the decisions. [`ConfirmationGate`] asks before a
//! dangerous call; [`Confirmations`] gives access to the open questions about calls and their answers, and
//! a [`ConfirmationStore`] keeps them.

mod approval_term;
mod approver;
mod confirmation;
mod end;
mod evaluate;
mod foresee;
mod judge;
mod open_decision;
mod operator;
mod patience;
mod permissions;
mod questions;
mod record;
mod refusal;
mod row;
mod rules;
mod settle;
mod shared;
#[cfg(feature = "sqlite")]
mod sql;
mod store;
mod unreadable;
mod wait;

pub use approval_term::ApprovalTerm;
pub use approver::{
    Approver, ConfirmationBatch, ConfirmationQuestion, ConfirmationVerdict, Deny, PendingApprover,
    PermissionQuestion, PermissionVerdict,
};
pub use confirmation::{
    ArgumentsPattern, AskOutcome, Bound, ConfirmationBounds, ConfirmationGate, ConfirmationKey,
    ConfirmationRow, ConfirmationState, ConfirmationStore, Confirmations, PatternError,
};
#[cfg(feature = "sqlite")]
pub use mgp_store::sql::SqlStore;
pub use open_decision::OpenDecisionError;
pub use patience::patient_wait;
pub use permissions::{Permissions, PermissionsBuilder};
pub use record::APPROVAL_NEEDED;
pub use row::PermissionRow;
pub use rules::PermissionRules;
#[cfg(feature = "sqlite")]
pub use sql::SqlPermissionStore;
pub use store::{DecisionError, PermissionStore, RecordFuture, ReplacedRows};
pub use unreadable::UnreadablePermission;

pub use crate::stored_rows::StoredRows;
pub use mgp_store::StoreError;

#[cfg(test)]
#[cfg(feature = "full")]
mod tests;
