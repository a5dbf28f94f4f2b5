//! The audit trails of all replicas.

use crate::{
    ledger::{AuditComparison, Book, TrailCounts, audit},
    replicas::machines::Replica,
};
use mgp_types::audit::AuditEvent;
use std::collections::BTreeSet;

/// The audit trails of all replicas, and their comparison with the calls.
#[derive(Debug, Default)]
pub(crate) struct Trails {
    pub(crate) events: usize,
    pub(crate) audited: AuditComparison,
    /// Events that undo a step, which no host sent.
    pub(crate) undone: usize,
}

/// Reads and verifies the trails of the replicas, and compares them with the calls of the hosts, and with the trails in the database.
pub(crate) fn trails(replicas: &[Replica], book: &Book) -> Result<Trails, String> {
    let (mut trails, mut counts) = (Trails::default(), TrailCounts::default());
    let mut local = BTreeSet::new();
    for replica in replicas {
        replica.run(&["audit", "verify", "--local"])?;
        for line in replica.run(&["audit", "export", "--local"])?.lines() {
            let event = event(replica, line)?;
            trails.events += 1;
            local.insert(key(&event));
            let tool = event.target.get().and_then(|target| target.tool_name.get());
            if tool.is_some_and(|tool| tool.starts_with("undo_")) {
                trails.undone += 1;
            } else {
                counts.take(&event);
            }
        }
    }
    trails.audited = audit(book, &counts);
    for replica in replicas {
        // Copies the last events of a replica that was killed.
        replica.run(&["audit", "verify"])?;
    }
    let Some(replica) = replicas.first() else { return Ok(trails) };
    let (mut copied, mut numbers) = (BTreeSet::new(), BTreeSet::new());
    for line in replica.run(&["audit", "export"])?.lines() {
        let event = event(replica, line)?;
        let trail = event.mgp.as_ref().and_then(|mgp| mgp.text("trail"));
        if !numbers.insert((trail, event.seq())) {
            return Err(format!("an event is twice in the database: {line}"));
        }
        copied.insert(key(&event));
    }
    match local.difference(&copied).next() {
        None => Ok(trails),
        Some(missing) => Err(format!("an event of a replica is not in the database: {missing:?}")),
    }
}

fn event(replica: &Replica, line: &str) -> Result<AuditEvent, String> {
    serde_json::from_str(line)
        .map_err(|error| format!("an event of {} cannot be read: {error}: {line}", replica.machine.name))
}

/// Returns the number, the time, the type and the trace of an event, by which it is the same in the database.
fn key(event: &AuditEvent) -> (Option<u64>, String, String, Option<String>) {
    let trace = event.trace_id.get().map(ToString::to_string);
    (event.seq(), event.timestamp.clone(), event.event_type.to_string(), trace)
}
