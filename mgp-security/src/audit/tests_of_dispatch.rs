//! Tests of the event before a call.

use super::*;
use crate::{
    profile::ToolProfile,
    testing::{Inner, TestCall, code, plain_profile},
};
use mgp_transport::seam::{GateLayer, RefusalKind};
use mgp_types::{
    audit::AuditEvent,
    context::{RiskLevel, TraceId},
    json::Nullable,
};
use std::sync::Arc;
use tower::{Layer, ServiceExt};

fn risky(risk: RiskLevel) -> TestCall {
    TestCall::new("{}").profile(ToolProfile { risk, ..plain_profile() })
}

#[tokio::test]
async fn risky_calls_are_recorded_before_they_are_sent() {
    use RiskLevel::{Dangerous, Moderate, Safe};
    for (least, risk, expected) in [
        (None, Dangerous, 0),
        (Some(Moderate), Safe, 0),
        (Some(Moderate), Moderate, 1),
        (Some(Moderate), Dangerous, 1),
        (Some(Safe), Safe, 1),
    ] {
        let (sink, inner) = (MemorySink::new(10), Inner::new());
        let gate = GateLayer::new(DispatchEvents::new(Arc::new(sink.clone()), least));
        gate.layer(inner.clone()).oneshot(risky(risk).identified()).await.unwrap();
        assert_eq!((sink.events().len(), inner.reached()), (expected, 1), "{risk}, at least {least:?}");
    }
}

#[tokio::test]
async fn the_event_names_caller_and_tool() {
    let sink = MemorySink::new(10);
    let call = risky(RiskLevel::Dangerous).principal("a");
    call.record.update(|record| record.trace = TraceId::new("trace"));
    let gate = GateLayer::new(DispatchEvents::new(Arc::new(sink.clone()), Some(RiskLevel::Dangerous)));
    gate.layer(Inner::new()).oneshot(call.identified()).await.unwrap();
    let event = sink.events().remove(0);
    assert_eq!(event.event_type, "dev.cloto.mgp.TOOL_DISPATCHED".into());
    assert_eq!((event.actor.id.as_str(), event.trace_id), ("a", Nullable::Value("trace".into())));
    let target = event.target.get().unwrap();
    let names = [&target.server_id, &target.tool_name].map(|name| name.get().unwrap().as_str());
    assert_eq!(names, ["s", "t"]);
    assert_eq!(event.details.unwrap().text("risk_level").as_deref(), Some("dangerous"));
}

/// A sink that fails to store events, if it `keeps` them at all.
#[derive(Debug)]
struct Full {
    keeps: bool,
}

impl AuditSink for Full {
    fn record(&self, _: AuditEvent) -> StoreFuture {
        StoreFuture::ready(Err(AuditError::new("disk full")))
    }

    fn keeps(&self) -> bool {
        self.keeps
    }
}

#[tokio::test]
async fn a_call_whose_event_cannot_be_stored_is_not_sent() {
    for (keeps, expected) in [(true, (Some(3001), 0)), (false, (None, 1))] {
        let (call, inner) = (risky(RiskLevel::Dangerous), Inner::new());
        let record = call.record.clone();
        let gate = GateLayer::new(DispatchEvents::new(Arc::new(Full { keeps }), Some(RiskLevel::Safe)));
        let reply = gate.layer(inner.clone()).oneshot(call.identified()).await.unwrap();
        assert_eq!((code(&reply), inner.reached()), expected);
        let refusal = record.read().refusal.map(|refusal| refusal.kind);
        assert_eq!(refusal, keeps.then_some(RefusalKind::Audit));
    }
    assert!(!NullSink.keeps() && MemorySink::new(1).keeps());
}

#[tokio::test]
async fn a_dry_run_has_no_event_in_advance() {
    let (sink, inner) = (MemorySink::new(10), Inner::new());
    let gate = GateLayer::new(DispatchEvents::new(Arc::new(sink.clone()), Some(RiskLevel::Safe)));
    gate.layer(inner.clone()).oneshot(risky(RiskLevel::Dangerous).dry().identified()).await.unwrap();
    assert_eq!((sink.events().len(), inner.reached()), (0, 1));
}
