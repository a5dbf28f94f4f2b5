//! What a client answers where nobody said otherwise.

use mgp_transport::seam::{BoxError, Incoming, Reply};
use mgp_types::rpc::ErrorObject;
use std::{
    future::{Ready, ready},
    task::{Context, Poll},
};
use tower_service::Service;

/// Refuses requests and passes notifications over. `ping` is answered by the connection.
#[derive(Debug, Clone, Copy)]
pub(super) struct Inbound;

impl Service<Incoming> for Inbound {
    type Response = Reply;
    type Error = BoxError;
    type Future = Ready<Result<Reply, BoxError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, message: Incoming) -> Self::Future {
        ready(Ok(if message.is_notification() {
            Reply::none()
        } else {
            Reply::error(ErrorObject::method_not_found(&message.method))
        }))
    }
}
