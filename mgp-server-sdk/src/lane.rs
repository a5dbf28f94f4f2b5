//! Methods that are answered beside the pipeline of a connection, so that no limit delays them: other work waits for their answers.
//!
//! A [`ServerStack`](crate::ServerStack) has a lane. A server that is put together from single layers uses this one:
//!
//! ```
//! use mgp_lifecycle::health::Health;
//! use mgp_server_sdk::lane::lane;
//! use mgp_transport::{connection::Connection, memory, seam::{BoxError, Incoming, Reply}};
//! use mgp_types::rpc::RawParams;
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), BoxError> {
//! let busy = tower::service_fn(|_: Incoming| std::future::pending::<Result<Reply, BoxError>>());
//! let (here, there) = memory::pair();
//! let _server = Connection::builder(busy.clone()).lane(lane(Health::new("busy"))).over(there.0, there.1);
//! let client = Connection::builder(busy).over(here.0, here.1);
//! let pong = client.peer().request_raw("ping", RawParams::none()).await?;
//! assert_eq!(pong.as_str(), "{}");
//! # Ok(()) }
//! ```

use mgp_lifecycle::health::Health;
use mgp_stream::cancel::StreamCancel;
use mgp_transport::seam::{Incoming, Reply, Role, RouteError, Routes};
use mgp_types::{
    callback::{CallbackRespondParams, CallbackRespondResult, RespondCallback},
    mcp::Ping,
    rpc::{Empty, Lane},
};

/// Returns the methods of the lane of a server, or of a kernel, with this health: `ping`, `mgp/health/ping`, `mgp/stream/cancel` and
/// `mgp/callback/respond`. None of them runs a tool.
#[must_use]
pub fn lane(health: Health) -> Routes {
    ping()
        .route(RespondCallback, Role::Anyone, respond)
        .merge(Health::routes().with_state(health))
        .merge(StreamCancel::routes().with_state(StreamCancel::new()))
        .of_lane(Lane::Priority)
}

/// Returns `ping`, for peers whose connection has no lane.
#[must_use]
pub fn ping<S: Send + 'static>() -> Routes<S> {
    Routes::new().route(Ping, Role::Anyone, async |_, _| Ok(Reply::from_value(&Empty::default())))
}

/// §13.4 Refuses the response to a callback as too late: this side asks nothing by callbacks.
async fn respond((): (), incoming: Incoming) -> Result<Reply, RouteError> {
    let CallbackRespondParams { .. } = incoming.params.decode()?;
    let refused = CallbackRespondResult { accepted: false, reason: Some("unknown_callback".into()) };
    Ok(Reply::from_value(&refused))
}
