//! The service trait that every layer and handler implements.

use super::{Incoming, Reply};
use tower::util::BoxCloneSyncService;
use tower_service::Service;

/// An error of the infrastructure: a time limit, overload, a lost peer. Refusals are replies, not errors.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// A tower service from [`Incoming`] to [`Reply`]. Every such service implements this trait automatically.
pub trait PeerService:
    Service<Incoming, Response = Reply, Error: Into<BoxError> + Send, Future: Send + 'static>
    + Clone
    + Send
    + Sync
    + 'static
{
}

impl<S> PeerService for S where
    S: Service<Incoming, Response = Reply, Error: Into<BoxError> + Send, Future: Send + 'static>
        + Clone
        + Send
        + Sync
        + 'static
{
}

/// A whole stack behind one pointer. Box once, at the top.
pub type BoxPeerService = BoxCloneSyncService<Incoming, Reply, BoxError>;

/// Puts a stack behind one pointer.
pub fn boxed<S: PeerService>(service: S) -> BoxPeerService {
    BoxCloneSyncService::new(tower::util::MapErr::new(service, Into::into))
}
