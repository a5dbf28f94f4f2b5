//! The checkpoint that a running call has saved last.

use mgp_types::{
    checkpoint::{CHECKPOINT_KEY, CheckpointToken},
    json::RawJson,
    mcp::CallToolResult,
};
use parking_lot::Mutex;
use std::sync::Arc;

/// The checkpoint that a running call has saved last. Clones share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct CheckpointSlot(Arc<Mutex<Option<CheckpointToken>>>);

impl CheckpointSlot {
    pub(super) fn set(&self, token: Option<CheckpointToken>) {
        *self.0.lock() = token;
    }

    /// Puts the checkpoint into a result that says that the tool failed.
    pub(crate) fn put(&self, result: &mut CallToolResult) {
        if !result.failed() {
            return;
        }
        if let Some(CheckpointToken(token)) = self.0.lock().take() {
            result.meta.get_or_insert_default().insert(CHECKPOINT_KEY, RawJson::string(&token));
        }
    }
}
