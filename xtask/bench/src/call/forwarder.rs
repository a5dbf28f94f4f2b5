//! A hop that only forwards: the same two connections as through the kernel, and nothing between them.

use super::ours::{Ours, duplex};
use crate::adder::server;
use mgp_kernel::Era;
use mgp_transport::connection::Connection;

/// Connects a client of an era behind a hop that passes every message to the server unchanged.
pub(super) async fn connect(era: Era) -> Result<Ours, String> {
    let (near, far) = duplex();
    let server = server()?.connection().over(far.0, far.1);
    let refuse = tower::service_fn(super::ours::refuse);
    let to_server = Connection::builder(refuse).over(near.0, near.1);
    let (here, there) = duplex();
    let to_client = Connection::builder(to_server.peer().clone()).over(there.0, there.1);
    Ours::greet(here, era, (server, to_server, to_client)).await
}
