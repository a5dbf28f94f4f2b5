//! The listener of a replica, which only other replicas can use.

use super::{ReplicaNetworkError, certificates, client::ReplicaClient};
use crate::{http::server::replicas::ForwardToReplica, seam::ReplicaStore};
use axum::{Router, body::Body};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use std::{fmt, net::SocketAddr, sync::Arc, time::Duration};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    task::JoinSet,
    time::{sleep, timeout},
};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::{CancellationToken, DropGuard};
use tower_service::Service;

/// The most connections of other replicas. One more waits until another ends.
const MAX_CONNECTIONS: usize = 1024;

/// The time limit of a handshake.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(5);

/// The size of a connection's read buffer, in bytes, which is also the longest head of a request.
const READ_BUFFER: usize = 128 * 1024;

/// The pause after a connection could not be accepted.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// The address of a replica for other replicas, and its connections to them.
pub struct ReplicaNetwork {
    listener: TcpListener,
    acceptor: TlsAcceptor,
    client: Arc<ReplicaClient>,
}

/// A listener that serves other replicas until it is dropped.
#[derive(Debug)]
pub struct RunningReplicaNetwork {
    _stop: DropGuard,
}

impl ReplicaNetwork {
    /// Binds the address of this replica, and issues its certificate by the authority in the store. `advertise` is the address at which others reach
    /// this replica. The default is the address that is bound.
    ///
    /// # Errors
    /// [`ReplicaNetworkError`] if the address cannot be served, or the store cannot be asked.
    pub async fn bind(
        store: &dyn ReplicaStore,
        listen: SocketAddr,
        advertise: Option<&str>,
    ) -> Result<Self, ReplicaNetworkError> {
        let bind = |error| ReplicaNetworkError::Bind { address: listen, error };
        let listener = TcpListener::bind(listen).await.map_err(bind)?;
        let bound = listener.local_addr().map_err(bind)?;
        let address = match advertise {
            Some(address) if is_host_and_port(address) => address.to_owned(),
            Some(address) => return Err(ReplicaNetworkError::Advertised(address.to_owned())),
            None if bound.ip().is_unspecified() => return Err(ReplicaNetworkError::NoAddress(bound)),
            None => bound.to_string(),
        };
        let fresh = certificates::fresh_authority().map_err(ReplicaNetworkError::Certificate)?;
        let authority = store.authority(fresh).await.map_err(ReplicaNetworkError::Store)?;
        let issued = certificates::issue(&authority, store.id());
        let (server, client) = issued.map_err(ReplicaNetworkError::Certificate)?;
        let client = ReplicaClient::new(address, client).map_err(ReplicaNetworkError::Certificate)?;
        Ok(Self { listener, acceptor: TlsAcceptor::from(Arc::new(server)), client: Arc::new(client) })
    }

    /// Returns the connections to other replicas, for [`HttpServerBuilder::replicas`](crate::http::server::HttpServerBuilder::replicas).
    #[must_use]
    pub fn client(&self) -> Arc<dyn ForwardToReplica> {
        self.client.clone()
    }

    /// Serves a router to other replicas: that of [`HttpServer::replica_router`](crate::http::server::HttpServer::replica_router). Must be called within a
    /// tokio runtime.
    pub fn serve(self, router: Router) -> RunningReplicaNetwork {
        let stop = CancellationToken::new();
        tokio::spawn(accept(self.listener, self.acceptor, router, stop.clone()));
        RunningReplicaNetwork { _stop: stop.drop_guard() }
    }
}

/// Returns whether a text is a host and a port.
fn is_host_and_port(text: &str) -> bool {
    let authority = text.parse::<http::uri::Authority>();
    authority.is_ok_and(|authority| {
        authority.port_u16().is_some_and(|port| port > 0)
            && !authority.as_str().contains('@')
            && !authority.host().is_empty()
    })
}

async fn accept(listener: TcpListener, acceptor: TlsAcceptor, router: Router, stop: CancellationToken) {
    let (mut tasks, places) = (JoinSet::new(), Arc::new(Semaphore::new(MAX_CONNECTIONS)));
    loop {
        let place = async {
            let place = places.clone().acquire_owned().await;
            (place, listener.accept().await)
        };
        let (place, accepted) = tokio::select! {
            accepted = place => accepted,
            Some(_) = tasks.join_next() => continue,
            () = stop.cancelled() => break,
        };
        match accepted {
            Ok((stream, _)) => {
                let served = serve(stream, acceptor.clone(), router.clone(), stop.clone());
                tasks.spawn(async move {
                    served.await;
                    drop(place);
                });
            }
            Err(error) => {
                tracing::warn!(%error, "failed to accept a connection of a replica");
                sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    drop(listener);
    while tasks.join_next().await.is_some() {}
}

/// Serves one connection to its end.
async fn serve(stream: TcpStream, acceptor: TlsAcceptor, router: Router, stop: CancellationToken) {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "failed to set TCP_NODELAY");
    }
    let stream = match timeout(HANDSHAKE_TIMEOUT, acceptor.accept(stream)).await {
        Ok(Ok(stream)) => stream,
        Ok(Err(error)) => return tracing::warn!(%error, "refused a connection that is not a replica's"),
        Err(_) => return tracing::debug!("a connection of a replica made no handshake in time"),
    };
    let service = service_fn(|request: http::Request<Incoming>| router.clone().call(request.map(Body::new)));
    let connection =
        http1::Builder::new().max_buf_size(READ_BUFFER).serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    let mut is_ending = false;
    loop {
        tokio::select! {
            served = connection.as_mut() => {
                if let Err(error) = served {
                    tracing::debug!(%error, "a connection of a replica failed");
                }
                return;
            }
            () = stop.cancelled(), if !is_ending => {
                is_ending = true;
                connection.as_mut().graceful_shutdown();
            }
        }
    }
}

impl fmt::Debug for ReplicaNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReplicaNetwork").field("client", &self.client).finish_non_exhaustive()
    }
}
