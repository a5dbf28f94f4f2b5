//! The change of the session's state by a running call.

use mgp_types::{
    json::{Nullable, RawJson},
    mcp::CallToolResult,
    session_state::{SESSION_STATE_KEY, SessionStateToken},
};
use parking_lot::Mutex;
use std::sync::Arc;

/// The change of the session's state by a running call. Clones share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct SessionStateSlot(Arc<Mutex<Nullable<SessionStateToken>>>);

impl SessionStateSlot {
    pub(super) fn set(&self, change: Nullable<SessionStateToken>) {
        *self.0.lock() = change;
    }

    /// Adds the change to a result.
    pub(crate) fn put(&self, result: &mut CallToolResult) {
        let token = match std::mem::take(&mut *self.0.lock()) {
            Nullable::Absent => return,
            Nullable::Null => RawJson::null(),
            Nullable::Value(SessionStateToken(token)) => RawJson::string(&token),
        };
        result.meta.get_or_insert_default().insert(SESSION_STATE_KEY, token);
    }
}
