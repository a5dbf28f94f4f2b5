//! The route of a confined server to the hosts that it may reach.

use async_trait::async_trait;
use mgp_types::context::HostRule;
use std::{
    fmt, io,
    net::{Ipv4Addr, TcpListener},
    os::fd::OwnedFd,
};
use tokio::task::AbortHandle;

/// A proxy for the connections of a server to the hosts that it may reach.
pub trait ServeEgress: fmt::Debug + Send + Sync {
    /// Serves the connections of a listener in the server's own network.
    ///
    /// # Errors
    /// Returns an error if the descriptor is not a listener.
    fn serve(&self, server_id: &str, hosts: &[HostRule], listener: OwnedFd) -> io::Result<EgressTask>;
}

/// Makes a listener for a proxy on a free port of the loopback address. Returns the port too.
///
/// # Errors
/// Returns the error of the operating system.
pub fn listen_on_loopback() -> io::Result<(OwnedFd, u16)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let port = listener.local_addr()?.port();
    Ok((listener.into(), port))
}

/// An observer of refused connections of servers.
#[async_trait]
pub trait EgressObserver: fmt::Debug + Send + Sync {
    /// Receives a host with its port, and the reason why it was refused.
    async fn refused(&self, server_id: &str, host: &str, reason: &str);
}

/// The task that serves the connections of a server. Dropping it ends all of them.
#[derive(Debug)]
pub struct EgressTask(AbortHandle);

impl EgressTask {
    /// Takes over a task.
    #[must_use]
    pub const fn new(task: AbortHandle) -> Self {
        Self(task)
    }
}

impl Drop for EgressTask {
    fn drop(&mut self) {
        self.0.abort();
    }
}
