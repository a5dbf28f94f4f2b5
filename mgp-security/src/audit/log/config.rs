//! Settings of the trail.

/// When an event counts as stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Durability {
    /// It survives the end of the process, however sudden. An event that comes alone may be stored on the thread that records it,
    /// which takes some 50 µs; after one that took a millisecond, the next ones go by the writer's thread for a while.
    #[default]
    Process,
    /// It survives the loss of power. Costs a flush of the disk for each group of events.
    Power,
}

/// Settings of the trail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditLogConfig {
    /// When an event counts as stored.
    pub durability: Durability,
    /// How many events may wait for the writer; a caller past that waits for room.
    pub queue: usize,
    /// How many events one transaction stores at most.
    pub group: usize,
}

impl Default for AuditLogConfig {
    fn default() -> Self {
        Self { durability: Durability::Process, queue: 8192, group: 1024 }
    }
}
