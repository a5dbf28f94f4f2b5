//! Settings of the trail.

use super::AuditRetention;

/// The point at which an event counts as stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Durability {
    /// An event is stored once it survives the end of the process, however sudden. An event may be stored on the thread that records
    /// it. After a write that took a millisecond, events go to the writer's thread for a while.
    #[default]
    Process,
    /// An event is stored once it survives the loss of power. Costs a flush of the disk for each group of events.
    Power,
}

/// The place that an event must have reached to count as stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum JournalMode {
    /// A journal of this process, which costs a few µs for each event. A thread moves its events into the SQLite file in groups.
    #[default]
    Local,
    /// The SQLite file, and the database if there is one.
    Store,
}

/// Settings of the trail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditLogConfig {
    /// The point at which an event counts as stored.
    pub durability: Durability,
    /// The place that an event must have reached to count as stored.
    pub journal: JournalMode,
    /// The number of events that may wait for the writer. Beyond that, callers wait for room.
    pub queue: usize,
    /// The most events that one transaction stores.
    pub group: usize,
    /// The events that the trail keeps.
    pub retention: AuditRetention,
}

impl Default for AuditLogConfig {
    fn default() -> Self {
        Self {
            durability: Durability::Process,
            journal: JournalMode::Local,
            queue: 8192,
            group: 1024,
            retention: AuditRetention::default(),
        }
    }
}
