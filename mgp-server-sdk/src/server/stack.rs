//! A server that is built: cheap to clone, served on any number of connections.

use super::shutdown::Stopping;
use crate::{
    Error, Notifier,
    router::{Lane, Router},
};
use mgp_lifecycle::{gate::Drained, handshake::HandshakeGate};
use mgp_transport::{
    connection::{Builder, Connection, ConnectionError},
    memory,
    seam::{BoxPeerService, Peer, boxed},
};
use std::{sync::Arc, time::Duration};

/// A server that is built. A clone is the same server: its limits, its state and its clients are shared.
///
/// ```
/// use mgp_server_sdk::{Error, Server, Tool};
/// use mgp_transport::{connection::Connection, seam::{BoxError, Incoming, Reply}};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let stack = Server::new("greeter", "1.0.0").tool(Tool::new("hi", "Says hi", async || "hi")).build()?;
/// let (input, output) = stack.in_process();
/// let ignore = tower::service_fn(|_: Incoming| async { Ok::<_, BoxError>(Reply::none()) });
/// let client = Connection::builder(ignore).over(input, output);
/// client.peer().request_raw("ping", mgp_types::rpc::RawParams::none()).await?;
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct ServerStack {
    service: HandshakeGate<Router>,
    lane: Lane,
    notifier: Notifier,
    stopping: Arc<Stopping>,
}

impl ServerStack {
    pub(super) fn new(
        service: HandshakeGate<Router>,
        lane: Lane,
        notifier: Notifier,
        stopping: Stopping,
    ) -> Self {
        Self { service, lane, notifier, stopping: Arc::new(stopping) }
    }

    /// The whole server as a service: handshake, router, limits, handlers. Put layers of your own around it.
    #[must_use]
    pub fn service(&self) -> BoxPeerService {
        boxed(self.service.clone())
    }

    /// The service for what no limit holds up (see [`LANE_METHODS`](mgp_transport::connection::LANE_METHODS)).
    #[must_use]
    pub fn lane(&self) -> BoxPeerService {
        boxed(self.lane.clone())
    }

    /// Tells the server's clients that something has changed.
    #[must_use]
    pub fn notifier(&self) -> Notifier {
        self.notifier.clone()
    }

    /// A connection with this server at its end, to be started over any pair of byte streams and then
    /// [served](Self::serve).
    #[must_use]
    pub fn connection(&self) -> Builder<BoxPeerService> {
        Connection::builder(self.service()).lane(self.lane.clone())
    }

    /// Serves a connection until the client ends it, or `mgp/lifecycle/shutdown` was answered and the last call is.
    ///
    /// # Errors
    /// [`Error::Connection`] where the connection fails.
    pub async fn serve(&self, connection: Connection) -> Result<(), Error> {
        self.serve_to_end(connection).await.map(drop)
    }

    /// Serves a connection, and says who ended it.
    pub(super) async fn serve_to_end(&self, connection: Connection) -> Result<EndedBy, Error> {
        let peer = connection.peer().clone();
        let mut closed = std::pin::pin!(connection.closed());
        let drained = tokio::select! {
            reason = &mut closed => return ended(reason),
            drained = self.stopping.drained() => drained,
        };
        if drained == Drained::Idle {
            answered(&peer).await;
        }
        peer.close();
        closed.await;
        Ok(EndedBy::Shutdown)
    }

    /// Starts the server in this process, on a connection in memory, and gives back the client's end of it. Must be called
    /// within a tokio runtime.
    #[must_use]
    pub fn in_process(&self) -> memory::End {
        let (client, server) = memory::pair();
        let connection = self.connection().over(server.0, server.1);
        let stack = self.clone();
        tokio::spawn(async move {
            if let Err(error) = stack.serve(connection).await {
                tracing::warn!(%error, "the connection in memory failed");
            }
        });
        client
    }

    /// Ends when the server was asked to stop and its last call ended.
    #[cfg(feature = "http")]
    pub(super) async fn stopped(&self) {
        self.stopping.drained().await;
    }
}

/// Who ended a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EndedBy {
    /// One of its two ends closed it.
    Close,
    /// The server was asked to stop.
    Shutdown,
}

fn ended(reason: ConnectionError) -> Result<EndedBy, Error> {
    match reason {
        ConnectionError::Closed | ConnectionError::Shutdown => Ok(EndedBy::Close),
        reason => Err(reason.into()),
    }
}

/// Waits until every request is answered. The handlers have ended by now, and what is left is to hand their answers to the
/// connection: the request to stop among them.
async fn answered(peer: &Peer) {
    const LOOK_AGAIN: Duration = Duration::from_millis(1);
    while peer.running_count() > 0 && !peer.is_closed() {
        tokio::time::sleep(LOOK_AGAIN).await;
    }
}
