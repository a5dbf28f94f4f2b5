//! The layer that puts a circuit breaker around a server.

use super::{Breaker, CircuitBreaker};
use crate::state::StateMachine;
use tower_layer::Layer;

/// The layer that refuses calls while the circuit breaker of their server is open.
///
/// The layer judges tool calls and lets everything else through. If a call has a record, inner services note there whether the server
/// [answered](mgp_transport::seam::Record::answered). For a call without a record, a result counts as an answer, and a failure of the inner
/// service as no answer. A reply with an error does not count.
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
    machine: Option<StateMachine>,
}

impl BreakerLayer {
    /// Creates a layer for the server that the breaker belongs to.
    #[must_use]
    pub const fn new(breaker: CircuitBreaker) -> Self {
        Self { breaker, machine: None }
    }

    /// Sets the state of the server. While the server is not connected, calls are passed on to the inner services.
    #[must_use]
    pub fn server(mut self, machine: StateMachine) -> Self {
        self.machine = Some(machine);
        self
    }
}

impl<S> Layer<S> for BreakerLayer {
    type Service = Breaker<S>;

    fn layer(&self, inner: S) -> Breaker<S> {
        Breaker::new(inner, self.breaker.clone(), self.machine.clone())
    }
}
