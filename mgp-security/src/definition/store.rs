//! The store of pins.

use super::{DecisionError, PinnedDefinition, RecordFuture, StoreError, StoredRows, UnreadablePin};
use async_trait::async_trait;
use mgp_types::context::ToolId;
use std::fmt;

/// The most pins of one server.
pub const MAX_PINS: usize = 10_000;

/// A store of pins: one row for each tool.
#[async_trait]
pub trait DefinitionStore: fmt::Debug + Send + Sync + 'static {
    /// Reads every row.
    async fn load(&self) -> Result<StoredRows<PinnedDefinition, UnreadablePin>, StoreError>;

    /// Reads the rows of the tools whose servers list another definition than the pinned one.
    async fn load_changed(&self) -> Result<StoredRows<PinnedDefinition, UnreadablePin>, StoreError>;

    /// Stores the pins of tools that have none yet, while their servers have fewer than [`MAX_PINS`]. Returns the tools that were pinned:
    /// of several callers, only one pins a tool.
    async fn pin(&self, pins: Vec<PinnedDefinition>) -> Result<Vec<ToolId>, StoreError>;

    /// Stores `after` if the row of its tool still holds the definitions of `before`. Returns whether it did.
    ///
    /// `event` is run before the change takes effect, so that only the process whose change takes effect records it, and a change that
    /// cannot be recorded is not stored.
    async fn replace(
        &self,
        before: &PinnedDefinition,
        after: PinnedDefinition,
        event: Option<RecordFuture>,
    ) -> Result<bool, DecisionError>;

    /// Removes the pins of a server, or that of one of its tools, including unreadable ones. Returns the number of rows.
    async fn remove(&self, server_id: &str, tool_name: Option<&str>) -> Result<usize, StoreError>;

    /// Returns a number that changes when another process has changed a row.
    async fn version(&self) -> Result<i64, StoreError>;
}
