//! The proxy, and its settings.

use super::{
    connections::Connections,
    own::is_own,
    resolve::{ResolveHost, SystemResolver},
    shares::Total,
};
use crate::seam::{EgressObserver, EgressTask, ServeEgress};
use mgp_types::context::HostRule;
use std::{
    fmt, io,
    net::{IpAddr, TcpListener},
    os::fd::OwnedFd,
    sync::Arc,
};

/// The proxy through which confined servers reach hosts.
#[derive(Clone)]
pub struct EgressProxy {
    pub(super) resolver: Arc<dyn ResolveHost>,
    pub(super) observer: Option<Arc<dyn EgressObserver>>,
    /// Returns whether an address is one of this machine's own.
    pub(super) is_own: fn(IpAddr) -> bool,
    pub(super) total: Total,
}

impl EgressProxy {
    /// Creates a proxy.
    #[must_use]
    pub fn new() -> Self {
        Self { resolver: Arc::new(SystemResolver), observer: None, is_own, total: Total::of_process() }
    }

    /// Sets the resolver of names; default: the operating system's.
    #[must_use]
    pub fn resolver(mut self, resolver: impl ResolveHost + 'static) -> Self {
        self.resolver = Arc::new(resolver);
        self
    }

    /// Sets the observer of refused connections.
    #[must_use]
    pub fn observer(mut self, observer: impl EgressObserver + 'static) -> Self {
        self.observer = Some(Arc::new(observer));
        self
    }
}

impl Default for EgressProxy {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for EgressProxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EgressProxy").field("observer", &self.observer).finish_non_exhaustive()
    }
}

impl ServeEgress for EgressProxy {
    fn serve(&self, server_id: &str, hosts: &[HostRule], listener: OwnedFd) -> io::Result<EgressTask> {
        let listener = TcpListener::from(listener);
        listener.set_nonblocking(true)?;
        let listener = tokio::net::TcpListener::from_std(listener)?;
        let connections = Connections {
            server_id: server_id.to_owned(),
            rules: hosts.to_vec(),
            resolver: self.resolver.clone(),
            observer: self.observer.clone(),
            is_own: self.is_own,
            share: self.total.share(),
        };
        Ok(EgressTask::new(tokio::spawn(connections.serve(listener)).abort_handle()))
    }
}
