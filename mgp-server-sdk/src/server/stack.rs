//! A built server: cheap to clone, served on any number of connections.

use super::shutdown::StopProgress;
use crate::{Error, Notifier, era::Eras, events::Events, router::Router};
use mgp_lifecycle::{gate::DrainOutcome, handshake::HandshakeGate, shutdown::Owner};
use mgp_transport::{
    connection::{Builder, Connection, ConnectionError},
    memory,
    seam::{BoxPeerService, Routes, boxed},
};
use std::sync::Arc;

/// Both eras of MCP, the gate of the handshake, the router.
type Service = Eras<HandshakeGate<Router>>;

/// A built server. Clones share the server: its limits, its state and its clients.
///
/// ```
/// use mgp_server_sdk::{Error, Server, Tool};
/// use mgp_transport::{connection::Connection, seam::{BoxError, Incoming, Reply}};
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let stack = Server::new("greeter", "1.0.0").tool(Tool::new("hi", "Introduction hi", async || "hi")).build()?;
/// let (input, output) = stack.in_process();
/// let ignore = tower::service_fn(|_: Incoming| async { Ok::<_, BoxError>(Reply::none()) });
/// let client = Connection::builder(ignore).over(input, output);
/// client.peer().request_raw("ping", mgp_types::rpc::RawParams::none()).await?;
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
pub struct ServerStack {
    service: Service,
    lane: Eras<Routes>,
    notifier: Notifier,
    events: Option<Events>,
    stopping: Arc<StopProgress>,
}

impl ServerStack {
    pub(super) fn new(
        service: Service,
        lane: Eras<Routes>,
        (notifier, events): (Notifier, Option<Events>),
        stopping: StopProgress,
    ) -> Self {
        Self { service, lane, notifier, events, stopping: Arc::new(stopping) }
    }

    /// Returns the whole server as a service: handshake, router, limits, handlers. Wrap it in your own layers.
    #[must_use]
    pub fn service(&self) -> BoxPeerService {
        boxed(self.service.clone())
    }

    /// Returns the service for the methods that no limit delays (see [`Lane::Priority`](mgp_types::rpc::Lane)).
    #[must_use]
    pub fn lane(&self) -> BoxPeerService {
        boxed(self.lane.clone())
    }

    /// Returns the notifier, which notifies the server's clients of changes.
    #[must_use]
    pub fn notifier(&self) -> Notifier {
        self.notifier.clone()
    }

    /// §13.3 Returns the handle that publishes events; `None` for a server without [channels](crate::Server::channel).
    #[must_use]
    pub fn events(&self) -> Option<Events> {
        self.events.clone()
    }

    /// Returns a builder of a connection to this server. Start it over any pair of byte streams, and then [serve](Self::serve)
    /// it. The peer of this connection cannot stop the server; the peer of an [owner's](Self::owner_connection) can.
    #[must_use]
    pub fn connection(&self) -> Builder<BoxPeerService> {
        Connection::builder(self.service()).lane(self.lane.clone())
    }

    /// Returns a builder of a [connection](Self::connection) for the peer that started this server, or that runs it in its own
    /// process. This peer may stop the server with `mgp/lifecycle/shutdown`.
    #[must_use]
    pub fn owner_connection(&self) -> Builder<BoxPeerService> {
        self.connection().session_value(Owner)
    }

    /// Serves a connection until the client ends it, or until `mgp/lifecycle/shutdown` and the last call have been answered.
    ///
    /// # Errors
    /// [`Error::Connection`] if the connection fails.
    pub async fn serve(&self, connection: Connection) -> Result<(), Error> {
        let peer = connection.peer().clone();
        let mut closed = std::pin::pin!(connection.closed());
        let drained = tokio::select! {
            reason = &mut closed => return ended(reason),
            drained = self.stopping.drained() => drained,
        };
        if drained == DrainOutcome::Idle {
            // The handlers have ended. Their answers remain to be written, including the answer to the request to stop.
            peer.idle().await;
        }
        peer.close();
        closed.await;
        Ok(())
    }

    /// Starts the server in this process, on a connection in memory, and returns the client's end. A stopped server is restarted.
    /// Must be called within a tokio runtime.
    #[must_use]
    pub fn in_process(&self) -> memory::End {
        let (client, server) = memory::pair();
        let stack = self.clone();
        tokio::spawn(async move {
            stack.stopping.reopen().await;
            let connection = stack.owner_connection().over(server.0, server.1);
            if let Err(error) = stack.serve(connection).await {
                tracing::warn!(%error, "the connection in memory failed");
            }
        });
        client
    }

    /// Waits until the server was asked to stop and its last call has ended.
    #[cfg(feature = "http")]
    pub(super) async fn stopped(&self) {
        self.stopping.drained().await;
    }
}

fn ended(reason: ConnectionError) -> Result<(), Error> {
    match reason {
        ConnectionError::Closed | ConnectionError::Shutdown => Ok(()),
        reason => Err(reason.into()),
    }
}
