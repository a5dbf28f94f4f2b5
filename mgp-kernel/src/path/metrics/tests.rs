//! Tests of the counters and their text form.

use super::{CallCounters, CountCallsLayer, Metrics, sink::CountingSink};
use mgp_security::audit::{AuditSink, EventDraft, MemorySink};
use mgp_transport::seam::{BoxError, RefusalKind, Reply, ToolCall};
use mgp_types::{
    audit::AuditEventType,
    context::{ActorType, Principal, Target, ToolId},
    json::RawJson,
    rpc::{ErrorObject, RawParams},
    tool_security::ToolProfile,
};
use prometheus_client::{encoding::text::encode, registry::Registry};
use std::{future::pending, sync::Arc};
use tower::{Layer, ServiceExt, service_fn};

fn call(server: &str, tool: &str) -> ToolCall<()> {
    let target = Target { tool: ToolId::new(server, tool), called_as: tool.into() };
    ToolCall::new(1, RawParams::none(), target, Arc::new(ToolProfile::of_no_tool()))
}

/// Returns the lines about tools and refusals that are not zero, without times.
fn text(metrics: &Metrics) -> Vec<String> {
    let mut registry = Registry::default();
    metrics.register(&mut registry);
    let mut text = String::new();
    encode(&mut text, &registry).unwrap();
    let is_count = |line: &&str| line.starts_with("tool_calls_total") || line.starts_with("refusals_total");
    let mut lines: Vec<_> =
        text.lines().filter(is_count).filter(|line| !line.ends_with(" 0")).map(str::to_owned).collect();
    lines.sort();
    lines
}

fn counters(metrics: &Arc<Metrics>) -> CallCounters {
    CallCounters { metrics: Some(metrics.clone()), ..CallCounters::default() }
}

/// Has a call answered, after its record was written.
async fn run(metrics: &Arc<Metrics>, call: ToolCall<()>, sent: bool, answer: Result<Reply, BoxError>) {
    let answer = std::sync::Mutex::new(Some(answer));
    let inner = service_fn(|call: ToolCall<()>| {
        call.record.update(|record| record.attempts = u32::from(sent));
        let answer = answer.lock().unwrap().take().unwrap();
        async move { answer }
    });
    let _ = CountCallsLayer::new(counters(metrics)).layer(inner).oneshot(call).await;
}

fn result(text: &'static str) -> Result<Reply, BoxError> {
    Ok(Reply::ok(RawJson::parse(text).unwrap()))
}

#[tokio::test]
async fn a_call_is_counted_once_by_its_outcome() {
    let metrics = Arc::new(Metrics::new(10));
    run(&metrics, call("fs", "read"), true, result(r#"{"content":[]}"#)).await;
    run(&metrics, call("fs", "read"), true, result(r#"{"content":[],"isError":true}"#)).await;
    run(&metrics, call("fs", "read"), true, Ok(Reply::error(ErrorObject::internal("x")))).await;
    run(&metrics, call("fs", "read"), true, Err("lost".into())).await;
    run(&metrics, call("fs", "read"), false, Ok(Reply::error(ErrorObject::internal("x")))).await;
    let refused = call("fs", "read");
    refused.record.refuse(RefusalKind::Access, "no");
    run(&metrics, refused, false, result(r#"{"content":[],"isError":true}"#)).await;
    // Refused at its second attempt.
    let sent = call("fs", "read");
    sent.record.refuse(RefusalKind::Lifecycle, "is stopping");
    run(&metrics, sent, true, Ok(Reply::error(ErrorObject::internal("x")))).await;
    let mut hanging = Box::pin(
        CountCallsLayer::new(counters(&metrics))
            .layer(service_fn(|_: ToolCall<()>| pending::<Result<Reply, BoxError>>()))
            .oneshot(call("fs", "read")),
    );
    assert!(futures_util::poll!(&mut hanging).is_pending());
    drop(hanging);
    assert_eq!(
        text(&metrics),
        [
            r#"refusals_total{gate="access"} 1"#,
            r#"refusals_total{gate="other"} 1"#,
            r#"tool_calls_total{server="fs",tool="read",outcome="cancelled"} 1"#,
            r#"tool_calls_total{server="fs",tool="read",outcome="error"} 3"#,
            r#"tool_calls_total{server="fs",tool="read",outcome="refused"} 2"#,
            r#"tool_calls_total{server="fs",tool="read",outcome="success"} 1"#,
            r#"tool_calls_total{server="fs",tool="read",outcome="tool_error"} 1"#,
        ]
    );
}

#[tokio::test]
async fn tools_are_bounded_and_unknown_names_count_as_one() {
    let metrics = Arc::new(Metrics::new(2));
    for tool in ["a", "b", "c", "d", "a"] {
        run(&metrics, call("fs", tool), true, result("{}")).await;
    }
    for name in ["x", "y"] {
        run(&metrics, call("", name), false, Ok(Reply::error(ErrorObject::internal("x")))).await;
    }
    assert_eq!(
        text(&metrics),
        [
            r#"refusals_total{gate="other"} 2"#,
            r#"tool_calls_total{server="fs",tool="a",outcome="success"} 2"#,
            r#"tool_calls_total{server="fs",tool="b",outcome="success"} 1"#,
            r#"tool_calls_total{server="other",tool="other",outcome="success"} 2"#,
            r#"tool_calls_total{server="unknown",tool="unknown",outcome="refused"} 2"#,
        ]
    );
}

#[tokio::test]
async fn a_name_cannot_inject_a_line() {
    let metrics = Arc::new(Metrics::new(10));
    let evil = "x\"} 1\nmgp_tool_calls_total{server=\"fs\\";
    run(&metrics, call("fs", evil), true, result("{}")).await;
    let escaped = "x\\\"} 1\u{fffd}mgp_tool_calls_total{server=\\\"fs\\\\";
    assert_eq!(
        text(&metrics),
        [format!(r#"tool_calls_total{{server="fs",tool="{escaped}",outcome="success"}} 1"#)]
    );
}

#[tokio::test]
async fn events_are_counted_by_type_and_those_of_servers_together() {
    let (metrics, sink) = (Arc::new(Metrics::new(1)), MemorySink::new(10));
    let counting = CountingSink::new(Arc::new(sink.clone()), metrics.clone());
    let server = Principal::new("evil", ActorType::Server, false);
    for (kind, actor) in
        [("TOOL_EXECUTED", &Principal::agent("a")), ("com.evil.1", &server), ("com.evil.2", &server)]
    {
        let event = EventDraft::new(AuditEventType::from(kind), actor).finish();
        counting.record(event).await.unwrap();
    }
    assert_eq!(sink.events().len(), 3);
    let mut registry = Registry::default();
    metrics.register(&mut registry);
    let mut text = String::new();
    encode(&mut text, &registry).unwrap();
    for line in [
        r#"audit_events_total{type="TOOL_EXECUTED",result="success"} 1"#,
        r#"audit_events_total{type="reported_by_server",result="success"} 2"#,
        "audit_unstored_events 0",
        "audit_store_duration_seconds_count 3",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}: {text}");
    }
}
