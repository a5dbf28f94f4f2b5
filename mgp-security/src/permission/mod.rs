//! §3 Permissions, and the confirmation of §4.4.
//!
//! [`Permissions`] knows where every permission of every server stands; a [`PermissionStore`] keeps the decisions.
//! [`PermissionLayer`] is the gate in the pipeline: it asks an [`Approver`] where the policy says so. [`ConfirmationLayer`]
//! asks before a dangerous call.

mod approver;
mod confirmation;
mod evaluate;
mod layer;
mod memory;
mod operator;
mod permissions;
mod questions;
mod row;
mod rules;
mod service;
mod settle;
#[cfg(feature = "sqlite")]
mod sqlite;
mod store;
mod unreadable;

pub use approver::{Approver, ConfirmationQuestion, Deny, Pending, PermissionQuestion, PermissionVerdict};
pub use confirmation::{Confirm, ConfirmationLayer};
pub use layer::PermissionLayer;
pub use memory::MemoryPermissionStore;
pub use permissions::{Permissions, PermissionsBuilder};
pub use row::PermissionRow;
pub use rules::PermissionRules;
pub use service::RequirePermission;
#[cfg(feature = "sqlite")]
pub use sqlite::SqlitePermissionStore;
pub use store::{DecisionError, PermissionStore, Recording, Replaces};
pub use unreadable::UnreadablePermission;

pub use crate::{
    follow::{StoreError, StoredRows},
    gate::{ResponseFuture, Waited},
};

#[cfg(test)]
#[cfg(feature = "full")]
mod tests;
