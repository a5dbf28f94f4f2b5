//! A sink of audit events that finds the questions among them.

use super::{Notifier, notice::Notice};
use mgp_security::audit::{AuditError, AuditLog, AuditSink, StoreFuture};
use mgp_types::audit::AuditEvent;

/// A sink that notifies the targets of each question, and passes all events on to the trail.
#[derive(Debug)]
pub(crate) struct NotifyingSink {
    trail: AuditLog,
    notifier: Notifier,
}

impl NotifyingSink {
    pub(crate) const fn new(trail: AuditLog, notifier: Notifier) -> Self {
        Self { trail, notifier }
    }
}

impl AuditSink for NotifyingSink {
    fn record(&self, event: AuditEvent) -> StoreFuture {
        // The question waits even if its event cannot be stored, so the operator is notified in any case.
        if !self.notifier.is_empty()
            && let Some(notice) = Notice::of_event(&event)
        {
            self.notifier.notify(notice);
        }
        self.trail.record(event)
    }

    fn keeps(&self) -> bool {
        self.trail.keeps()
    }

    fn admit(&self) -> Result<(), AuditError> {
        self.trail.admit()
    }

    fn log(&self) -> Option<AuditLog> {
        self.trail.log()
    }
}
