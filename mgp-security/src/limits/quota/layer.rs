//! The layer that spends the units of calls.

use super::{QuotaSpending, Quotas};
use mgp_transport::seam::ToolCall;
use tower_layer::Layer;

/// The layer that spends a call's units directly before dispatch. A call whose quota has too little left is refused.
///
/// A call that reaches no server gets its units back, even if its future is dropped. Only a call that is dropped while its units are
/// being spent keeps them spent. The call's [record](mgp_transport::seam::Record) states whether it reached a server, so the inner service
/// has to note each attempt there: a call without a noted attempt spends nothing.
///
#[cfg_attr(feature = "sqlite", doc = "```")]
#[cfg_attr(not(feature = "sqlite"), doc = "```ignore")]
/// use mgp_security::limits::quota::{QuotaSpendingLayer, Quotas, SqlQuotaStore, SqlStore};
/// use mgp_transport::seam::{BoxError, Reply, ToolCall};
/// use mgp_types::json::RawJson;
/// use std::sync::Arc;
/// use tower::{Layer, service_fn};
///
/// let server = service_fn(|call: ToolCall| async move {
///     // The service that sends a call notes the attempt in its record.
///     call.record.update(|record| record.attempts += 1);
///     Ok::<_, BoxError>(Reply::ok(RawJson::empty_object()))
/// });
/// let server = QuotaSpendingLayer::new(Quotas::new(Arc::new(SqlQuotaStore::in_memory()))).layer(server);
/// # let _ = server;
/// ```
#[derive(Debug, Clone)]
pub struct QuotaSpendingLayer {
    quotas: Quotas,
    spare: fn(&ToolCall) -> bool,
}

impl QuotaSpendingLayer {
    /// Creates a layer, which passes every call that no quota covers.
    #[must_use]
    pub fn new(quotas: Quotas) -> Self {
        Self { quotas, spare: |_| false }
    }

    /// Sets the calls that are never refused. Such a call spends its units if there are enough, and otherwise passes without spending.
    #[must_use]
    pub fn spare(self, spare: fn(&ToolCall) -> bool) -> Self {
        Self { spare, ..self }
    }
}

impl<S> Layer<S> for QuotaSpendingLayer {
    type Service = QuotaSpending<S>;

    fn layer(&self, inner: S) -> QuotaSpending<S> {
        QuotaSpending { inner, quotas: self.quotas.clone(), spare: self.spare }
    }
}
