//! The counters of calls.

#[cfg(feature = "metrics")]
use super::Metrics;
use super::Traffic;
use std::sync::Arc;

/// The counters of calls. A clone refers to the same counters.
#[derive(Debug, Clone, Default)]
pub(crate) struct CallCounters {
    /// The calls of the last minutes.
    pub(crate) traffic: Arc<Traffic>,
    /// The counters for Prometheus; `None` if the kernel has none.
    #[cfg(feature = "metrics")]
    pub(crate) metrics: Option<Arc<Metrics>>,
}
