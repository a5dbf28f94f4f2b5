//! Which events to show.

use mgp_types::{audit::AuditEventType, context::TraceId};

/// Which events to show; what is none lets everything through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditFilter {
    /// Whose.
    pub actor_id: Option<String>,
    /// To which server.
    pub server_id: Option<String>,
    /// Of which type.
    pub event_type: Option<AuditEventType>,
    /// Of which trace.
    pub trace: Option<TraceId>,
    /// How many at most: the latest ones.
    pub last: u32,
}

impl Default for AuditFilter {
    fn default() -> Self {
        Self { actor_id: None, server_id: None, event_type: None, trace: None, last: 100 }
    }
}
