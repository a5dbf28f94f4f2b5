//! The service that assigns every request its trace.

use super::span::RequestSpan;
use crate::ground::{request_head::refuse_method, trail::Trail};
use futures_core::future::BoxFuture;
use futures_util::future::Either;
use mgp_security::audit::new_trace;
use mgp_transport::seam::{Incoming, Reply};
use mgp_types::request_meta;
use std::{
    sync::Arc,
    task::{Context, Poll},
};
use tower_service::Service;
use tracing::Instrument;

/// The service that assigns every request its trace. See [`TraceLayer`](super::TraceLayer).
#[derive(Debug, Clone)]
pub(crate) struct Trace<S> {
    pub(super) inner: S,
    pub(super) trail: Arc<Trail>,
}

impl<S> Service<Incoming> for Trace<S>
where
    S: Service<Incoming, Response = Reply, Error: Send, Future: Send + 'static>,
{
    type Response = Reply;
    type Error = S::Error;
    // Boxed in the rare cases: a refusal, and a request with a span.
    type Future = Either<S::Future, BoxFuture<'static, Result<Reply, S::Error>>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut message: Incoming) -> Self::Future {
        if message.is_notification() {
            return Either::Left(self.inner.call(message));
        }
        match message.params.object() {
            Ok(params) => {
                let trace = request_meta::trace_id(params).unwrap_or_else(new_trace);
                let span = RequestSpan::begin(&message, &trace);
                message.set_trace(trace);
                let Some(span) = span else { return Either::Left(self.inner.call(message)) };
                let (entered, end) = span.open();
                span.attach(&mut message);
                let future = entered.in_scope(|| self.inner.call(message));
                let watched = async move {
                    let reply = future.await;
                    end.end(&reply);
                    reply
                };
                Either::Right(Box::pin(watched.instrument(entered)))
            }
            Err(error) => {
                message.set_trace(new_trace());
                let trail = self.trail.clone();
                Either::Right(Box::pin(async move { Ok(refuse_method(&trail, &message, error).await) }))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_security::audit::MemorySink;
    use mgp_transport::seam::BoxError;
    use mgp_types::json::{RawJson, RawObject};
    use tower::{ServiceExt, service_fn};

    async fn trace_of(params: &'static str) -> Reply {
        let inner = service_fn(|message: Incoming| async move {
            Ok::<_, BoxError>(Reply::from_value(message.trace().unwrap().as_str()))
        });
        let message = Incoming::request(1, "x", RawJson::parse(params).unwrap());
        let trail = Arc::new(Trail::new(Arc::new(MemorySink::new(1)), None, None, false));
        Trace { inner, trail }.oneshot(message).await.unwrap()
    }

    #[tokio::test]
    async fn a_request_keeps_its_trace_or_gets_a_new_one() {
        assert_eq!(trace_of(r#"{"_mgp":{"trace_id":"t-1"}}"#).await, Reply::from_value("t-1"));
        assert_ne!(trace_of("{}").await, trace_of("{}").await);
    }

    #[tokio::test]
    async fn params_with_a_duplicate_key_are_refused_before_they_are_read() {
        let reply = trace_of(r#"{"name":"a","name":"b"}"#).await;
        let error = reply.as_error().unwrap();
        assert_eq!(error.code, -32602);
        let data = RawObject::from_json(error.data.as_ref().unwrap()).unwrap();
        assert!(data.text("trace_id").is_some(), "{error:?}");
    }
}
