//! Pins of tools' definitions: a tool whose definition differs from its pin is reported, or withheld.
//!
//! [`Definitions`] pins the definitions that servers list, answers from a snapshot in memory, and is the gate in the pipeline. A
//! [`DefinitionStore`] keeps the pins. [`DefinitionDiff`] lists the changes, and whether they break callers.

mod command;
mod definitions;
mod diff;
mod judge;
mod observe;
mod pin;
mod pins;
mod scan;
#[cfg(feature = "sqlite")]
mod sql;
mod store;
#[cfg(test)]
#[cfg(feature = "full")]
mod tests;
mod text;

pub use definitions::Definitions;
pub use diff::{DefinitionDiff, Difference, Effect, VersionCheck};
pub use judge::{DefinitionStanding, HoldReason};
#[cfg(feature = "sqlite")]
pub use mgp_store::sql::SqlStore;
pub use observe::{Occasion, TOOL_CHANGED};
pub use pin::{ChangedDefinition, PinnedDefinition, UnreadablePin};
pub use scan::{Finding, FindingKind, ToolNames, scan};
#[cfg(feature = "sqlite")]
pub use sql::SqlDefinitionStore;
pub use store::{DefinitionStore, MAX_PINS};
pub use text::DefinitionText;

pub use crate::{
    permission::{DecisionError, RecordFuture, StoreError},
    stored_rows::StoredRows,
};
pub use mgp_types::tool_security::{DefinitionHash, OnChange};
