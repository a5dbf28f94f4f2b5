//! Two connected sides, and services to put on them.

use mgp_transport::{
    connection::{Config, Connection},
    memory,
    seam::{BoxError, Incoming, PeerService, Reply},
};
use mgp_types::{json::RawJson, rpc::RawParams};

/// A client and a server over a byte stream in memory.
pub(crate) fn pair<C: PeerService, S: PeerService>(client: C, server: S) -> (Connection, Connection) {
    pair_with(client, server, Config::default())
}

/// Connects a client and a server as [`pair`] does, with bounds for both.
pub(crate) fn pair_with<C: PeerService, S: PeerService>(
    client: C,
    server: S,
    config: Config,
) -> (Connection, Connection) {
    let (here, there) = memory::pair();
    (
        Connection::builder(client).config(config.clone()).over(here.0, here.1),
        Connection::builder(server).config(config).over(there.0, there.1),
    )
}

/// Answers requests with `null` and hears notifications.
pub(crate) async fn quiet(message: Incoming) -> Result<Reply, BoxError> {
    Ok(if message.is_notification() { Reply::none() } else { Reply::ok(RawJson::null()) })
}

pub(crate) fn params(text: &str) -> RawParams {
    RawJson::parse(text.to_owned()).unwrap().into()
}

pub(crate) fn number(n: usize) -> RawJson {
    RawJson::from_value(&n).unwrap()
}
