//! Ours: the server SDK's endpoint.

use crate::adder::server;
use mgp_transport::http::server::RunningServer;

/// Serves on a free port of this machine.
pub(super) async fn serve() -> Result<RunningServer, String> {
    let serving = server()?.http().build().bind("127.0.0.1:0").await;
    serving.map_err(|error| error.to_string())
}

/// The path of the endpoint.
pub(super) const PATH: &str = "/mcp";
