//! The address that a host connects to.

use std::{net::SocketAddr, sync::Arc};

/// The address that a host connects to, and the API key that it sends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Endpoint {
    pub(crate) address: SocketAddr,
    pub(crate) key: Option<Arc<str>>,
}

impl From<SocketAddr> for Endpoint {
    /// Returns an address that needs no key.
    fn from(address: SocketAddr) -> Self {
        Self { address, key: None }
    }
}
