//! The sink that counts events of the audit trail.

use super::Metrics;
use mgp_security::audit::{AuditError, AuditSink, StoreFuture};
use mgp_types::audit::AuditEvent;
use std::sync::Arc;

/// A sink that counts each event, and measures the time that its inner sink needs to store the event.
#[derive(Debug)]
pub(crate) struct CountingSink {
    inner: Arc<dyn AuditSink>,
    metrics: Arc<Metrics>,
}

impl CountingSink {
    /// Creates a sink that counts in `metrics`.
    pub(crate) fn new(inner: Arc<dyn AuditSink>, metrics: Arc<Metrics>) -> Self {
        Self { inner, metrics }
    }
}

impl AuditSink for CountingSink {
    fn record(&self, event: AuditEvent) -> StoreFuture {
        let timer = self.metrics.storing(&event);
        let stored = self.inner.record(event);
        StoreFuture::after(async move {
            let outcome = stored.await;
            drop(timer);
            outcome
        })
    }

    fn keeps(&self) -> bool {
        self.inner.keeps()
    }

    fn admit(&self) -> Result<(), AuditError> {
        self.inner.admit()
    }
}
