//! The layer that sends a call at most once for each idempotency key.

use super::{Idempotency, IdempotencySettings, IdempotencyStore, keys::Keys};
#[cfg(test)]
use jiff::Timestamp;
use mgp_transport::seam::{Refusal, ToolCall};
use mgp_types::rpc::{ErrorObject, RawResult};
use std::{fmt, sync::Arc};
use tower_layer::Layer;

/// The layer that makes a call with an idempotency key once, and answers later calls with the same answer. It goes inside every gate, so that
/// rights are judged each time, and directly around dispatch.
///
/// A call without a key passes unchanged.
///
#[cfg_attr(feature = "sqlite", doc = "```")]
#[cfg_attr(not(feature = "sqlite"), doc = "```ignore")]
/// use mgp_lifecycle::idempotency::{IdempotencyLayer, IdempotencySettings, SqlIdempotencyStore};
/// use mgp_transport::seam::{BoxError, Reply, ToolCall};
/// use mgp_types::json::RawJson;
/// use std::sync::Arc;
/// use tower::{Layer, ServiceExt, service_fn};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), BoxError> {
/// let server = service_fn(|call: ToolCall| async move {
///     // The service that sends a call records the attempt.
///     call.record.update(|record| record.attempts += 1);
///     Ok::<_, BoxError>(Reply::ok(RawJson::empty_object()))
/// });
/// let layer = IdempotencyLayer::new(Arc::new(SqlIdempotencyStore::in_memory()), IdempotencySettings::default());
/// let server = layer.layer(server);
/// # let _ = server;
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct IdempotencyLayer(pub(super) Arc<Keys>);

impl IdempotencyLayer {
    /// Creates a layer. Inside a tokio runtime, expired entries are removed once a minute for as long as the layer is used.
    #[must_use]
    pub fn new(store: Arc<dyn IdempotencyStore>, settings: IdempotencySettings) -> Self {
        Self(Arc::new(Keys::new(store, settings)))
    }

    /// Sets a function that judges a call again after it has waited for the first call with its key, because its caller may have lost the
    /// right to the answer meanwhile.
    #[must_use]
    pub fn judge_again(
        self,
        judge: impl Fn(&ToolCall) -> Result<(), Refusal> + Send + Sync + 'static,
    ) -> Self {
        self.with(|keys| keys.judge = Some(Arc::new(judge)))
    }

    /// Sets a function that fits a kept result to the host that receives it, which may support less than the first host.
    #[must_use]
    pub fn fit(
        self,
        fit: impl Fn(&ToolCall, RawResult) -> Result<RawResult, ErrorObject> + Send + Sync + 'static,
    ) -> Self {
        self.with(|keys| keys.fit = Some(Arc::new(fit)))
    }

    /// Sets the clock.
    #[cfg(test)]
    pub(super) fn clock(self, now: fn() -> Timestamp) -> Self {
        self.with(|keys| keys.now = now)
    }

    fn with(self, change: impl FnOnce(&mut Keys)) -> Self {
        let mut keys = Arc::unwrap_or_clone(self.0);
        change(&mut keys);
        Self(Arc::new(keys))
    }
}

impl<S> Layer<S> for IdempotencyLayer {
    type Service = Idempotency<S>;

    fn layer(&self, inner: S) -> Idempotency<S> {
        Idempotency { inner, keys: self.0.clone() }
    }
}

impl fmt::Debug for IdempotencyLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("IdempotencyLayer").field(&self.0).finish()
    }
}
