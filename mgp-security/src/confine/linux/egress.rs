//! The only route out of a process's own network: a listener in it, which the child makes and its parent serves.

use super::calls;
use crate::confine::{EGRESS_PORT, HostRule};
use mgp_transport::seam::{EgressTask, ServeEgress};
use std::{
    io,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    sync::{Arc, OnceLock},
};

/// The route out of a process's own network.
#[derive(Debug)]
pub(super) struct Egress {
    proxy: Arc<dyn ServeEgress>,
    hosts: Vec<HostRule>,
    parent: OwnedFd,
    child: OwnedFd,
    serving: OnceLock<EgressTask>,
}

impl Egress {
    pub(super) fn new(proxy: Arc<dyn ServeEgress>, hosts: Vec<HostRule>) -> io::Result<Self> {
        let (parent, child) = calls::pair()?;
        calls::set_nonblocking(parent.as_fd())?;
        Ok(Self { proxy, hosts, parent, child, serving: OnceLock::new() })
    }

    /// Makes the listener, and passes it to the parent. Called in the child, in its own network namespace.
    pub(super) fn open(&self) -> io::Result<()> {
        calls::bring_loopback_up()?;
        pass_listener(self.child())
    }

    /// Returns the end of the child, to which the listener is passed.
    pub(super) fn child(&self) -> BorrowedFd<'_> {
        self.child.as_fd()
    }

    /// Serves the listener until this is dropped. Called in the parent, when the child's program has started.
    pub(super) fn serve(&self, server_id: &str) -> io::Result<()> {
        let listener = calls::receive_descriptor(self.parent.as_fd())?;
        let task = self.proxy.serve(server_id, &self.hosts, listener)?;
        self.serving.set(task).map_err(|_| io::ErrorKind::AlreadyExists.into())
    }
}

/// Makes the listener of the proxy in the network namespace of this process, and passes it to the parent. Its loopback device is up.
pub(super) fn pass_listener(to: BorrowedFd<'_>) -> io::Result<()> {
    let listener = calls::listen_on_loopback(EGRESS_PORT)?;
    calls::send_descriptor(to, listener.as_fd())
}
