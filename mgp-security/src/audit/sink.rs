//! Where events go.

use super::Stored;
use mgp_types::audit::AuditEvent;
use std::{fmt, sync::Arc};

/// Where events go.
pub trait AuditSink: fmt::Debug + Send + Sync + 'static {
    /// Takes an event. It is stored when the answer says so; the answer may be dropped, and the event is stored still.
    fn record(&self, event: AuditEvent) -> Stored;

    /// Whether events are kept at all. Where they are not, none is made.
    fn keeps(&self) -> bool {
        true
    }
}

/// Why an event could not be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditError(Arc<str>);

impl AuditError {
    /// An error with its reason.
    #[must_use]
    pub fn new(reason: &str) -> Self {
        Self(reason.into())
    }
}

impl fmt::Display for AuditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "failed to store the audit event: {}", self.0)
    }
}

impl std::error::Error for AuditError {}
