//! The service that waits for a server that is started by its requests.

use super::{DemandGuard, layer::StartRules};
use crate::state::{Outlook, ServerStatus};
use futures_util::future::BoxFuture;
use mgp_transport::seam::{BoxError, CallRecord, Incoming, RefusalKind, Reply};
use mgp_types::{
    error::{ErrorCode, Recovery},
    lifecycle::ServerState,
    rpc::ErrorObject,
};
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
        if message.is_notification() {
            // A server that does not run has no use for a notification.
            let state = State::Passing { future: self.inner.call(message) };
            return ResponseFuture { state, guard: None };
        }
        // Counted before the state is read. The stop of an unused server reads them in the other order.
        let guard = Some(self.rules.demand.enter());
        let Some(status) = self.rules.status_to_wait_in() else {
            let state = State::Passing { future: self.inner.call(message) };
            return ResponseFuture { state, guard };
        };
        let (mut inner, rules) = (self.inner.clone(), self.rules.clone());
        let start = Box::pin(async move {
            if let Err(error) = rules.started(&status).await {
                if let Some(record) = CallRecord::of(&message) {
                    record.refuse(RefusalKind::Lifecycle, error.message.clone());
                }
                return Ok(Reply::error(error));
            }
            (rules.mark)(&mut message);
            poll_fn(|cx| inner.poll_ready(cx)).await?;
            inner.call(message).await
        });
        ResponseFuture { state: State::Waiting { start }, guard }
    }
}

/// Returns whether a request waits for a server in this state: its first start is due and its offer is known, the next request starts it, or
/// it is being started.
fn waits(status: &ServerStatus) -> bool {
    matches!(status.outlook, Outlook::FirstStart | Outlook::OnDemand | Outlook::StartBy(_))
        || status.state == ServerState::Connecting
}

/// Returns whether an attempt to start a server has failed since an earlier status. The states in between may not have been seen.
fn is_away_again(status: &ServerStatus, before: &ServerStatus) -> bool {
    matches!(status.outlook, Outlook::StartBy(_)) && status.outlook != before.outlook
}

impl StartRules {
    /// Returns the status of a server that a request has to wait for.
    fn status_to_wait_in(&self) -> Option<ServerStatus> {
        // Most requests find their server connected, and need no copy of its status.
        if self.machine.state() == ServerState::Connected {
            return None;
        }
        Some(self.machine.status()).filter(waits)
    }

    /// Waits until the server is started, or an attempt to start it has failed. `before` is the status in which the request found the
    /// server. Any other end is left to the gate.
    ///
    /// # Errors
    /// 2000, with the reason that the server does not run. It advises against a retry if nothing will start the server.
    async fn started(&self, before: &ServerStatus) -> Result<(), ErrorObject> {
        let code = ErrorCode::ServerNotReady;
        let server = self.machine.server_id();
        let (limit, attempt) = match before.outlook {
            Outlook::StartBy(_) => (self.limits.away, "was tried for this request, and is still away"),
            Outlook::OnDemand => (self.limits.start, "was started for this request, and failed"),
            _ => (self.limits.start, "was being started, and failed"),
        };
        let mut status = self.machine.watch();
        let settled = status.wait_for(|status| !waits(status) || is_away_again(status, before));
        match tokio::time::timeout(limit, settled).await {
            Ok(Ok(status)) if matches!(status.state, ServerState::Error | ServerState::Restarting) => {
                let message = format!("server {server:?} {attempt}: {}", status.reason);
                let advice = Recovery::unsent(code);
                let is_over = status.outlook == Outlook::Final;
                Err(code.error_with(message, if is_over { advice.without_retry() } else { advice }))
            }
            Ok(_) => Ok(()),
            Err(_) if matches!(before.outlook, Outlook::StartBy(_)) => Err(code.error_unsent(format!(
                "server {server:?} is away, and did not come back within {limit:?} (kernel.start_wait_ms): {}",
                before.reason
            ))),
            Err(_) => Err(code.error_unsent(format!(
                "server {server:?} was not started within {limit:?}, its limit for the start ({})",
                self.limit_key
            ))),
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
    use super::super::{Demand, OnDemandLayer, StartLimits};
    use super::*;
    use crate::state::StateMachine;
    use futures_util::FutureExt;
    use mgp_types::{json::RawJson, rpc::RawParams};
    use std::time::Duration;
    use tokio::time::Instant;
    use tower::{Layer, ServiceExt, service_fn};

    #[derive(Clone)]
    struct Mark;

    const LIMIT: Duration = Duration::from_secs(3);

    const LIMITS: StartLimits = StartLimits { start: LIMIT, away: Duration::from_secs(2) };

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
        let layer = OnDemandLayer::new(machine.clone(), demand.clone(), LIMITS, mark);
        layer.layer(server).oneshot(Incoming::request(1, "tools/call", RawParams::none())).await.unwrap()
    }

    fn sleeping() -> StateMachine {
        let machine = StateMachine::new("notes");
        machine.note("not started yet (lazy)", Outlook::OnDemand);
        machine
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_is_sent_once_its_server_is_up() {
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
        // A request that did not wait is not marked.
        assert_eq!(call(&machine, &demand).await.as_error().unwrap().message, "not marked");
    }

    #[tokio::test(start_paused = true)]
    async fn a_failed_or_slow_start_names_its_server() {
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
    async fn only_a_permanent_start_failure_is_not_worth_a_retry() {
        for (outlook, retryable) in [(Outlook::Open, true), (Outlook::Final, false)] {
            let (machine, demand) = (sleeping(), Demand::default());
            let failing = async {
                demand.needed().await;
                machine.transition(ServerState::Connecting, "start").unwrap();
                machine.transition_with(ServerState::Error, "no such program", outlook).unwrap();
            };
            let (reply, ()) = tokio::join!(call(&machine, &demand), failing);
            let advice = Recovery::from_error(reply.as_error().unwrap()).unwrap();
            assert_eq!(advice.retryable, retryable, "{outlook:?}");
        }
    }

    /// Records that an attempt to start the server failed and is repeated within a minute.
    fn goes_away(machine: &StateMachine, demand: &Demand, why: &str) {
        machine.transition(ServerState::Connecting, "start").unwrap();
        demand.note_failed_attempt();
        machine.transition(ServerState::Error, why).unwrap();
        let next = Outlook::StartBy(Instant::now() + Duration::from_secs(60));
        let why = format!("waits to be started again: {why}");
        machine.transition_with(ServerState::Restarting, why, next).unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_to_an_absent_server_is_answered_after_one_attempt() {
        let (machine, demand) = (StateMachine::new("notes"), Demand::default());
        goes_away(&machine, &demand, "refused");
        let began = Instant::now();
        let trying = async {
            demand.needed_again().await;
            tokio::time::sleep(LIMITS.away / 2).await;
            // The request may see the last of these states only.
            goes_away(&machine, &demand, "refused again");
        };
        let (reply, ()) = tokio::join!(call(&machine, &demand), trying);
        let message = reply.as_error().unwrap().message.clone();
        let told = "was tried for this request, and is still away: waits to be started again: refused again";
        assert_eq!(message, format!("server \"notes\" {told}"));
        assert_eq!(began.elapsed(), LIMITS.away / 2);
        let returning = async {
            demand.needed_again().await;
            machine.transition(ServerState::Connecting, "start").unwrap();
            machine.transition(ServerState::Connected, "up").unwrap();
        };
        let (reply, ()) = tokio::join!(call(&machine, &demand), returning);
        assert!(reply.as_error().is_none(), "{reply:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_notification_starts_no_server_and_waits_for_none() {
        let (machine, demand) = (sleeping(), Demand::default());
        let inner = service_fn(|_: Incoming| async { Ok::<_, BoxError>(Reply::none()) });
        let service = OnDemandLayer::new(machine, demand.clone(), LIMITS, |_| {}).layer(inner);
        let began = Instant::now();
        let reply =
            service.oneshot(Incoming::notification("notifications/x", RawParams::none())).await.unwrap();
        assert!(reply.as_error().is_none(), "{reply:?}");
        assert_eq!(began.elapsed(), Duration::ZERO);
        assert!(demand.needed_again().now_or_never().is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn waiting_for_an_absent_server_is_bounded() {
        let (machine, demand) = (StateMachine::new("notes"), Demand::default());
        goes_away(&machine, &demand, "refused");
        let began = Instant::now();
        let message = call(&machine, &demand).await.as_error().unwrap().message.clone();
        assert!(message.contains("did not come back within 2s (kernel.start_wait_ms)"), "{message}");
        assert_eq!(began.elapsed(), LIMITS.away);
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_stopped_meanwhile_is_left_to_the_gate() {
        let (machine, demand) = (sleeping(), Demand::default());
        let stopping = async {
            demand.needed().await;
            machine.note("stopped", Outlook::Final);
        };
        let (reply, ()) = tokio::join!(call(&machine, &demand), stopping);
        assert!(reply.as_error().is_none(), "{reply:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn only_the_first_start_of_a_known_server_is_waited_for() {
        let call = async |machine: &StateMachine| {
            let server = service_fn(|message: Incoming| async move {
                let waited = message.ext.get::<Mark>().is_some();
                Ok::<_, BoxError>(Reply::ok(RawJson::from(waited)))
            });
            let mark: fn(&mut Incoming) = |message| {
                message.ext.insert(Mark);
            };
            let layer = OnDemandLayer::new(machine.clone(), Demand::default(), LIMITS, mark);
            let request = Incoming::request(1, "tools/call", RawParams::none());
            let reply = layer.layer(server).oneshot(request).await.unwrap();
            match reply.as_error() {
                Some(error) => error.message.clone(),
                None => reply.result().map(ToString::to_string).unwrap_or_default(),
            }
        };
        let failed = r#"server "notes" was being started, and failed: end"#;
        for (outlook, end, expected) in [
            (Outlook::FirstStart, ServerState::Connected, "true"),
            (Outlook::FirstStart, ServerState::Error, failed),
            (Outlook::Open, ServerState::Connected, "false"),
            (Outlook::Open, ServerState::Error, "false"),
        ] {
            let machine = StateMachine::new("notes");
            machine.note("starting", outlook);
            let starting = async {
                tokio::time::sleep(LIMIT / 2).await;
                machine.transition_with(ServerState::Connecting, "start", outlook).unwrap();
                tokio::time::sleep(LIMIT / 4).await;
                machine.transition(end, "end").unwrap();
            };
            let began = Instant::now();
            let called = async { (call(&machine).await, began.elapsed()) };
            let ((answer, took), ()) = tokio::join!(called, starting);
            let waited = if outlook == Outlook::FirstStart { LIMIT / 2 + LIMIT / 4 } else { Duration::ZERO };
            assert_eq!((answer.as_str(), took), (expected, waited), "{outlook:?} {end}");
        }
    }
}
