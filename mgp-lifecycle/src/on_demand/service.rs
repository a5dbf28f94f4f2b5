//! The service that waits for a server that is started by its requests.

use super::{DemandGuard, layer::StartRules};
use crate::state::{Outlook, ServerStatus};
use futures_util::future::BoxFuture;
use mgp_transport::seam::{BoxError, CallRecord, Incoming, RefusalKind, Reply};
use mgp_types::{error::ErrorCode, lifecycle::ServerState};
use pin_project_lite::pin_project;
use std::{
    fmt,
    future::{Future, poll_fn},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};
use tower_service::Service;

/// The service that waits for a server that is started by its requests. See [`OnDemandLayer`](super::OnDemandLayer).
#[derive(Debug, Clone)]
pub struct OnDemand<S> {
    inner: S,
    rules: Arc<StartRules>,
}

impl<S> OnDemand<S> {
    pub(super) const fn new(inner: S, rules: Arc<StartRules>) -> Self {
        Self { inner, rules }
    }
}

impl<S> Service<Incoming> for OnDemand<S>
where
    S: Service<Incoming, Response = Reply, Error = BoxError, Future: Send> + Clone + Send + 'static,
{
    type Response = Reply;
    type Error = BoxError;
    type Future = ResponseFuture<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut message: Incoming) -> Self::Future {
        // Counted before the state is looked at: a server that is stopped because nothing uses it is looked at in the other order.
        let guard = self.rules.demand.as_ref().map(super::Demand::enter);
        if !self.rules.waits(&self.rules.machine.status()) {
            let state = State::Passing { future: self.inner.call(message) };
            return ResponseFuture { state, guard };
        }
        let (mut inner, rules) = (self.inner.clone(), self.rules.clone());
        let start = Box::pin(async move {
            if let Err(reason) = rules.started().await {
                if let Some(record) = CallRecord::of(&message) {
                    record.refuse(RefusalKind::Lifecycle, reason.clone());
                }
                return Ok(Reply::error(ErrorCode::ServerNotReady.error_unsent(reason)));
            }
            (rules.mark)(&mut message);
            poll_fn(|cx| inner.poll_ready(cx)).await?;
            inner.call(message).await
        });
        ResponseFuture { state: State::Waiting { start }, guard }
    }
}

impl StartRules {
    /// Returns whether a request waits for a server of this status: before its first start, if what it offers is known; and for a server that
    /// requests start, while one is to start it, or it is being started.
    fn waits(&self, status: &ServerStatus) -> bool {
        let by_demand = || status.outlook == Outlook::OnDemand || status.state == ServerState::Connecting;
        status.outlook == Outlook::FirstStart || (self.demand.is_some() && by_demand())
    }

    /// Waits until the server is started. A server that ends in another way, or that no request started, is left to the gate.
    ///
    /// # Errors
    /// The sentence that says why the server does not run.
    async fn started(&self) -> Result<(), String> {
        let server = self.machine.server_id();
        let mut status = self.machine.watch();
        let settled = status.wait_for(|status| !self.waits(status));
        let failed = |state| matches!(state, ServerState::Error | ServerState::Restarting);
        match tokio::time::timeout(self.limit, settled).await {
            Ok(Ok(status)) if self.demand.is_some() && failed(status.state) => {
                Err(format!("server {server:?} was started for this request, and failed: {}", status.reason))
            }
            Ok(_) => Ok(()),
            Err(_) => Err(format!(
                "server {server:?} was not started within {:?}, its limit for the start (servers[].mgp.startup_timeout_ms)",
                self.limit
            )),
        }
    }
}

pin_project! {
    /// The future of [`OnDemand`].
    pub struct ResponseFuture<F> {
        #[pin]
        state: State<F>,
        // The request needs the server until this future is dropped.
        guard: Option<DemandGuard>,
    }
}

pin_project! {
    #[project = StateProj]
    enum State<F> {
        Passing { #[pin] future: F },
        // Only requests that wait for a start are boxed.
        Waiting { start: BoxFuture<'static, Result<Reply, BoxError>> },
    }
}

impl<F: Future<Output = Result<Reply, BoxError>>> Future for ResponseFuture<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let reply = match this.state.project() {
            StateProj::Passing { future } => future.poll(cx),
            StateProj::Waiting { start } => start.as_mut().poll(cx),
        };
        if reply.is_ready() {
            *this.guard = None;
        }
        reply
    }
}

impl<F> fmt::Debug for ResponseFuture<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResponseFuture").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Demand, OnDemandLayer};
    use super::*;
    use crate::state::StateMachine;
    use mgp_types::{json::RawJson, rpc::RawParams};
    use std::time::Duration;
    use tower::{Layer, ServiceExt, service_fn};

    #[derive(Clone)]
    struct Mark;

    const LIMIT: Duration = Duration::from_secs(3);

    /// Calls a server that answers an error unless the request was marked.
    async fn call(machine: &StateMachine, demand: &Demand) -> Reply {
        let server = service_fn(|message: Incoming| async move {
            Ok::<_, BoxError>(match message.ext.get::<Mark>() {
                Some(_) => Reply::ok(RawJson::empty_object()),
                None => Reply::error(ErrorCode::Timeout.error("not marked")),
            })
        });
        let mark: fn(&mut Incoming) = |message| {
            message.ext.insert(Mark);
        };
        let layer = OnDemandLayer::new(machine.clone(), Some(demand.clone()), LIMIT, mark);
        layer.layer(server).oneshot(Incoming::request(1, "tools/call", RawParams::none())).await.unwrap()
    }

    fn sleeping() -> StateMachine {
        let machine = StateMachine::new("notes");
        machine.note("not started yet (lazy)", Outlook::OnDemand);
        machine
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_is_sent_once_the_server_that_it_needs_is_up() {
        let (machine, demand) = (sleeping(), Demand::default());
        let starting = async {
            demand.needed().await;
            machine.transition(ServerState::Connecting, "start").unwrap();
            tokio::time::sleep(LIMIT / 2).await;
            machine.transition(ServerState::Connected, "up").unwrap();
        };
        let (reply, ()) = tokio::join!(call(&machine, &demand), starting);
        assert!(reply.as_error().is_none(), "{reply:?}");
        assert!(demand.is_none());
        // One that did not wait is not marked.
        assert_eq!(call(&machine, &demand).await.as_error().unwrap().message, "not marked");
    }

    #[tokio::test(start_paused = true)]
    async fn a_start_that_fails_or_lasts_too_long_is_named_with_its_server() {
        let (machine, demand) = (sleeping(), Demand::default());
        let failing = async {
            demand.needed().await;
            machine.transition(ServerState::Connecting, "start").unwrap();
            machine.transition(ServerState::Error, "no such program").unwrap();
        };
        let (reply, ()) = tokio::join!(call(&machine, &demand), failing);
        let message = reply.as_error().unwrap().message.clone();
        assert_eq!(message, r#"server "notes" was started for this request, and failed: no such program"#);
        let machine = sleeping();
        let message = call(&machine, &demand).await.as_error().unwrap().message.clone();
        assert!(message.contains(r#"server "notes" was not started within 3s"#), "{message}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_that_is_stopped_meanwhile_is_left_to_the_gate() {
        let (machine, demand) = (sleeping(), Demand::default());
        let stopping = async {
            demand.needed().await;
            machine.note("stopped", Outlook::Final);
        };
        let (reply, ()) = tokio::join!(call(&machine, &demand), stopping);
        assert!(reply.as_error().is_none(), "{reply:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_waits_for_the_first_start_of_a_server_whose_offer_is_known_and_for_no_other() {
        let call = async |machine: &StateMachine| {
            let server = service_fn(|message: Incoming| async move {
                let waited = message.ext.get::<Mark>().is_some();
                Ok::<_, BoxError>(Reply::ok(RawJson::from(waited)))
            });
            let mark: fn(&mut Incoming) = |message| {
                message.ext.insert(Mark);
            };
            let layer = OnDemandLayer::new(machine.clone(), None, LIMIT, mark);
            let request = Incoming::request(1, "tools/call", RawParams::none());
            layer.layer(server).oneshot(request).await.unwrap().result().map(ToString::to_string)
        };
        for (outlook, waits) in [(Outlook::FirstStart, "true"), (Outlook::Open, "false")] {
            for end in [ServerState::Connected, ServerState::Error] {
                let machine = StateMachine::new("notes");
                machine.note("starting", outlook);
                let starting = async {
                    tokio::time::sleep(LIMIT / 2).await;
                    machine.transition_with(ServerState::Connecting, "start", outlook).unwrap();
                    tokio::time::sleep(LIMIT / 4).await;
                    machine.transition(end, "end").unwrap();
                };
                let before = tokio::time::Instant::now();
                let called = async { (call(&machine).await, before.elapsed()) };
                let ((answer, took), ()) = tokio::join!(called, starting);
                let expected =
                    if outlook == Outlook::FirstStart { LIMIT / 2 + LIMIT / 4 } else { Duration::ZERO };
                assert_eq!((answer.as_deref(), took), (Some(waits), expected), "{outlook:?} {end}");
            }
        }
    }
}
