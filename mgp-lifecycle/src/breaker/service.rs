//! The service that asks the circuit breaker before each call.

use super::{BreakerPass, CircuitBreaker};
use mgp_transport::seam::{self, CallRecord, Incoming, RefusalKind, Reply};
use pin_project_lite::pin_project;
use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll, ready},
};
use tower_service::Service;

/// The service that calls a server while the server's circuit breaker is closed. See [`BreakerLayer`](super::BreakerLayer).
#[derive(Debug, Clone)]
pub struct Breaker<S> {
    inner: S,
    breaker: CircuitBreaker,
}

impl<S> Breaker<S> {
    pub(super) const fn new(inner: S, breaker: CircuitBreaker) -> Self {
        Self { inner, breaker }
    }
}

impl<S: Service<Incoming, Response = Reply>> Service<Incoming> for Breaker<S> {
    type Response = Reply;
    type Error = S::Error;
    type Future = seam::ResponseFuture<ResponseFuture<S::Future>, S::Error>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, incoming: Incoming) -> Self::Future {
        let open = match self.breaker.enter() {
            Ok(pass) => {
                let (future, breaker) = (self.inner.call(incoming), self.breaker.clone());
                return seam::ResponseFuture::passing(ResponseFuture { future, breaker, pass });
            }
            Err(open) => open,
        };
        if let Some(record) = incoming.ext.get::<CallRecord>() {
            record.refuse(RefusalKind::Lifecycle, open.to_string());
        }
        seam::ResponseFuture::answered(if incoming.is_notification() {
            tracing::debug!(method = %incoming.method, reason = %open, "notification dropped");
            Reply::none()
        } else {
            Reply::error(open.to_error())
        })
    }
}

pin_project! {
    /// The future of a call that the breaker let through.
    #[derive(Debug)]
    pub struct ResponseFuture<F> {
        #[pin]
        future: F,
        breaker: CircuitBreaker,
        pass: BreakerPass,
    }
}

impl<F: Future<Output = Result<Reply, E>>, E> Future for ResponseFuture<F> {
    type Output = Result<Reply, E>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let result = ready!(this.future.poll(cx));
        match &result {
            Ok(reply) if reply.as_error().is_none() => this.breaker.succeeded(),
            Ok(_) => {}
            Err(_) => this.breaker.failed(),
        }
        Poll::Ready(result)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{BreakerLayer, BreakerPolicy};
    use super::*;
    use mgp_transport::seam::BoxError;
    use mgp_types::{error::ErrorCode, json::RawJson, rpc::RawParams};
    use tower::{Layer, ServiceExt, service_fn};

    /// Calls a server that answers as the name of the method says.
    async fn call(breaker: &CircuitBreaker, method: &'static str) -> Result<Reply, BoxError> {
        let server = service_fn(|incoming: Incoming| async move {
            match &*incoming.method {
                "works" => Ok(Reply::ok(RawJson::empty_object())),
                "answers" => Ok(Reply::error(ErrorCode::InvalidToolArgs.error("wrong"))),
                _ => Err("the connection is gone".into()),
            }
        });
        let server = BreakerLayer::new(breaker.clone()).layer(server);
        server.oneshot(Incoming::request(1, method, RawParams::none())).await
    }

    #[tokio::test]
    async fn only_replies_without_an_error_and_failures_of_the_service_count() {
        let policy = BreakerPolicy { failures: 2, ..BreakerPolicy::default() };
        let breaker = CircuitBreaker::new("a", policy);
        for method in ["gone", "works", "gone", "answers"] {
            let _ = call(&breaker, method).await;
            assert!(breaker.enter().is_ok(), "{method}");
        }
        assert!(call(&breaker, "gone").await.is_err());
        let record = CallRecord::new();
        let mut message = Incoming::request(1, "works", RawParams::none());
        message.ext.insert(record.clone());
        let inner = service_fn(|_: Incoming| async { Ok::<_, BoxError>(Reply::none()) });
        let reply = BreakerLayer::new(breaker).layer(inner).oneshot(message).await.unwrap();
        assert_eq!(reply.as_error().map(|error| error.code), Some(i64::from(ErrorCode::ServerNotReady)));
        assert_eq!(record.read().refusal.unwrap().kind, RefusalKind::Lifecycle);
    }
}
