//! A sink that keeps nothing.

use super::{AuditSink, StoreFuture};
use mgp_types::audit::AuditEvent;

/// A sink that keeps nothing, for a client of one server that needs no trail.
#[derive(Debug, Clone, Copy, Default)]
pub struct NullSink;

impl AuditSink for NullSink {
    fn record(&self, _: AuditEvent) -> StoreFuture {
        StoreFuture::ready(Ok(()))
    }

    fn keeps(&self) -> bool {
        false
    }
}
