//! The service that checks the circuit breaker before each call.

use super::{BreakerPass, CircuitBreaker};
use crate::state::StateMachine;
use mgp_transport::seam::{self, CallRecord, Incoming, RefusalKind, Reply};
use mgp_types::{lifecycle::ServerState, mcp::CallTool, rpc::Call};
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
    machine: Option<StateMachine>,
}

impl<S> Breaker<S> {
    pub(super) const fn new(inner: S, breaker: CircuitBreaker, machine: Option<StateMachine>) -> Self {
        Self { inner, breaker, machine }
    }

    /// Returns whether the breaker judges a message: only tool calls, and only while their server is up.
    fn judges(&self, incoming: &Incoming) -> bool {
        incoming.method == *CallTool::METHOD
            && !incoming.is_notification()
            && self.machine.as_ref().is_none_or(|machine| machine.state() == ServerState::Connected)
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
        let entered = self.judges(&incoming).then(|| self.breaker.enter());
        let pass = match entered.transpose() {
            Ok(pass) => pass,
            Err(open) => {
                if let Some(record) = CallRecord::of(&incoming) {
                    record.refuse(RefusalKind::Lifecycle, open.to_string());
                }
                return seam::ResponseFuture::answered(Reply::error(open.to_error()));
            }
        };
        let record = pass.is_some().then(|| CallRecord::of(&incoming).cloned()).flatten();
        let future = self.inner.call(incoming);
        seam::ResponseFuture::passing(ResponseFuture { future, record, pass })
    }
}

pin_project! {
    /// The future of a call that the breaker let through.
    #[derive(Debug)]
    pub struct ResponseFuture<F> {
        #[pin]
        future: F,
        record: Option<CallRecord>,
        pass: Option<BreakerPass>,
    }
}

impl<F: Future<Output = Result<Reply, E>>, E> Future for ResponseFuture<F> {
    type Output = Result<Reply, E>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let result = ready!(this.future.poll(cx));
        if let Some(pass) = this.pass.take() {
            let answered = match (&this.record, &result) {
                (Some(record), _) => record.update(|record| record.answered),
                (None, Ok(reply)) => (reply.result().is_some() && !reply.is_cancelled()).then_some(true),
                (None, Err(_)) => Some(false),
            };
            match answered {
                Some(true) => pass.succeeded(),
                Some(false) => pass.failed(),
                None => {}
            }
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

    /// Calls a server that gives the answer, and records whether it answered if `noted` is set.
    async fn call(
        breaker: &CircuitBreaker,
        how: &'static str,
        noted: Option<bool>,
    ) -> Result<Reply, BoxError> {
        let server = service_fn(move |incoming: Incoming| async move {
            if let Some(record) = CallRecord::of(&incoming) {
                record.update(|record| record.answered = noted);
            }
            match how {
                "works" => Ok(Reply::ok(RawJson::empty_object())),
                "refuses" => Ok(Reply::error(ErrorCode::InvalidToolArgs.error("wrong"))),
                _ => Err("the connection is gone".into()),
            }
        });
        let mut message = Incoming::request(1, CallTool::METHOD, RawParams::none());
        if noted.is_some() {
            message.ext.insert(CallRecord::new());
        }
        BreakerLayer::new(breaker.clone()).layer(server).oneshot(message).await
    }

    fn breaker() -> CircuitBreaker {
        CircuitBreaker::new("a", BreakerPolicy { failures: 2, ..BreakerPolicy::default() })
    }

    #[tokio::test]
    async fn the_record_overrides_results_and_service_failures() {
        let gone = ("gone", None);
        for (second, is_open) in [
            (gone, true),
            (("works", None), false),
            (("refuses", None), true),
            (("refuses", Some(true)), false),
            (("gone", Some(true)), false),
            (("refuses", Some(false)), true),
        ] {
            let breaker = breaker();
            for (how, noted) in [gone, second, gone] {
                let _ = call(&breaker, how, noted).await;
            }
            assert_eq!(breaker.enter().is_err(), is_open, "{second:?}");
        }
    }

    #[tokio::test]
    async fn other_methods_and_disconnected_servers_pass() {
        let breaker = breaker();
        for _ in 0..2 {
            breaker.enter().unwrap().failed();
        }
        let machine = StateMachine::new("a");
        let works = service_fn(|_: Incoming| async { Ok::<_, BoxError>(Reply::ok(RawJson::empty_object())) });
        let server = BreakerLayer::new(breaker).server(machine.clone()).layer(works);
        let answer = |method| server.clone().oneshot(Incoming::request(1, method, RawParams::none()));
        assert!(answer(CallTool::METHOD).await.unwrap().as_error().is_none());
        machine.transition(ServerState::Connecting, "start").unwrap();
        machine.transition(ServerState::Connected, "up").unwrap();
        assert!(answer("tasks/cancel").await.unwrap().as_error().is_none());
        let record = CallRecord::new();
        let mut message = Incoming::request(1, CallTool::METHOD, RawParams::none());
        message.ext.insert(record.clone());
        let refused = server.clone().oneshot(message).await.unwrap();
        assert_eq!(refused.as_error().map(|error| error.code), Some(i64::from(ErrorCode::ServerNotReady)));
        assert_eq!(record.read().refusal.unwrap().kind, RefusalKind::Lifecycle);
    }
}
