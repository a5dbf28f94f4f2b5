//! The kernel's own events in the audit trail.

use mgp_security::audit::{AuditLog, AuditSink};
use mgp_types::{
    audit::{AuditEvent, AuditEventType},
    context::{ActorType, Principal},
};
use std::{sync::Arc, time::Duration};
use tokio::time::timeout;

/// The longest time for which the end of a kernel waits until its last events are in the database.
const COPY: Duration = Duration::from_secs(3);

/// The audit trail, and the kernel as an actor in it.
#[derive(Debug)]
pub(crate) struct Trail {
    pub(crate) myself: Principal,
    pub(crate) sink: Arc<dyn AuditSink>,
    /// The log with readable events; `None` if the sink keeps none.
    pub(crate) log: Option<AuditLog>,
    /// The server to which events are forwarded.
    pub(crate) receiver: Option<String>,
    /// True if servers that connect and disconnect are recorded.
    lifecycle_events: bool,
    /// Rejected HTTP requests without an event.
    #[cfg(feature = "http")]
    pub(crate) denials: super::denials::Denials,
}

impl Trail {
    pub(crate) fn new(
        sink: Arc<dyn AuditSink>,
        log: Option<AuditLog>,
        receiver: Option<String>,
        lifecycle_events: bool,
    ) -> Self {
        Self {
            myself: Principal::new("kernel", ActorType::Kernel, false),
            sink,
            log,
            receiver,
            lifecycle_events,
            #[cfg(feature = "http")]
            denials: super::denials::Denials::default(),
        }
    }

    /// Stores an event that belongs to no call. An event that cannot be stored is logged.
    pub(crate) async fn store(&self, event: AuditEvent) {
        let lifecycle =
            matches!(event.event_type, AuditEventType::ServerConnected | AuditEventType::ServerDisconnected);
        if lifecycle && !self.lifecycle_events {
            return;
        }
        if let Err(error) = self.sink.record(event).await {
            tracing::error!(%error, "an event of the kernel was lost");
        }
    }

    /// Records pending events, and waits until every event is on the disk.
    pub(crate) async fn flush(&self) {
        #[cfg(feature = "http")]
        self.record_denials().await;
        if let Some(log) = &self.log
            && let Err(error) = log.flush().await
        {
            tracing::error!(%error, "the last events were lost");
        }
        if let Some(log) = self.log.as_ref().filter(|log| log.database().is_some()) {
            let reason = match timeout(COPY, log.copied()).await {
                Ok(Ok(())) => return,
                Ok(Err(error)) => error.to_string(),
                Err(_) => format!("it took longer than {} s", COPY.as_secs()),
            };
            tracing::warn!(
                reason,
                "the last events are copied to the database when the state folder is used again"
            );
        }
    }
}
