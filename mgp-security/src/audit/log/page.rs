//! A page of the trail, and the position of the next page.

use mgp_types::audit::AuditEvent;
use std::{collections::BTreeMap, sync::Arc};

/// A position in the trail. Events after it are new to its reader. The default is the beginning of the trail.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuditPosition {
    /// The number of earlier files at this path. The numbers of their events mean nothing in this file.
    pub(super) generation: u64,
    pub(super) seq: i64,
    /// The positions in the trails of a database, which have their own numbers.
    pub(super) trails: Arc<BTreeMap<String, TrailPosition>>,
}

/// A position in a trail of a database.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct TrailPosition {
    pub(super) seq: i64,
    /// The day of that event, before which no later one is.
    pub(super) day: i64,
}

/// A page of the trail.
#[derive(Debug, Clone)]
pub struct AuditPage {
    /// The events that match the filter, oldest first, each with its number in `_mgp.seq`.
    pub events: Vec<AuditEvent>,
    /// The position after these events, and after the events that the filter excludes.
    pub next: AuditPosition,
    /// True if there may be more events than the page holds.
    pub has_more: bool,
}
