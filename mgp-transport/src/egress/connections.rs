//! Serves the connections of one server.

use super::{
    ResolveHost,
    destination::{Destination, Host},
    error::EgressError,
    http,
    relay::relay,
    shares::Share,
    socks,
};
use crate::seam::EgressObserver;
use mgp_types::context::HostRule;
use std::{
    io,
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::OwnedSemaphorePermit,
    task::JoinSet,
    time::timeout,
};

/// The most connections of a server at once. Further connections wait.
const MAX_CONNECTIONS: usize = 64;

/// The time limit of reading a request.
const READ_LIMIT: Duration = Duration::from_secs(30);

/// The time limit of looking up a name and connecting to it, which includes the wait for a turn.
const CONNECT_LIMIT: Duration = Duration::from_secs(30);

/// The longest time in which no byte moves on a connection.
const IDLE_LIMIT: Duration = Duration::from_mins(15);

/// The pause after an error of `accept`, for example because too many files are open.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// The connections of one server.
pub(super) struct Connections {
    pub(super) server_id: String,
    pub(super) rules: Vec<HostRule>,
    pub(super) resolver: Arc<dyn ResolveHost>,
    pub(super) observer: Option<Arc<dyn EgressObserver>>,
    pub(super) is_own: fn(IpAddr) -> bool,
    pub(super) share: Share,
}

/// A connection to a host, with its permit among those of all servers.
struct Tunnel {
    host: TcpStream,
    _room: OwnedSemaphorePermit,
}

impl Connections {
    /// Serves connections until dropped. Dropping ends all connections.
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
            Ok(request) => self.reach(&request.destination).await.map(|tunnel| (tunnel, request)),
            Err(error) => Err(error),
        };
        let (mut tunnel, request) = match reached {
            Ok(reached) => reached,
            Err(error) => return http::refuse(stream, &error).await,
        };
        if request.is_tunnel {
            http::accept(stream).await?;
        }
        tunnel.host.write_all(&request.first).await?;
        relay(stream, &mut tunnel.host, IDLE_LIMIT).await
    }

    async fn serve_socks(&self, stream: &mut TcpStream) -> io::Result<()> {
        let read = timeout(READ_LIMIT, socks::read_request(stream)).await;
        let reached = match read.unwrap_or_else(|_| Err(io::Error::from(io::ErrorKind::TimedOut).into())) {
            Ok(destination) => self.reach(&destination).await,
            Err(error) => Err(error),
        };
        match reached {
            Ok(mut tunnel) => {
                socks::accept(stream).await?;
                relay(stream, &mut tunnel.host, IDLE_LIMIT).await
            }
            Err(error) => socks::refuse(stream, &error).await,
        }
    }

    /// Connects to a host, if the server may reach it.
    async fn reach(&self, destination: &Destination) -> Result<Tunnel, EgressError> {
        let connected = timeout(CONNECT_LIMIT, self.connect(destination)).await;
        let connected =
            connected.unwrap_or_else(|_| Err(EgressError::Unreachable(io::ErrorKind::TimedOut.into())));
        if let (Err(EgressError::Forbidden(reason)), Some(observer)) = (&connected, &self.observer) {
            observer.refused(&self.server_id, &destination.to_string(), reason).await;
        }
        connected
    }

    async fn connect(&self, destination: &Destination) -> Result<Tunnel, EgressError> {
        destination.check(&self.rules)?;
        let addresses = match &destination.host {
            Host::Address(address) => vec![*address],
            Host::Name(name) => self.share.resolve(self.resolver.clone(), name.clone()).await?,
        };
        let addresses: Vec<SocketAddr> = destination.permitted(&addresses, &self.rules, self.is_own)?;
        let room = self.share.tunnel().await?;
        Ok(Tunnel { host: TcpStream::connect(&addresses[..]).await?, _room: room })
    }
}
