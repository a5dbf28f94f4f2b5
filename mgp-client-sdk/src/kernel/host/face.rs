//! What a host speaks to.

use super::lane::Lane;
use mgp_lifecycle::{handshake::HandshakeLayer, health::Health};
use mgp_transport::{
    connection::{Config, Connection},
    seam::{BoxPeerService, PeerService, Session, boxed},
};
use mgp_types::context::Principal;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::io::{AsyncRead, AsyncWrite};
use tower_layer::Layer;

/// What a host speaks to: the handshake gate around the pipeline, and the lane beside it. A clone is the same kernel's.
#[derive(Debug, Clone)]
pub struct HostFace {
    service: BoxPeerService,
    lane: BoxPeerService,
}

impl HostFace {
    pub(in crate::kernel) fn new(pipeline: impl PeerService, health: Health) -> Self {
        Self { service: boxed(HandshakeLayer::new().layer(pipeline)), lane: boxed(Lane::new(health)) }
    }

    /// The services of one session, for a transport that makes sessions itself, such as the HTTP server. The session must
    /// hold the [`Principal`] that calls are made for.
    #[must_use]
    pub fn services(&self) -> (BoxPeerService, BoxPeerService) {
        (self.service.clone(), self.lane.clone())
    }

    /// Serves one host over byte streams. Every call is made for `principal`.
    pub fn serve(
        &self,
        principal: Principal,
        config: Config,
        input: impl AsyncRead + Send + Unpin + 'static,
        output: impl AsyncWrite + Send + 'static,
    ) -> Connection {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let session = Session::new(&format!("host-{}", NEXT.fetch_add(1, Ordering::Relaxed)));
        session.set(principal);
        let (service, lane) = self.services();
        Connection::builder(service).lane(lane).session(session).config(config).over(input, output)
    }
}
