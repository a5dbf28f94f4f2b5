//! The events about the trail itself.

use super::{health::Outage, row::Row};
use crate::audit::EventDraft;
use jiff::Timestamp;
use mgp_types::{
    audit::{AuditEventType, AuditResult},
    context::{ActorType, Principal},
};
use std::path::Path;

/// The type of the event that reports an outage, at its end.
const INTERRUPTED: &str = "dev.cloto.mgp.AUDIT_INTERRUPTED";
/// The type of the event that begins a trail whose predecessor was removed or replaced.
const REPLACED: &str = "dev.cloto.mgp.AUDIT_FILE_REPLACED";

/// The type of the event that precedes a removal of the oldest events.
pub(super) const SHORTENED: &str = "dev.cloto.mgp.AUDIT_SHORTENED";

/// The type of the event that reports events of a journal that are not accepted.
const JOURNAL_DAMAGED: &str = "dev.cloto.mgp.AUDIT_JOURNAL_DAMAGED";

/// Returns the event of a damaged journal; the reason is one of `torn`, `changed`, `missing` and `unregistered`.
pub(super) fn journal_damaged(file: &Path, reason: &str) -> Result<Row, String> {
    row(of_the_kernel(JOURNAL_DAMAGED).detail("file", &file.display().to_string()).detail("reason", reason))
}

/// Returns the event of the removal of the oldest events up to a number; the reason is the trail's `age` or `size`.
pub(super) fn shortened(through: i64, reason: &str) -> Result<Row, String> {
    row(of_the_kernel(SHORTENED)
        .result(AuditResult::Success)
        .detail("through_seq", &through)
        .detail("reason", reason))
}

/// Returns the event of an outage.
pub(super) fn interrupted(outage: &Outage) -> Result<Row, String> {
    row(of_the_kernel(INTERRUPTED)
        .detail("since", &outage.since.to_string())
        .detail("until", &Timestamp::now().to_string())
        .detail("reason", &outage.reason)
        .detail("events_failed", &outage.events_failed)
        .detail("calls_refused", &outage.calls_refused))
}

/// Returns the event of the replacement of a trail. `stored` is the number of events that this process had stored in the old trail.
pub(super) fn replaced(file: &Path, stored: u64, last_seq: i64) -> Result<Row, String> {
    row(of_the_kernel(REPLACED)
        .detail("file", &file.display().to_string())
        .detail("events_stored", &stored)
        .detail("last_seq", &last_seq))
}

fn of_the_kernel(event_type: &str) -> EventDraft {
    let kernel = Principal::new("kernel", ActorType::Kernel, false);
    EventDraft::new(AuditEventType::from(event_type), &kernel).result(AuditResult::Failure)
}

fn row(draft: EventDraft) -> Result<Row, String> {
    Row::new(&draft.finish()).map_err(|error| error.to_string())
}
