//! The layer that puts a circuit breaker around a server.

use super::{Breaker, CircuitBreaker};
use tower_layer::Layer;

/// The layer that refuses calls while the circuit breaker of their server is open.
///
/// A reply without an error counts as a success, and a failure of the inner service as a failure. A reply with an error counts as neither:
/// the server answered, or a service that knows more has told the breaker.
///
/// ```
/// use mgp_lifecycle::breaker::{BreakerLayer, BreakerPolicy, CircuitBreaker};
/// use mgp_transport::seam::{BoxError, Incoming, Reply};
/// use mgp_types::{error::ErrorCode, rpc::RawParams};
/// use tower::{ServiceBuilder, ServiceExt, service_fn};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), BoxError> {
/// let breaker = CircuitBreaker::new("weather", BreakerPolicy { failures: 1, ..BreakerPolicy::default() });
/// let gone = service_fn(|_: Incoming| async { Err::<Reply, BoxError>("the connection is gone".into()) });
/// let server = ServiceBuilder::new().layer(BreakerLayer::new(breaker)).service(gone);
/// let call = || Incoming::request(1, "tools/call", RawParams::none());
/// assert!(server.clone().oneshot(call()).await.is_err());
/// let reply = server.oneshot(call()).await?;
/// assert_eq!(reply.as_error().map(|error| error.code), Some(i64::from(ErrorCode::ServerNotReady)));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct BreakerLayer {
    breaker: CircuitBreaker,
}

impl BreakerLayer {
    /// Creates a layer for the server that the breaker belongs to.
    #[must_use]
    pub const fn new(breaker: CircuitBreaker) -> Self {
        Self { breaker }
    }
}

impl<S> Layer<S> for BreakerLayer {
    type Service = Breaker<S>;

    fn layer(&self, inner: S) -> Breaker<S> {
        Breaker::new(inner, self.breaker.clone())
    }
}
