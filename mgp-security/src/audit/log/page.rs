//! A part of the trail, and where the next one begins.

use mgp_types::audit::AuditEvent;

/// A point in the trail, after which events are new.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuditPosition {
    /// The number of files that stood in the place of this one before: numbers of another file mean nothing here.
    pub(super) generation: u64,
    pub(super) seq: i64,
}

/// A part of the trail.
#[derive(Debug, Clone)]
pub struct AuditPage {
    /// The events that the filter lets through, oldest first, each with its number in `_mgp.seq`.
    pub events: Vec<AuditEvent>,
    /// The position after them, and after those that the filter holds back.
    pub next: AuditPosition,
    /// True where there may be more events than the page holds.
    pub has_more: bool,
}
