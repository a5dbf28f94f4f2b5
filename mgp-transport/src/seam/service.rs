//! The service trait that every layer and handler implements.

use super::{BoxError, Incoming, Reply};
use tower::util::BoxCloneSyncService;
use tower_service::Service;

/// A tower service from [`Incoming`], or another request such as a [`ToolCall`](super::ToolCall), to [`Reply`]. This trait is
/// implemented automatically.
pub trait PeerService<R = Incoming>:
    Service<R, Response = Reply, Error: Into<BoxError> + Send, Future: Send + 'static>
    + Clone
    + Send
    + Sync
    + 'static
{
}

impl<R, S> PeerService<R> for S where
    S: Service<R, Response = Reply, Error: Into<BoxError> + Send, Future: Send + 'static>
        + Clone
        + Send
        + Sync
        + 'static
{
}

/// A whole stack behind one pointer, boxed once at the top.
pub type BoxPeerService<R = Incoming> = BoxCloneSyncService<R, Reply, BoxError>;

/// Puts a stack behind one pointer.
pub fn boxed<R: Send + 'static, S: PeerService<R>>(service: S) -> BoxPeerService<R> {
    BoxCloneSyncService::new(tower::util::MapErr::new(service, Into::into))
}
