//! The last checkpoint that a running call has saved.

use mgp_types::{
    checkpoint::{CHECKPOINT_KEY, CheckpointToken},
    json::RawJson,
    mcp::CallToolResult,
};
use parking_lot::Mutex;
use std::sync::Arc;

/// The last checkpoint that a running call has saved. Clones share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct CheckpointSlot(Arc<Mutex<Option<CheckpointToken>>>);

impl CheckpointSlot {
    pub(super) fn set(&self, token: Option<CheckpointToken>) {
        *self.0.lock() = token;
    }

    /// Adds the checkpoint to the result of a failed tool.
    pub(crate) fn put(&self, result: &mut CallToolResult) {
        if !result.failed() {
            return;
        }
        if let Some(CheckpointToken(token)) = self.0.lock().take() {
            result.meta.get_or_insert_default().insert(CHECKPOINT_KEY, RawJson::string(&token));
        }
    }
}
