//! The path of requests to a server.

use super::{
    ServerSpec,
    server_exchange::ServerExchange,
    wait_inside::{CallQueue, Turn, WaitInside},
};
use crate::ground::trail::Trail;
use futures_core::future::BoxFuture;
use mgp_lifecycle::{
    breaker::{Breaker, BreakerLayer, CircuitBreaker},
    gate::{Gate, Lifecycle, LifecycleLayer},
    on_demand::{Demand, OnDemand, OnDemandLayer, StartLimits},
    retry::{Retry, RetryLayer, RetryNote},
    state::StateMachine,
};
use mgp_security::{
    audit::EventDraft,
    results::{SecretSearch, SecretSearchLayer},
};
use mgp_stream::cancel::{Cancel, CancelLayer};
use mgp_transport::seam::{BoxError, Incoming, Reply, ToolCall};
use mgp_types::audit::{AuditEvent, AuditResult};
use parking_lot::Mutex;
use std::{
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};
use tokio::sync::Semaphore;
use tower::{Layer, ServiceBuilder};
use tower_service::Service;

/// The stack from the limits inward, as a named type, so that calls need no box.
pub(crate) type DispatchStack =
    SecretSearch<Cancel<OnDemand<Breaker<Retry<WaitInside<Lifecycle<ServerCall>>>>>>>;

/// The stack for waiting requests, which bypasses the limits of calls and has its own.
pub(crate) type WaitingStack = SecretSearch<Cancel<OnDemand<WaitInside<Lifecycle<ServerCall>>>>>;

/// The maximum number of concurrent requests through a server's [`WaitingStack`].
const MOST_WAITING: usize = 1024;

/// The path of requests to a server: the services that they pass, and the parts that these share.
pub(crate) struct RequestPath {
    pub(crate) gate: Gate,
    /// The circuit breaker of the server's calls.
    pub(super) breaker: CircuitBreaker,
    /// The requests that need the server.
    pub(super) demand: Demand,
    /// The search for secrets in the server's results.
    pub(crate) results: SecretSearchLayer,
    /// The stack from the limits inward: the only path to the server's tools. Behind a lock, which costs less than a clone for each call: a clone
    /// counts the references to the state of every layer.
    pub(super) dispatch: Mutex<DispatchStack>,
    /// The stack for requests that wait by their nature, and would delay calls.
    pub(super) waiting: WaitingStack,
    /// The calls that wait for a turn.
    pub(super) queue: CallQueue,
}

impl RequestPath {
    /// Builds the path to a server. `all` is the limit on concurrent calls over all servers, and `start_wait` the time limit of a request's wait
    /// for a server that is away.
    pub(super) fn new(
        spec: &ServerSpec,
        trail: &Arc<Trail>,
        all: Arc<Semaphore>,
        start_wait: Duration,
        exchange: &Arc<dyn ServerExchange>,
    ) -> Self {
        let gate = Gate::new(StateMachine::new(&*spec.id));
        let breaker = CircuitBreaker::new(&*spec.id, spec.breaker);
        let results = SecretSearchLayer::new(&spec.id, spec.secrets, trail.sink.clone());
        let demand = Demand::default();
        let call = ServerCall(exchange.clone());
        let queue = CallQueue::default();
        let limits = StartLimits {
            // A draining server is restarted after its end.
            start: spec.startup_timeout.saturating_add(spec.shutdown_timeout.saturating_mul(2)),
            away: start_wait,
        };
        let on_demand =
            OnDemandLayer::new(gate.machine().clone(), demand.clone(), limits, Incoming::set_waited)
                .limit_key(spec.limit_keys.startup.to_string());
        // A call that waits for its turn can be cancelled, and has a time limit. A call that was sent has its own.
        let turn = |at_once: usize, all| Turn {
            server_id: spec.id.clone(),
            at_once,
            own: Arc::new(Semaphore::new(at_once)),
            all,
            timeout: spec.queue_timeout,
            key: spec.limit_keys.queue,
            queue: queue.clone(),
        };
        let lifecycle = LifecycleLayer::new(gate.clone()).layer(call);
        let limited = WaitInside::new(lifecycle.clone(), turn(spec.max_concurrent.max(1), Some(all)));
        // Outside the limits and the gate, so that a pause does not occupy a turn.
        let retries = retries(spec, gate.machine(), trail.clone());
        let dispatch = ServiceBuilder::new()
            .layer(results.clone())
            .layer(CancelLayer::new())
            // Outside the limits, so that a request that waits for the start does not occupy a turn.
            .layer(on_demand.clone())
            // Outside the retries, because a call is refused at once while the breaker is open.
            .layer(BreakerLayer::new(breaker.clone()).server(gate.machine().clone()))
            .layer(retries)
            .service(limited);
        let waiting = WaitInside::new(lifecycle, turn(MOST_WAITING, None));
        let waiting = ServiceBuilder::new()
            .layer(results.clone())
            .layer(CancelLayer::new())
            .layer(on_demand)
            .service(waiting);
        Self { gate, breaker, demand, results, dispatch: Mutex::new(dispatch), waiting, queue }
    }
}

/// The innermost service of a server's stacks, which hands requests to the exchange.
#[derive(Debug, Clone)]
pub(crate) struct ServerCall(Arc<dyn ServerExchange>);

impl Service<Incoming> for ServerCall {
    type Response = Reply;
    type Error = BoxError;
    // One of the two boxes of the pipeline, at its end.
    type Future = BoxFuture<'static, Result<Reply, BoxError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, message: Incoming) -> Self::Future {
        self.0.clone().send(message)
    }
}

/// The type of the event before a retry.
const TOOL_RETRIED: &str = "dev.cloto.mgp.TOOL_RETRIED";

/// Returns the layer that retries failed calls of a server (§14.6). Before each retry, the call is judged again, and an event is
/// stored.
fn retries(spec: &ServerSpec, machine: &StateMachine, trail: Arc<Trail>) -> RetryLayer {
    RetryLayer::new(spec.retries, spec.call_timeout).server(machine.clone()).before(move |message, note| {
        message.set_waited();
        let event = retry_event(message, note);
        let trail = trail.clone();
        Box::pin(async move {
            match event {
                Some(event) => trail.sink.record(event).await.is_ok(),
                None => true,
            }
        })
    })
}

/// Returns the event of a retry; `None` for a request that is not a tool call.
fn retry_event(message: &Incoming, note: RetryNote<'_>) -> Option<AuditEvent> {
    let call = ToolCall::of(message)?;
    let waited = u64::try_from(note.waited.as_millis()).unwrap_or(u64::MAX);
    let draft = EventDraft::of_call(TOOL_RETRIED.into(), call)
        .result(AuditResult::Failure)
        .detail("retry", &note.number)
        .detail("error_code", &note.error.code)
        .detail("waited_ms", &waited);
    Some(draft.finish())
}
