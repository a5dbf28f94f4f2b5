//! Serving the endpoint on a TCP address.

use super::{
    HttpServer, ResourceUrl, ServeError,
    endpoint::health,
    limits::{Connections, Limits},
    listener::{self, ServedRouter},
    state::ServerState,
};
use crate::seam::REPLICA_RENEWAL;
use futures_core::future::BoxFuture;
use std::{
    io,
    net::SocketAddr,
    sync::{Arc, Weak, atomic::Ordering},
};
use tokio::{
    net::{TcpListener, ToSocketAddrs, lookup_host},
    task::JoinHandle,
};
use tokio_util::sync::CancellationToken;

/// A running server. Dropping it ends its sessions without draining them.
#[derive(Debug)]
pub struct RunningServer {
    server: HttpServer,
    address: SocketAddr,
    connections: Arc<Connections>,
    stop: CancellationToken,
    task: Option<JoinHandle<()>>,
}

impl HttpServer {
    /// Binds an address and serves it. Anything but a loopback address needs API keys or tokens, unless the server
    /// was made open to all.
    ///
    /// # Errors
    /// Returns a [`ServeError`] if the address cannot be served.
    pub async fn bind(&self, address: impl ToSocketAddrs) -> Result<RunningServer, ServeError> {
        let addresses: Vec<SocketAddr> = lookup_host(address).await?.collect();
        let listener = TcpListener::bind(&*addresses).await.map_err(|error| {
            let address = addresses.iter().map(SocketAddr::to_string).collect::<Vec<_>>().join(", ");
            ServeError::Bind { address, error }
        })?;
        self.serve(listener)
    }

    /// Serves a listener, with the same rule as [`bind`](Self::bind): the endpoint; `/livez`, which responds 200; `/health`,
    /// which responds 200 while calls are accepted; and `/readyz`, which responds 200 while they can be served, too. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// Returns a [`ServeError`] if the listener's address cannot be served.
    pub fn serve(&self, listener: TcpListener) -> Result<RunningServer, ServeError> {
        let authority = &self.0.authority;
        self.0.paths.check(authority.takes_tokens())?;
        let address = listener.local_addr()?;
        if !address.ip().is_loopback() && !authority.knows_callers() && !self.0.open_to_all {
            return Err(ServeError::OpenToAll(address));
        }
        if authority.takes_tokens() && authority.resource.get().is_none() {
            let made = ResourceUrl::on(address, &self.0.paths.endpoint);
            match made {
                Ok(resource) if !address.ip().is_unspecified() => authority.resource.get_or_init(|| resource),
                _ => return Err(ServeError::NoResource(address)),
            };
        }
        self.0.gate.origins.allow_address(address.ip());
        let connections = Connections::new(Limits::of(&self.0.config, authority.has_several_callers()));
        let stop = CancellationToken::new();
        let write_timeout = self.0.config.write_timeout;
        let router = self.router().merge(health::router(&self.0));
        let served = ServedRouter {
            router,
            connections: connections.clone(),
            gate: Some(self.0.gate.clone()),
            peers: None,
        };
        let accept = listener::accept(listener, served, write_timeout, stop.clone());
        if self.0.replicas.is_some() {
            tokio::spawn(keep_entry(Arc::downgrade(&self.0)));
        }
        let task = tokio::spawn(accept);
        Ok(RunningServer { server: self.clone(), address, connections, stop, task: Some(task) })
    }
}

/// Renews the entry of this replica for as long as the server exists.
async fn keep_entry(server: Weak<ServerState>) {
    loop {
        {
            let Some(server) = server.upgrade() else { return };
            let Some(replicas) = &server.replicas else { return };
            if !replicas.keep(&*server.sessions).await {
                return;
            }
        }
        tokio::time::sleep(REPLICA_RENEWAL).await;
    }
}

impl RunningServer {
    /// Returns the address that is served.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the URL of the endpoint.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}{}", self.address, self.server.0.paths.endpoint)
    }

    /// Returns a function that counts the open TCP connections: those on which a request has authenticated, and the others.
    pub fn connections(&self) -> impl Fn() -> (usize, usize) + Send + Sync + 'static + use<> {
        let connections = self.connections.clone();
        move || connections.count()
    }

    /// Takes the signals that stop the server.
    pub(super) fn stop_signals(&self) -> Vec<BoxFuture<'static, ()>> {
        std::mem::take(&mut *self.server.0.stop_signals.lock())
    }

    /// Turns `/readyz` off, and waits for [`HttpServerConfig::shutdown_delay`](super::HttpServerConfig::shutdown_delay). Calls are accepted in this
    /// time. A balancer that checks `/readyz` sends no more requests after it, so that [`shutdown`](Self::shutdown) refuses none.
    pub async fn announce_shutdown(&self) {
        self.server.0.is_leaving.store(true, Ordering::Release);
        tokio::time::sleep(self.server.0.config.shutdown_delay).await;
    }

    /// Drains and stops the server. New calls are refused, and running calls may end within the time limit for draining; then
    /// sessions end, and connections close.
    pub async fn shutdown(mut self) {
        self.server.drain().await;
        self.stop.cancel();
        if let Some(mut task) = self.task.take()
            && tokio::time::timeout(self.server.0.config.write_timeout, &mut task).await.is_err()
        {
            tracing::warn!("connections were still open when the write time limit passed");
            task.abort();
        }
    }

    /// Waits until the server stops. Before [`shutdown`](Self::shutdown), only an error stops it.
    ///
    /// # Errors
    /// Returns an error if the task that accepts connections panicked.
    pub async fn ended(&mut self) -> io::Result<()> {
        match &mut self.task {
            Some(task) => task.await.map_err(io::Error::other),
            None => Ok(()),
        }
    }
}

impl Drop for RunningServer {
    fn drop(&mut self) {
        self.stop.cancel();
        if self.task.is_some() {
            for session in self.server.0.sessions.all() {
                session.end(crate::connection::ConnectionError::Shutdown);
            }
            self.server.0.stateless.exchanges.close();
        }
    }
}
