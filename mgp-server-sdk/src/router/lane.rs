//! What others wait for, and no limit holds up.

use futures_util::future::{BoxFuture, FutureExt, ready};
use mgp_lifecycle::health::HealthService;
use mgp_stream::method::StreamCancel;
use mgp_transport::seam::{BoxError, Incoming, Reply};
use mgp_types::{
    callback::{CallbackRespondParams, CallbackRespondResult, RespondCallback},
    lifecycle::HealthPing,
    mcp::Ping,
    rpc::{Call, Empty, ErrorObject},
    stream::CancelStream,
};
use std::task::{Context, Poll};
use tower_service::Service;

/// Answers `ping`, `mgp/health/ping`, `mgp/stream/cancel` and `mgp/callback/respond`.
#[derive(Debug, Clone)]
pub(crate) struct Lane {
    health: HealthService,
    cancel: StreamCancel,
}

impl Lane {
    pub(crate) fn new(health: HealthService) -> Self {
        Self { health, cancel: StreamCancel::new() }
    }
}

/// §13.4 No question of this server is open, so every answer comes too late.
fn respond(incoming: &Incoming) -> Result<Reply, ErrorObject> {
    let CallbackRespondParams { .. } = incoming.params.decode()?;
    let refused = CallbackRespondResult { accepted: false, reason: Some("unknown_callback".into()) };
    Ok(Reply::from_value(&refused))
}

impl Service<Incoming> for Lane {
    type Response = Reply;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<Reply, BoxError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, incoming: Incoming) -> Self::Future {
        let reply = match &*incoming.method {
            _ if incoming.is_notification() => Reply::none(),
            HealthPing::METHOD => return self.health.call(incoming),
            CancelStream::METHOD => return self.cancel.call(incoming),
            RespondCallback::METHOD => respond(&incoming).unwrap_or_else(Reply::error),
            Ping::METHOD => Reply::from_value(&Empty::default()),
            other => Reply::error(ErrorObject::method_not_found(other)),
        };
        ready(Ok(reply)).boxed()
    }
}
