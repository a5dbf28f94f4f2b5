//! The resolver of host names.

use std::{io, net::IpAddr};

/// A resolver of the names that servers request from the proxy.
#[async_trait::async_trait]
pub trait ResolveHost: Send + Sync {
    /// Returns the addresses of a name.
    ///
    /// # Errors
    /// Returns an error if the name cannot be looked up.
    async fn resolve(&self, name: &str) -> io::Result<Vec<IpAddr>>;
}

/// The resolver of the operating system.
pub(super) struct SystemResolver;

#[async_trait::async_trait]
impl ResolveHost for SystemResolver {
    async fn resolve(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        Ok(tokio::net::lookup_host((name, 0)).await?.map(|address| address.ip()).collect())
    }
}
