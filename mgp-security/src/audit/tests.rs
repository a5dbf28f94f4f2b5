//! Tests of §6: one event for each call, stored before its reply.

use super::*;
use crate::testing::{Inner, Task, TestCall, code};
use jiff::{SignedDuration, Timestamp};
use mgp_transport::seam::{BoxError, RefusalKind, Reply, ToolCall};
use mgp_types::{
    audit::{AuditEvent, AuditEventType, AuditResult},
    context::{ActorType, Principal, TraceId},
    error::{ErrorCode, Recovery},
    json::{Nullable, RawJson},
};
use std::{future::Ready, sync::Arc, task::Poll};
use tower::{Layer, Service, ServiceExt, service_fn};
use tower_test::mock;

async fn audited<S>(inner: S, call: TestCall) -> (Result<Reply, BoxError>, AuditEvent)
where
    S: Service<ToolCall<()>, Response = Reply, Error = BoxError>,
{
    let sink = MemorySink::new(10);
    let reply = AuditLayer::new(Arc::new(sink.clone())).layer(inner).oneshot(call.call).await;
    let mut events = sink.events();
    assert_eq!(events.len(), 1, "one event a call");
    (reply, events.remove(0))
}

fn detail(event: &AuditEvent, key: &str) -> Option<String> {
    event.details.as_ref()?.get(key).map(ToString::to_string)
}

#[test]
fn an_event_keeps_a_bounded_part_of_a_long_method_name() {
    let of = |name: &str| {
        let event = EventDraft::of_refused(name, &Principal::agent("a")).method(name).finish();
        event.details.unwrap().text("method").unwrap()
    };
    assert_eq!(of("tools/x"), "tools/x");
    assert_eq!(of(&"ä".repeat(1 << 20)), "ä".repeat(256));
}

#[tokio::test]
async fn a_successful_call_is_recorded_with_the_layers_findings() {
    let call = TestCall::new("{}");
    call.record.update(|record| {
        record.principal = Some(Principal::agent("a").on_behalf_of(["b"]));
        record.trace = TraceId::new("trace");
        record.validator = Some("sandbox".into());
        record.attempts = 2;
    });
    let (_, event) = audited(Inner::new(), call).await;
    assert_eq!((&event.event_type, event.result), (&AuditEventType::ToolExecuted, AuditResult::Success));
    assert_eq!((event.actor.kind, event.actor.id.as_str()), (ActorType::Delegated, "a"));
    assert_eq!(event.trace_id, Nullable::Value("trace".into()));
    let target = event.target.get().unwrap();
    assert_eq!(
        (target.server_id.get().unwrap().as_str(), target.tool_name.get().unwrap().as_str()),
        ("s", "t")
    );
    for (key, value) in [
        ("risk_level", "\"safe\""),
        ("validator_applied", "\"sandbox\""),
        ("attempts", "2"),
        ("delegation", r#"["b"]"#),
    ] {
        assert_eq!(detail(&event, key).as_deref(), Some(value), "{key}");
    }
    assert!(detail(&event, "duration_ms").unwrap().parse::<u64>().is_ok());
    assert!(detail(&event, "result_bytes").unwrap().parse::<usize>().unwrap() > 1);
    assert_eq!(detail(&event, "cancelled"), None);
}

#[tokio::test]
async fn without_a_counter_an_answered_call_has_one_attempt() {
    let (_, answered) = audited(Inner::new(), TestCall::new("{}")).await;
    assert_eq!(detail(&answered, "attempts").as_deref(), Some("1"));
    let kept = TestCall::new("{}");
    kept.record.update(|record| record.answered = Some(true));
    let refused = TestCall::new("{}");
    refused.record.refuse(RefusalKind::Access, "why");
    let judged = TestCall::new("{}").dry();
    for call in [kept, refused, judged] {
        let (_, event) = audited(Inner::new(), call).await;
        assert_eq!(detail(&event, "attempts").as_deref(), Some("0"), "{event:?}");
        assert_eq!(
            detail(&event, "result_bytes").is_some(),
            event.event_type == AuditEventType::ToolExecuted
        );
    }
}

#[tokio::test]
async fn a_panic_is_recorded_before_it_continues() {
    let at_once = service_fn(|_: ToolCall<()>| -> Ready<Result<Reply, BoxError>> { panic!("at once") });
    let later = service_fn(|_: ToolCall<()>| async { panic!("later") });
    let outcomes = [panicking(at_once).await, panicking(later).await];
    for (panicked, events) in outcomes {
        assert_eq!((panicked, events.len()), (true, 1));
        assert_eq!(detail(&events[0], "reason").as_deref(), Some("\"the call panicked\""));
    }
}

async fn panicking<S>(inner: S) -> (bool, Vec<AuditEvent>)
where
    S: Service<ToolCall<()>, Response = Reply, Error = BoxError, Future: Send> + Send + 'static,
{
    let sink = MemorySink::new(10);
    let call = AuditLayer::new(Arc::new(sink.clone())).layer(inner).oneshot(TestCall::new("{}").call);
    let ended = tokio::spawn(call).await;
    (ended.is_err_and(|error| error.is_panic()), sink.events())
}

#[tokio::test]
async fn a_tool_s_own_error_is_a_failure() {
    for (result, expected) in [
        (r#"{"content":[],"isError":true}"#, AuditResult::Failure),
        (r#"{"is\u0045rror":true}"#, AuditResult::Failure),
        (r#"{"isError":false}"#, AuditResult::Success),
        (r#"{"content":[{"type":"text","text":"isError:true"}]}"#, AuditResult::Success),
        (r#"{"structuredContent":{"isError":true}}"#, AuditResult::Success),
    ] {
        let (_, event) = audited(Inner::answering(result), TestCall::new("{}")).await;
        assert_eq!((event.result, &event.event_type), (expected, &AuditEventType::ToolExecuted), "{result}");
        let reason =
            detail(&event, "reason").is_some_and(|reason| reason.contains("the tool reported an error"));
        assert_eq!(reason, expected == AuditResult::Failure, "{event:?}");
    }
}

#[tokio::test]
async fn each_kind_of_refusal_has_its_event() {
    use RefusalKind::{
        Access, CodeSafety, Confirmation, Identity, Lifecycle, NotFound, Permission, RateLimit, Validation,
    };
    for (kind, expected) in [
        (Access, AuditEventType::ToolBlocked),
        (Permission, AuditEventType::ToolBlocked),
        (Confirmation, AuditEventType::ToolBlocked),
        (RateLimit, AuditEventType::ToolBlocked),
        (Identity, AuditEventType::ToolBlocked),
        (Lifecycle, AuditEventType::ToolBlocked),
        (NotFound, AuditEventType::ToolBlocked),
        (Validation, AuditEventType::ValidationFailed),
        (CodeSafety, AuditEventType::CodeRejected),
    ] {
        let call = TestCall::new("{}");
        call.record.refuse(kind, "why");
        let (_, event) = audited(Inner::new(), call).await;
        assert_eq!((event.event_type, event.result), (expected, AuditResult::Blocked), "{kind:?}");
    }
}

/// Returns a call that was sent to its server once.
fn sent() -> TestCall {
    let call = TestCall::new("{}");
    call.record.update(|record| record.attempts = 1);
    call
}

#[tokio::test]
async fn a_call_that_reached_no_server_is_not_reported_as_run() {
    let cancelled = |_: ToolCall<()>| std::future::ready(Ok(Reply::cancelled(RawJson::empty_object())));
    let (_, event) = audited(service_fn(cancelled), TestCall::new("{}")).await;
    assert_eq!((event.event_type, event.result), (AuditEventType::ToolBlocked, AuditResult::Blocked));
    let lost = |_: ToolCall<()>| std::future::ready(Err::<Reply, BoxError>("never sent".into()));
    let (_, event) = audited(service_fn(lost), TestCall::new("{}")).await;
    assert_eq!((event.event_type, event.result), (AuditEventType::ToolBlocked, AuditResult::Blocked));
}

#[tokio::test]
async fn errors_cancellations_and_lost_servers_are_failures() {
    let answering = |answer: fn() -> Result<Reply, BoxError>| {
        service_fn(move |_: ToolCall<()>| std::future::ready(answer()))
    };
    let (_, event) =
        audited(answering(|| Ok(Reply::error(ErrorCode::ServerDraining.error("stopping")))), sent()).await;
    assert_eq!(
        (event.result, detail(&event, "reason").as_deref()),
        (AuditResult::Failure, Some("\"stopping (2001)\""))
    );
    let (_, event) = audited(answering(|| Ok(Reply::cancelled(RawJson::empty_object()))), sent()).await;
    assert_eq!((event.result, detail(&event, "cancelled").as_deref()), (AuditResult::Failure, Some("true")));
    let (reply, event) = audited(answering(|| Err("lost".into())), sent()).await;
    assert!(reply.is_err());
    assert_eq!((event.result, detail(&event, "reason").as_deref()), (AuditResult::Failure, Some("\"lost\"")));
}

#[tokio::test]
async fn a_dropped_call_is_recorded_too() {
    let sink = MemorySink::new(10);
    let pending = service_fn(|_: ToolCall<()>| std::future::pending::<Result<Reply, BoxError>>());
    let call = AuditLayer::new(Arc::new(sink.clone())).layer(pending).oneshot(sent().call);
    let mut call = Task::new(call);
    assert!(call.poll().is_pending());
    assert!(sink.events().is_empty());
    drop(call);
    let event = sink.events().remove(0);
    assert_eq!((event.result, detail(&event, "cancelled").as_deref()), (AuditResult::Failure, Some("true")));
}

#[derive(Debug)]
struct Slow(parking_lot::Mutex<Option<tokio::sync::oneshot::Receiver<Result<(), AuditError>>>>);

impl AuditSink for Slow {
    fn record(&self, _: AuditEvent) -> StoreFuture {
        StoreFuture::waiting(self.0.lock().take().unwrap())
    }
}

#[tokio::test]
async fn the_reply_waits_until_the_event_is_stored() {
    let (done, outcome) = tokio::sync::oneshot::channel();
    let sink = Arc::new(Slow(parking_lot::Mutex::new(Some(outcome))));
    let mut call = Task::new(AuditLayer::new(sink).layer(Inner::new()).oneshot(TestCall::new("{}").call));
    assert!(call.poll().is_pending());
    done.send(Ok(())).unwrap();
    let Poll::Ready(Ok(reply)) = call.poll() else { panic!("the event is stored") };
    assert!(reply.result().is_some());
}

#[tokio::test]
async fn a_result_whose_event_cannot_be_stored_is_withheld() {
    let (done, outcome) = tokio::sync::oneshot::channel();
    done.send(Err(AuditError::new("disk full"))).unwrap();
    let sink = Arc::new(Slow(parking_lot::Mutex::new(Some(outcome))));
    let reply = AuditLayer::new(sink).layer(Inner::new()).oneshot(TestCall::new("{}").call).await.unwrap();
    assert_eq!(code(&reply), Some(-32603));
    assert!(reply.as_error().unwrap().message.contains("audit event: disk full"));
}

#[tokio::test]
async fn an_unrecorded_refusal_is_retryable_only_if_no_server_ran_it() {
    let refused = |_: ToolCall<()>| {
        std::future::ready(Ok::<_, BoxError>(Reply::error(ErrorCode::AccessDenied.error("no"))))
    };
    for (call, expected, retryable) in [(TestCall::new("{}"), 3001, true), (sent(), -32603, false)] {
        let (done, outcome) = tokio::sync::oneshot::channel();
        let sink = Arc::new(Slow(parking_lot::Mutex::new(Some(outcome))));
        done.send(Err(AuditError::new("disk full"))).unwrap();
        let reply = AuditLayer::new(sink).layer(service_fn(refused)).oneshot(call.call).await.unwrap();
        assert_eq!(code(&reply), Some(expected));
        let recovery = Recovery::from_error(reply.as_error().unwrap()).unwrap();
        assert_eq!(recovery.retryable, retryable, "{recovery:?}");
        let details = recovery.details.unwrap();
        assert_eq!(details.text("resource").as_deref(), Some("audit"));
        assert_eq!(details.text("reason").as_deref(), Some("disk full"));
    }
}

#[tokio::test]
async fn an_event_has_the_time_at_which_it_happened() {
    let (before, (_, event)) = (Timestamp::now(), audited(Inner::new(), TestCall::new("{}")).await);
    let time: Timestamp = event.timestamp.parse().unwrap();
    // Written to the millisecond.
    assert!(before - SignedDuration::from_millis(1) <= time && time <= Timestamp::now(), "{time}");
}

#[tokio::test]
async fn the_layer_is_ready_when_the_inner_service_is() {
    let layer = AuditLayer::new(Arc::new(MemorySink::new(10)));
    let (mut service, mut handle) = mock::spawn_layer::<ToolCall<()>, Reply, _>(layer);
    handle.allow(0);
    assert!(service.poll_ready().is_pending());
    handle.allow(1);
    assert!(service.poll_ready().is_ready());
    let mut call = Task::new(service.call(TestCall::new("{}").call));
    assert!(call.poll().is_pending());
    handle.next_request().await.unwrap().1.send_response(Reply::none());
    assert!(matches!(call.poll(), Poll::Ready(Ok(_))));
}
