//! §3 Permissions, and the confirmation of §4.4.
//!
//! [`Permissions`] holds the standing of every permission of every server, and is the gate in the pipeline: it asks an
//! [`Approver`] if the policy says so. [`ConfirmationGate`] asks before a dangerous call; [`Confirmations`] gives access to the
//! open questions about calls and their answers. A [`PermissionStore`] keeps the decisions and the questions of both.

mod approver;
mod confirmation;
mod evaluate;
mod judge;
mod operator;
mod permissions;
mod questions;
mod record;
mod refusal;
mod row;
mod rules;
mod settle;
mod store;
mod unreadable;
mod wait;

pub use approver::{
    Approver, ConfirmationQuestion, ConfirmationVerdict, Deny, PendingApprover, PermissionQuestion,
    PermissionVerdict,
};
pub use confirmation::{
    ApprovalTerm, ConfirmationGate, ConfirmationKey, ConfirmationRow, ConfirmationState, Confirmations,
};
pub use permissions::{Permissions, PermissionsBuilder};
pub use row::PermissionRow;
pub use rules::PermissionRules;
pub use store::PermissionStore;
pub use unreadable::UnreadablePermission;

pub use mgp_store::StoreError;

use crate::stored_rows::StoredRows;
use store::{DecisionError, RecordFuture, ReplacedRows};

#[cfg(test)]
#[cfg(feature = "full")]
mod tests;
