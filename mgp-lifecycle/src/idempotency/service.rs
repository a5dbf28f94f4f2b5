//! The service that sends a call at most once for each idempotency key.

use super::{claim::KeyedCall, foresee::foresee, keys::Keys};
use mgp_transport::seam::{Refusal, RefusalKind, Reply, ResponseFuture, ToolCall};
use mgp_types::{idempotency::IdempotentRequest, rpc::ErrorObject};
use std::{
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};
use tower_service::Service;

/// The service that sends a call at most once for each idempotency key. See [`IdempotencyLayer`](super::IdempotencyLayer).
#[derive(Debug, Clone)]
pub struct Idempotency<S> {
    pub(super) inner: S,
    pub(super) keys: Arc<Keys>,
}

impl<S> Idempotency<S> {
    fn request(&self, call: &ToolCall) -> Result<Option<(IdempotentRequest, Duration)>, ErrorObject> {
        // Unreadable params have no key; the service that sends the call refuses them.
        let Ok(params) = call.params.object() else { return Ok(None) };
        let Some(request) = IdempotentRequest::of(params)? else { return Ok(None) };
        let ttl = self.keys.settings.ttl(request.ttl_seconds)?;
        Ok(Some((request, ttl)))
    }
}

impl<S> Service<ToolCall> for Idempotency<S>
where
    S: Service<ToolCall, Response = Reply, Error: Send, Future: Send> + Clone + Send + 'static,
{
    type Response = Reply;
    type Error = S::Error;
    type Future = ResponseFuture<S::Future, S::Error>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, call: ToolCall) -> Self::Future {
        let (request, ttl) = match self.request(&call) {
            Ok(None) => return ResponseFuture::passing(self.inner.call(call)),
            // A dry run is not a call, so its key stays free.
            Ok(Some((request, ttl))) if call.dry_run => {
                let inner = self.inner.clone();
                let inner = std::mem::replace(&mut self.inner, inner);
                return ResponseFuture::waiting(foresee(self.keys.clone(), (request.key, ttl), call, inner));
            }
            Ok(Some(request)) => request,
            Err(error) => {
                let refusal = Refusal::new(RefusalKind::Idempotency, error);
                return ResponseFuture::answered(refusal.recorded(&call.record));
            }
        };
        // The ready service may hold a permit, which a call that waits for another call should not hold.
        let inner = self.inner.clone();
        drop(std::mem::replace(&mut self.inner, inner.clone()));
        ResponseFuture::waiting(KeyedCall::new(self.keys.clone(), request.key, ttl, call).run(inner))
    }
}
