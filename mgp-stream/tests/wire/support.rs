//! Connections whose other side a test has, and looks at that side.

use mgp_stream::cancel::StreamCancel;
use mgp_transport::{
    connection::{Config, Connection},
    memory,
    seam::{BoxError, Incoming, PeerService, Reply, Session},
};
use mgp_types::{
    json::RawJson,
    negotiation::{Carrier, ExtensionSet, MgpVersion, Negotiation},
};
use std::{
    pin::pin,
    task::{Context, Waker},
    time::Duration,
};
use xtask_testing::RawPeer;

/// Asserts that nothing was sent before the answer to a ping.
pub(crate) async fn nothing_more(client: &mut RawPeer) {
    settle().await;
    client.send(r#"{"jsonrpc":"2.0","id":"last","method":"ping"}"#).await;
    assert_eq!(client.text().await, r#"{"jsonrpc":"2.0","id":"last","result":{}}"#);
}

/// Lets every task do what it can.
pub(crate) async fn settle() {
    for _ in 0..200 {
        tokio::task::yield_now().await;
    }
}

/// Polls a future once. Returns whether it is pending.
pub(crate) fn waits(future: impl Future) -> bool {
    pin!(future).poll(&mut Context::from_waker(Waker::noop())).is_pending()
}

/// Returns a negotiation with an MGP peer that has every extension.
pub(crate) fn mgp() -> Negotiation {
    Negotiation {
        version: MgpVersion::CURRENT,
        extensions: ExtensionSet::ALL,
        carrier: Carrier::Capabilities,
        server_id: None,
        permissions_required: [].into(),
        claimed_trust: None,
    }
}

/// Returns a session, with MGP or without.
pub(crate) fn session(negotiated: Option<Negotiation>) -> Session {
    let session = Session::new("test");
    if let Some(negotiated) = negotiated {
        session.set(negotiated);
    }
    session
}

/// Serves over memory, with `mgp/stream/cancel` and `ping` on the lane. Buffers are small, so that a slow reader is noticed.
pub(crate) fn serve(service: impl PeerService, negotiated: Option<Negotiation>) -> (Connection, RawPeer) {
    let (here, there) = memory::pair();
    let config = Config { write_buffer: 1024, ..Config::default() };
    let lane = tower::service_fn(|incoming: Incoming| async move {
        if incoming.method == "ping" {
            return Ok::<_, BoxError>(Reply::ok(RawJson::empty_object()));
        }
        // A time limit that even a slow machine keeps.
        let cancel = StreamCancel::new().timeout(Duration::from_secs(60));
        tower::ServiceExt::oneshot(StreamCancel::routes().with_state(cancel), incoming).await
    });
    let connection = Connection::builder(service)
        .session(session(negotiated))
        .lane(lane)
        .config(config)
        .over(there.0, there.1);
    (connection, RawPeer::new(here))
}
