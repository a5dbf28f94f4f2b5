//! Refuses calls of tools that do not exist: inside audit and identity, so that the refusal is recorded with its caller.

use futures_util::future::{Either, Ready, ready};
use mgp_transport::seam::{CallRecord, Incoming, RefusalKind, Reply};
use mgp_types::{context::Target, error::ErrorCode};
use std::task::{Context, Poll};
use tower_layer::Layer;
use tower_service::Service;

/// Marks a call whose tool does not exist.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unknown;

/// Stands inside identity: refuses what [`ResolveLayer`](super::ResolveLayer) did not find.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::kernel) struct RefuseUnknownLayer;

/// Refuses calls of tools that do not exist.
#[derive(Debug, Clone)]
pub(in crate::kernel) struct RefuseUnknown<S> {
    inner: S,
}

impl<S> Layer<S> for RefuseUnknownLayer {
    type Service = RefuseUnknown<S>;

    fn layer(&self, inner: S) -> RefuseUnknown<S> {
        RefuseUnknown { inner }
    }
}

impl<S: Service<Incoming, Response = Reply>> Service<Incoming> for RefuseUnknown<S> {
    type Response = Reply;
    type Error = S::Error;
    type Future = Either<S::Future, Ready<Result<Reply, S::Error>>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, message: Incoming) -> Self::Future {
        if message.ext.get::<Unknown>().is_none() {
            return Either::Left(self.inner.call(message));
        }
        let name = message.ext.get::<Target>().map(|target| target.called_as.clone()).unwrap_or_default();
        let shown: String = name.chars().take(128).collect();
        let error = ErrorCode::ToolNotFound.error(format!("unknown tool: {shown:?}"));
        if let Some(record) = message.ext.get::<CallRecord>() {
            record.refuse(RefusalKind::NotFound, error.message.clone());
        }
        Either::Right(ready(Ok(Reply::error(error))))
    }
}
