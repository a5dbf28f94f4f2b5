//! What hosts wait for while calls run: answered beside the pipeline, so that no limit holds it up.

use futures_core::future::BoxFuture;
use mgp_lifecycle::health::{Health, HealthService};
use mgp_stream::method::StreamCancel;
use mgp_transport::seam::{BoxError, Incoming, Reply};
use mgp_types::{
    callback::{CallbackRespondParams, CallbackRespondResult, RespondCallback},
    json::RawJson,
    lifecycle::HealthPing,
    mcp::Ping,
    rpc::{Call, ErrorObject},
    stream::CancelStream,
};
use std::task::{Context, Poll};
use tower_service::Service;

/// Answers `ping`, `mgp/health/ping`, `mgp/stream/cancel` and `mgp/callback/respond`. None of them runs a tool.
#[derive(Debug, Clone)]
pub(super) struct Lane {
    health: HealthService,
    cancel: StreamCancel,
}

impl Lane {
    pub(super) fn new(health: Health) -> Self {
        Self { health: HealthService::new(health), cancel: StreamCancel::new() }
    }
}

impl Service<Incoming> for Lane {
    type Response = Reply;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<Reply, BoxError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, message: Incoming) -> Self::Future {
        match &*message.method {
            HealthPing::METHOD => self.health.call(message),
            CancelStream::METHOD => self.cancel.call(message),
            _ => Box::pin(async move { Ok(answer(&message)) }),
        }
    }
}

fn answer(message: &Incoming) -> Reply {
    match &*message.method {
        Ping::METHOD => Reply::ok(RawJson::empty_object()),
        // The kernel asks hosts by elicitation, so there is no callback of its own that could be answered.
        RespondCallback::METHOD => match message.params.decode::<CallbackRespondParams>() {
            Ok(_) => Reply::from_value(&CallbackRespondResult {
                accepted: false,
                reason: Some("no such callback is open".to_owned()),
            }),
            Err(error) => Reply::error(error),
        },
        other => Reply::error(ErrorObject::method_not_found(other)),
    }
}
