//! The service for hosts.

use super::{Hosts, Instructions, approver::shows_questions, parking::ParkingLayer};
use crate::ground::{local::Local, trace::trace_refusals};
use mgp_lifecycle::handshake::HandshakeLayer;
use mgp_server_sdk::{
    era::{ClientDescription, ErasLayer},
    lane::lane,
};
use mgp_transport::{
    connection::{Config, Connection},
    memory,
    seam::{BoxPeerService, PeerService, Session, boxed},
};
use mgp_types::{
    context::Principal,
    mcp::{CacheHint, ClientCapabilities},
};
use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};
use tokio::io::{AsyncRead, AsyncWrite};
use tower_layer::Layer;

/// The service for hosts: both eras of MCP, the handshake gate and the parking of calls around the pipeline, and the separate lane.
/// Clones share one kernel.
#[derive(Debug, Clone)]
pub struct HostFace {
    service: BoxPeerService,
    lane: BoxPeerService,
    parking: ParkingLayer,
}

impl HostFace {
    pub(crate) fn new(
        pipeline: impl PeerService,
        hosts: &Hosts,
        instructions: Arc<dyn Instructions>,
        parking: ParkingLayer,
    ) -> Self {
        let (handshake, health) = (hosts.handshake().clone(), hosts.health().clone());
        // The tools that a host is shown depend on its agent's rights, which can change at any moment.
        let eras = ErasLayer::new(handshake, CacheHint::NONE).describe(move |session| {
            let instructions = instructions.clone();
            async move {
                let session = session.as_ref();
                let principal = session.and_then(Session::get::<Principal>);
                let capabilities = session.and_then(Session::get::<ClientCapabilities>);
                // Callbacks are not used for hosts of a stateless revision: they are asked in rounds of input.
                let is_asked =
                    session.is_some_and(|session| shows_questions(session, capabilities.as_ref(), false));
                let text = instructions.text(session, principal.as_ref(), is_asked).await;
                let extensions =
                    principal.map(|principal| instructions.extensions(&principal)).unwrap_or_default();
                ClientDescription { instructions: text, extensions }
            }
        });
        let inside = HandshakeLayer::new().layer(parking.layer(pipeline));
        Self { service: boxed(eras.layer(inside)), lane: boxed(eras.layer(lane(health))), parking }
    }

    /// Returns the number of parked calls: calls of hosts with a stateless revision of MCP that wait for answers of their hosts.
    #[must_use]
    pub fn parked(&self) -> usize {
        self.parking.count()
    }

    /// Returns the service of one session, for a transport that creates sessions itself, such as the HTTP server. The session
    /// must hold the [`Principal`] on whose behalf calls are made.
    #[must_use]
    pub fn service(&self) -> BoxPeerService {
        self.service.clone()
    }

    /// Returns the service for methods that no limit may delay, in addition to [`service`](Self::service).
    #[must_use]
    pub fn lane(&self) -> BoxPeerService {
        self.lane.clone()
    }

    /// Serves a host in this process, and returns the host's end of the connection. The session ends when that end is dropped. Calls
    /// are made for `principal`. The host's user counts as the local operator, as with [`serve`](Self::serve).
    pub fn in_process(&self, principal: Principal) -> memory::End {
        let (host, kernel) = memory::pair();
        let connection = self.serve(principal, Config::default(), kernel.0, kernel.1);
        tokio::spawn(connection.closed());
        host
    }

    /// Serves one host over byte streams. Every call is made for `principal`. The host's user counts as the local operator,
    /// whom [`AskHost`](super::AskHost) asks.
    pub fn serve(
        &self,
        principal: Principal,
        config: Config,
        input: impl AsyncRead + Send + Unpin + 'static,
        output: impl AsyncWrite + Send + 'static,
    ) -> Connection {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let session = Session::new(&format!("host-{}", NEXT.fetch_add(1, Ordering::Relaxed)));
        self.serve_session(session, principal, config, input, output)
    }

    /// Serves one host like [`serve`](Self::serve), in a session that the caller created. The session can hold the caller's own
    /// values: an [`Approver`](mgp_security::permission::Approver) finds the session through the peer of its question.
    pub fn serve_session(
        &self,
        session: Session,
        principal: Principal,
        config: Config,
        input: impl AsyncRead + Send + Unpin + 'static,
        output: impl AsyncWrite + Send + 'static,
    ) -> Connection {
        session.set(principal);
        let local = Local::default();
        session.set(local.clone());
        trace_refusals(&session);
        let connection = Connection::builder(self.service())
            .lane(self.lane())
            .session(session)
            .config(config)
            .over(input, output);
        let peer = connection.peer().clone();
        tokio::spawn(async move {
            peer.closed().await;
            local.0.cancel();
        });
        connection
    }
}
