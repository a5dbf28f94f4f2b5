//! Serves the connections of one server.

use super::{
    ResolveHost,
    destination::{Destination, Host},
    error::EgressError,
    http, socks,
};
use crate::seam::EgressObserver;
use mgp_types::context::HostRule;
use std::{io, net::SocketAddr, sync::Arc, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional},
    net::{TcpListener, TcpStream},
    task::JoinSet,
    time::timeout,
};

/// The most connections of a server at once. Others wait.
const MAX_CONNECTIONS: usize = 128;

/// The time limit of reading a request.
const READ_LIMIT: Duration = Duration::from_secs(30);

/// The time limit of looking up a name and connecting to it.
const CONNECT_LIMIT: Duration = Duration::from_secs(30);

/// The pause after an error of accepting, such as that of too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// The connections of one server.
pub(super) struct Connections {
    pub(super) server_id: String,
    pub(super) rules: Vec<HostRule>,
    pub(super) resolver: Arc<dyn ResolveHost>,
    pub(super) observer: Option<Arc<dyn EgressObserver>>,
}

impl Connections {
    /// Serves connections until it is dropped, which ends all of them.
    pub(super) async fn serve(self, listener: TcpListener) {
        let server = Arc::new(self);
        let mut connections = JoinSet::new();
        loop {
            while connections.len() >= MAX_CONNECTIONS {
                connections.join_next().await;
            }
            while connections.try_join_next().is_some() {}
            match listener.accept().await {
                Ok((stream, _)) => {
                    let server = server.clone();
                    connections.spawn(async move { server.serve_one(stream).await });
                }
                Err(error) => {
                    tracing::warn!(server = server.server_id, %error, "failed to accept a connection of the server");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    }

    async fn serve_one(&self, mut stream: TcpStream) {
        let served = match timeout(READ_LIMIT, stream.read_u8()).await {
            Ok(Ok(socks::VERSION)) => self.serve_socks(&mut stream).await,
            Ok(Ok(first)) => self.serve_http(&mut stream, first).await,
            _ => return,
        };
        if let Err(error) = served {
            tracing::debug!(server = self.server_id, %error, "a connection of the server ended");
        }
    }

    async fn serve_http(&self, stream: &mut TcpStream, first: u8) -> io::Result<()> {
        let read = timeout(READ_LIMIT, http::read_request(stream, first)).await;
        let reached = match read.unwrap_or_else(|_| Err(io::Error::from(io::ErrorKind::TimedOut).into())) {
            Ok(request) => self.reach(&request.destination).await.map(|host| (host, request)),
            Err(error) => Err(error),
        };
        let (mut host, request) = match reached {
            Ok(reached) => reached,
            Err(error) => return http::refuse(stream, &error).await,
        };
        if request.is_tunnel {
            http::accept(stream).await?;
        }
        host.write_all(&request.first).await?;
        copy_bidirectional(stream, &mut host).await.map(drop)
    }

    async fn serve_socks(&self, stream: &mut TcpStream) -> io::Result<()> {
        let read = timeout(READ_LIMIT, socks::read_request(stream)).await;
        let reached = match read.unwrap_or_else(|_| Err(io::Error::from(io::ErrorKind::TimedOut).into())) {
            Ok(destination) => self.reach(&destination).await,
            Err(error) => Err(error),
        };
        match reached {
            Ok(mut host) => {
                socks::accept(stream).await?;
                copy_bidirectional(stream, &mut host).await.map(drop)
            }
            Err(error) => socks::refuse(stream, &error).await,
        }
    }

    /// Connects to a host, if the server may reach it.
    async fn reach(&self, destination: &Destination) -> Result<TcpStream, EgressError> {
        let connected = timeout(CONNECT_LIMIT, self.connect(destination)).await;
        let connected =
            connected.unwrap_or_else(|_| Err(EgressError::Unreachable(io::ErrorKind::TimedOut.into())));
        if let (Err(EgressError::Forbidden(reason)), Some(observer)) = (&connected, &self.observer) {
            observer.refused(&self.server_id, &destination.to_string(), reason).await;
        }
        connected
    }

    async fn connect(&self, destination: &Destination) -> Result<TcpStream, EgressError> {
        destination.check(&self.rules)?;
        let addresses = match &destination.host {
            Host::Address(address) => vec![*address],
            Host::Name(name) => self.resolver.resolve(name).await?,
        };
        let addresses: Vec<SocketAddr> = destination.permitted(&addresses, &self.rules)?;
        Ok(TcpStream::connect(&addresses[..]).await?)
    }
}
