//! The setters for the audit trail and metrics.

use super::KernelBuilder;
use mgp_discovery::config::AuditBefore;
use mgp_security::audit::{AuditLog, AuditSink};
use std::sync::Arc;

impl KernelBuilder {
    /// Sets a write-only sink of audit events; see [`audit_log`](Self::audit_log).
    #[must_use]
    pub fn audit_sink(self, sink: impl AuditSink) -> Self {
        self.set(move |settings| {
            settings.sink = Arc::new(sink);
            settings.audit_log = None;
        })
    }

    /// Sets the log of audit events, which can also be read.
    #[must_use]
    pub fn audit_log(self, log: AuditLog) -> Self {
        self.set(move |settings| {
            settings.sink = Arc::new(log.clone());
            settings.audit_log = Some(log);
        })
    }

    /// Sets the server, by its id, to which all events of the [log](Self::audit_log) are forwarded, oldest first. If it negotiates MGP's
    /// extension `audit`, it gets each event at least once, with its number in `_mgp.seq`. It runs as long as the kernel:
    /// [`ServerSpec::lazy`](crate::ServerSpec::lazy) and [`ServerSpec::idle_timeout`](crate::ServerSpec::idle_timeout) are
    /// ignored for it.
    #[must_use]
    pub fn audit_server(self, id: impl Into<String>) -> Self {
        let id = id.into();
        self.set(move |settings| settings.audit_server = Some(id))
    }

    /// Sets the calls before which an event is stored, so that a call that was running when the kernel was killed leaves a trace; those
    /// of dangerous tools by default.
    #[must_use]
    pub fn audit_before(self, calls: AuditBefore) -> Self {
        self.set(move |settings| settings.audit_before = calls)
    }

    /// Sets whether the audit trail records servers that connect and disconnect; `true` by default. A kernel that lives for a
    /// single request would fill the trail with such events.
    #[must_use]
    pub fn lifecycle_events(self, recorded: bool) -> Self {
        self.set(move |settings| settings.lifecycle_events = recorded)
    }

    /// Counts calls, refusals, events of the audit trail and searches, for [`Kernel::metrics`](crate::Kernel::metrics). At most
    /// `tools` tools are counted separately, in the order of their first calls. The others are counted together. By default, nothing is
    /// counted.
    #[cfg(feature = "metrics")]
    #[must_use]
    pub fn metrics(self, tools: usize) -> Self {
        self.set(move |settings| settings.metrics = Some(tools))
    }
}
