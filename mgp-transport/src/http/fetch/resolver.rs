//! A name resolver that returns no address of a closed network.

use crate::http::zone::Zone;
use parking_lot::Mutex;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::{io, net::SocketAddr, sync::Arc};

/// The zone that a fetcher may reach. It only ever widens.
pub(super) type Reach = Mutex<Zone>;

/// Returns the addresses of a name.
pub(super) async fn look_up(name: &str) -> io::Result<Vec<SocketAddr>> {
    Ok(tokio::net::lookup_host((name, 0)).await?.collect())
}

/// The error for a name whose addresses must not be contacted.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("every address of the name is closed")]
pub(super) struct ClosedAddress;

/// The resolver of a fetcher's client. The client connects to the very addresses that were checked here, so a name cannot resolve to
/// one address for the check and to another for the connection.
#[derive(Debug)]
pub(super) struct Resolver(pub(super) Arc<Reach>);

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let allowed = *self.0.lock();
        Box::pin(async move {
            let found = look_up(name.as_str()).await?;
            let open: Vec<_> = found.into_iter().filter(|one| Zone::of(one.ip()) <= allowed).collect();
            if open.is_empty() {
                return Err(ClosedAddress.into());
            }
            Ok(Box::new(open.into_iter()) as Addrs)
        })
    }
}
