//! Tests of gates.

use super::*;
use crate::seam::{BoxError, PeerService, RefusalKind, Reply, ToolCall};
use futures_util::FutureExt;
use mgp_types::{
    context::{Principal, Target, ToolId},
    error::ErrorCode,
    rpc::RawParams,
    tool_check::QuestionKind,
    tool_security::ToolProfile,
};
use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};
use tokio::sync::oneshot;
use tower::{Layer, ServiceExt, limit::ConcurrencyLimitLayer, service_fn};

fn call() -> ToolCall {
    let target = Target { tool: ToolId::new("s", "t"), called_as: "t".into() };
    let profile = Arc::new(ToolProfile::of_no_tool());
    ToolCall::new(1, RawParams::none(), target, profile).identified(Principal::agent("a"))
}

fn refusal() -> Refusal {
    Refusal::new(RefusalKind::RateLimit, ErrorCode::RateLimited.error("enough for today"))
}

/// A tool that answers whether its call waited, and counts its calls.
fn tool(calls: &Arc<AtomicUsize>) -> impl PeerService<ToolCall, Error = BoxError> {
    let calls = calls.clone();
    service_fn(move |call: ToolCall| {
        calls.fetch_add(1, Ordering::SeqCst);
        async move { Ok::<_, BoxError>(Reply::from_value(&call.waited)) }
    })
}

/// Makes a call through a gate. Returns the reply, and the number of calls that reached the tool.
async fn through(
    decision: impl Fn() -> Decision + Clone + Send + Sync + 'static,
    call: ToolCall,
) -> (Reply, usize) {
    let calls = Arc::default();
    let gate = GateLayer::new(move |_: &ToolCall| decision()).layer(tool(&calls));
    let reply = gate.oneshot(call).await.unwrap();
    (reply, calls.load(Ordering::SeqCst))
}

#[tokio::test]
async fn an_allowed_call_continues_and_is_marked_if_it_waited() {
    assert_eq!(through(|| Decision::Allow, call()).await, (Reply::from_value(&false), 1));
    assert_eq!(through(|| Decision::wait(async { Ok(()) }), call()).await, (Reply::from_value(&true), 1));
}

#[tokio::test]
async fn a_refusal_is_the_answer_and_is_recorded() {
    let at_once = || refusal().into();
    let later = || Decision::wait(async { Err(refusal()) });
    for decision in [at_once as fn() -> Decision, later] {
        let call = call();
        let record = call.record.clone();
        assert_eq!(through(decision, call).await, (refusal().answer, 0));
        let note = record.read().refusal.unwrap();
        assert_eq!((note.kind, note.reason.as_str()), (RefusalKind::RateLimit, "enough for today"));
    }
}

#[tokio::test]
async fn a_layer_s_judges_decide_one_after_the_other() {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let judge = |name: &'static str, decision: fn() -> Decision| {
        let asked = asked.clone();
        move |call: &ToolCall| {
            asked.lock().unwrap().push((name, call.waited));
            decision()
        }
    };
    let waits = || Decision::wait(async { Ok(()) });
    let refuses = || Decision::from(refusal());
    let calls = Arc::default();
    let gates = GateLayer::new(judge("a", || Decision::Allow)).and(judge("b", waits)).and(judge("c", waits));
    let reply = gates.clone().layer(tool(&calls)).oneshot(call()).await.unwrap();
    assert_eq!((reply, calls.load(Ordering::SeqCst)), (Reply::from_value(&true), 1));
    assert_eq!(asked.lock().unwrap().split_off(0), [("a", false), ("b", false), ("c", true)]);
    let refused = gates.and(judge("d", refuses)).and(judge("e", || Decision::Allow));
    let reply = refused.layer(tool(&calls)).oneshot(call()).await.unwrap();
    assert_eq!((reply, calls.load(Ordering::SeqCst)), (refusal().answer, 1));
    assert_eq!(*asked.lock().unwrap(), [("a", false), ("b", false), ("c", true), ("d", true)]);
}

#[tokio::test]
async fn a_waiting_call_holds_no_permit_of_the_inner_service() {
    let calls = Arc::default();
    let (decide, decided) = oneshot::channel::<()>();
    let decided = Arc::new(Mutex::new(Some(decided)));
    let judge = move |_: &ToolCall| match decided.lock().unwrap().take() {
        Some(decided) => Decision::wait(async { decided.await.map_err(|_| refusal()) }),
        None => Decision::Allow,
    };
    let service = GateLayer::new(judge).layer(ConcurrencyLimitLayer::new(1).layer(tool(&calls)));
    let mut waiting = Box::pin(service.clone().oneshot(call()));
    assert!((&mut waiting).now_or_never().is_none());
    assert_eq!(service.oneshot(call()).await.unwrap(), Reply::from_value(&false));
    decide.send(()).unwrap();
    assert_eq!(waiting.await.unwrap(), Reply::from_value(&true));
}

#[tokio::test]
async fn a_gate_is_ready_when_the_inner_service_is() {
    for (permits, is_ready) in [(0, false), (1, true)] {
        let limited = ConcurrencyLimitLayer::new(permits).layer(tool(&Arc::default()));
        let mut gate = GateLayer::new(|_: &ToolCall| Decision::Allow).layer(limited);
        assert_eq!(gate.ready().now_or_never().is_some(), is_ready);
    }
}

#[tokio::test]
async fn a_dry_run_awaits_only_decisions_that_just_read() {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    let asking = move || {
        let count = count.clone();
        Decision::wait(async move {
            count.fetch_add(1, Ordering::SeqCst);
            Err(refusal())
        })
    };
    let dry = || {
        let mut call = call();
        call.dry_run = true;
        call
    };
    let foreseen = dry();
    let record = foreseen.record.clone();
    assert_eq!(through(asking.clone(), foreseen).await, (Reply::from_value(&false), 1));
    assert!(record.is_question(QuestionKind::Gate) && record.read().refusal.is_none());
    assert_eq!(asked.load(Ordering::SeqCst), 0);
    // A real call is refused by the same decision.
    assert_eq!(through(asking, call()).await, (refusal().answer, 0));
    assert_eq!(asked.load(Ordering::SeqCst), 1);
    let reading = || Decision::read(async { Err(refusal()) });
    for call in [dry(), call()] {
        let record = call.record.clone();
        assert_eq!(through(reading, call).await, (refusal().answer, 0));
        assert!(record.read().questions.is_empty());
    }
}
