//! Methods that are answered beside the pipeline of a connection, so that no limit delays them: other work waits for their answers.
//!
//! A [`ServerStack`](crate::ServerStack) has a lane. A server that is put together from single layers uses this one:
//!
//! ```
//! use mgp_lifecycle::health::Health;
//! use mgp_server_sdk::lane::Lane;
//! use mgp_transport::{connection::Connection, memory, seam::{BoxError, Incoming, Reply}};
//! use mgp_types::rpc::RawParams;
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), BoxError> {
//! let busy = tower::service_fn(|_: Incoming| std::future::pending::<Result<Reply, BoxError>>());
//! let (here, there) = memory::pair();
//! let _server = Connection::builder(busy.clone()).lane(Lane::new(Health::new("busy"))).over(there.0, there.1);
//! let client = Connection::builder(busy).over(here.0, here.1);
//! let pong = client.peer().request_raw("ping", RawParams::none()).await?;
//! assert_eq!(pong.as_str(), "{}");
//! # Ok(()) }
//! ```

use futures_util::future::{BoxFuture, FutureExt, ready};
use mgp_lifecycle::health::{Health, HealthService};
use mgp_stream::cancel::StreamCancel;
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

/// Answers `ping`, `mgp/health/ping`, `mgp/stream/cancel` and `mgp/callback/respond`. None of them runs a tool.
#[derive(Debug, Clone)]
pub struct Lane {
    health: HealthService,
    cancel: StreamCancel,
}

impl Lane {
    /// Returns the lane of a server, or of a kernel, with this health.
    #[must_use]
    pub fn new(health: Health) -> Self {
        Self { health: HealthService::new(health), cancel: StreamCancel::new() }
    }
}

/// §13.4 Refuses the response to a callback as too late: this side asks nothing by callbacks.
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
