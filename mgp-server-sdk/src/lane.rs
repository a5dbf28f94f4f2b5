//! Methods that bypass the pipeline of a connection, so that no limit delays them: other work waits for their answers.
//!
//! A [`ServerStack`](crate::ServerStack) has a lane. A server that is built from single layers uses this function:
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
use mgp_stream::{callbacks::OpenCallbacks, cancel::StreamCancel};
use mgp_transport::seam::{Reply, Role, Routes};
use mgp_types::{
    mcp::Ping,
    rpc::{Empty, Lane},
};

/// Returns the lane's methods of a server, or of a kernel, with this health: `ping`, `mgp/health/ping`, `mgp/stream/cancel` and
/// `mgp/callback/respond`. None of them runs a tool.
#[must_use]
pub fn lane(health: Health) -> Routes {
    ping()
        .merge(OpenCallbacks::routes())
        .merge(Health::routes().with_state(health))
        .merge(StreamCancel::routes().with_state(StreamCancel::new()))
        .of_lane(Lane::Priority)
}

/// Returns `ping`, for peers whose connection has no lane.
#[must_use]
pub fn ping<S: Send + 'static>() -> Routes<S> {
    Routes::new().route(Ping, Role::Anyone, async |_, _| Ok(Reply::from_value(&Empty::default())))
}
