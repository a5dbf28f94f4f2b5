//! Serving the endpoint on a TCP address.

use super::{
    builder::HttpServer,
    connections::{Connections, Limits},
    gate, health, listener,
    resource::ResourceUrl,
};
use axum::middleware;
use futures_core::future::BoxFuture;
use std::{fmt, io, net::SocketAddr, sync::Arc};
use tokio::{
    net::{TcpListener, ToSocketAddrs, lookup_host},
    task::JoinHandle,
};
use tokio_util::sync::CancellationToken;

/// The reason why a server cannot serve.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The address cannot be bound: another program has it, or it is not one of this machine.
    #[error("failed to bind {address}: {error}")]
    Bind {
        /// The address; several if a name resolves to them.
        address: String,
        /// The error of the operating system.
        error: io::Error,
    },
    /// The listener failed.
    #[error("failed to accept connections: {0}")]
    Listen(#[from] io::Error),
    /// The server is not protected: everybody who can reach the address could use it.
    #[error(
        "refused to serve {0}: others can reach this address and neither an API key nor a token is required; add a key, bind a loopback address, or allow it explicitly"
    )]
    OpenToAll(SocketAddr),
    /// A page is not protected: everybody who can reach the address could read it.
    #[error(
        "refused to serve a page at {0}: others can reach this address; bind a loopback address, or allow it explicitly"
    )]
    OpenPage(SocketAddr),
    /// Tokens name the server by its URL, and this address does not determine one.
    #[error(
        "refused to serve {0}: tokens are meant for the URL of a server, and this address does not determine one; set the resource"
    )]
    NoResource(SocketAddr),
    /// The endpoint or HTTP+SSE cannot be served at its path.
    #[error("refused to serve {path:?}: expected {expected}")]
    Path {
        /// The path.
        path: String,
        /// The paths that are accepted.
        expected: &'static str,
    },
}

// A `main` that returns the error prints this form.
impl fmt::Debug for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

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

    /// Serves a listener, with the same rule as [`bind`](Self::bind): the endpoint, and `/health`, which responds 200 while calls
    /// are accepted. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// Returns a [`ServeError`] if the listener's address cannot be served.
    pub fn serve(&self, listener: TcpListener) -> Result<RunningServer, ServeError> {
        self.0.check_paths()?;
        let address = listener.local_addr()?;
        let authority = &self.0.authority;
        let is_protected = !self.0.keys.is_empty() || authority.authenticate.is_some();
        if !address.ip().is_loopback() && !is_protected && !self.0.open_to_all {
            return Err(ServeError::OpenToAll(address));
        }
        if authority.authenticate.is_some() && authority.resource.get().is_none() {
            let made = ResourceUrl::on(address, &self.0.path);
            match made {
                Ok(resource) if !address.ip().is_unspecified() => authority.resource.get_or_init(|| resource),
                _ => return Err(ServeError::NoResource(address)),
            };
        }
        self.0.origins.allow_address(address.ip());
        let connections = Connections::new(Limits::of(&self.0.config, self.0.has_several_callers()));
        let stop = CancellationToken::new();
        let write_timeout = self.0.config.write_timeout;
        let router = self
            .router()
            .merge(health::router(&self.0))
            .layer(middleware::from_fn_with_state(self.0.clone(), gate::one_length));
        let accept = listener::accept(listener, router, connections.clone(), write_timeout, stop.clone());
        let task = tokio::spawn(accept);
        Ok(RunningServer { server: self.clone(), address, connections, stop, task: Some(task) })
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
        format!("http://{}{}", self.address, self.server.0.path)
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
            self.server.0.exchanges.close();
        }
    }
}
