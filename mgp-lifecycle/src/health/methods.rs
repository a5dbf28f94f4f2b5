//! `mgp/health/ping` and `mgp/health/status`, as a service.

use super::Health;
use futures_util::future::BoxFuture;
use mgp_transport::seam::{BoxError, Incoming, Reply};
use mgp_types::{
    lifecycle::{CheckHealth, HealthPing, HealthPingParams},
    rpc::{Call, ErrorObject},
};
use std::task::{Context, Poll};
use tower_service::Service;

/// Answers `mgp/health/ping` and `mgp/health/status`.
///
/// A ping belongs on the connection's lane, where no limit delays it: it is answered at once with the status known so
/// far. A request for the status runs the checks and belongs in the ordinary service.
#[derive(Debug, Clone)]
pub struct HealthService {
    health: Health,
}

/// The future of [`HealthService`]. Health is asked for rarely, so the cost of a box does not matter.
pub type HealthFuture = BoxFuture<'static, Result<Reply, BoxError>>;

impl HealthService {
    /// Creates a service that reports the health of a server.
    #[must_use]
    pub fn new(health: Health) -> Self {
        Self { health }
    }
}

impl Service<Incoming> for HealthService {
    type Response = Reply;
    type Error = BoxError;
    type Future = HealthFuture;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, incoming: Incoming) -> HealthFuture {
        let health = self.health.clone();
        Box::pin(async move {
            if incoming.is_notification() {
                return Ok(Reply::none());
            }
            Ok(match &*incoming.method {
                HealthPing::METHOD => match incoming.params.decode::<HealthPingParams>() {
                    Ok(_) => Reply::from_value(&health.ping()),
                    Err(error) => Reply::error(error),
                },
                CheckHealth::METHOD => Reply::from_value(&health.report().await),
                other => Reply::error(ErrorObject::method_not_found(other)),
            })
        })
    }
}
