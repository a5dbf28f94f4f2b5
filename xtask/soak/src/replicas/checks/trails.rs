//! The audit trails of all replicas.

use crate::{
    ledger::{AuditComparison, Book, TrailCounts, audit},
    replicas::machines::Replica,
};
use mgp_types::audit::AuditEvent;

/// The audit trails of all replicas, and their comparison with the calls.
#[derive(Debug, Default)]
pub(crate) struct Trails {
    pub(crate) events: usize,
    pub(crate) audited: AuditComparison,
    /// Events that undo a step, which no host sent.
    pub(crate) undone: usize,
}

/// Reads and verifies the trails, and compares them with the calls of the hosts.
pub(crate) fn trails(replicas: &[Replica], book: &Book) -> Result<Trails, String> {
    let (mut trails, mut counts) = (Trails::default(), TrailCounts::default());
    for replica in replicas {
        replica.run(&["audit", "verify"])?;
        for line in replica.run(&["audit", "export"])?.lines() {
            let event: AuditEvent = serde_json::from_str(line).map_err(|error| {
                format!("an event of {} cannot be read: {error}: {line}", replica.machine.name)
            })?;
            trails.events += 1;
            let tool = event.target.get().and_then(|target| target.tool_name.get());
            if tool.is_some_and(|tool| tool.starts_with("undo_")) {
                trails.undone += 1;
            } else {
                counts.take(&event);
            }
        }
    }
    trails.audited = audit(book, &counts);
    Ok(trails)
}
