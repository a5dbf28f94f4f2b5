//! Tests that the trail records the decision in force under the trace of its call, and that a decision that cannot be recorded does not hold.

use super::rig::{Gate, Human, SHELL, interactive, needing_shell, operator};
use crate::{
    audit::{AuditError, AuditSink, StoreFuture},
    permission::{
        Approver, PermissionRules, Permissions, SqlPermissionStore, SqlStore, record::APPROVAL_NEEDED,
    },
    testing::TestCall,
};
use mgp_types::{
    audit::{AuditEvent, AuditEventType},
    context::TraceId,
    permission::{PermissionPolicy, PermissionState},
};
use std::{sync::Arc, time::Duration};

#[tokio::test(start_paused = true)]
async fn an_approval_that_lost_to_another_process_is_not_recorded() {
    let human = Human::approving();
    let here = Gate::new(interactive(), Some(Arc::new(human.clone()))).await;
    let there = Gate::over(here.store.clone(), interactive(), None).await;
    let call = tokio::spawn(here.call(TestCall::new("{}").profile(needing_shell())));
    // Between two reads of the store.
    tokio::time::sleep(Duration::from_millis(1050)).await;
    there.permissions.deny("s", &SHELL, &operator()).await.unwrap();
    human.go.notify_one();
    let reply = call.await.unwrap().unwrap();
    assert!(reply.as_error().unwrap().message.contains("denied"), "{reply:?}");
    let intended = AuditEventType::from("dev.cloto.mgp.CHANGE_INTENDED");
    assert_eq!(there.events(), [intended, AuditEventType::PermissionDenied]);
    assert_eq!(here.events(), []);
    assert_eq!(here.permissions.state("s", &SHELL), PermissionState::Denied);
}

#[tokio::test(start_paused = true)]
async fn a_policy_approval_of_two_processes_is_recorded_once() {
    let rules = || PermissionRules::new(PermissionPolicy::AutoApprove);
    let here = Gate::new(rules(), None).await;
    let there = Gate::over(here.store.clone(), rules(), None).await;
    // Both have read the store, and read it again only later.
    tokio::time::sleep(Duration::from_millis(1)).await;
    for gate in [&here, &there] {
        assert_eq!(gate.outcome().await, (None, 1));
    }
    // The intent, and the decision.
    assert_eq!((here.events().len(), there.events().len()), (2, 0));
}

/// A sink that stores nothing.
#[derive(Debug)]
struct Full;

impl AuditSink for Full {
    fn record(&self, _: AuditEvent) -> StoreFuture {
        StoreFuture::ready(Err(AuditError::new("the disk is full")))
    }
}

#[tokio::test]
async fn an_approval_that_cannot_be_recorded_does_not_hold() {
    for policy in [PermissionPolicy::Interactive, PermissionPolicy::AutoApprove] {
        let store = Arc::new(SqlPermissionStore::in_memory());
        let human = Human::approving();
        human.go.notify_one();
        let rules = PermissionRules::new(policy);
        let builder = Permissions::builder(rules.clone(), store.clone(), Arc::new(Full));
        let permissions = builder.approver(Arc::new(human)).open().await.unwrap();
        let gate = Gate::over(store, rules, None).await;
        let gate = Gate { permissions, ..gate };
        assert_eq!(gate.outcome().await, (Some(1000), 0), "{policy}");
        // A question waits nevertheless.
        let open = gate.permissions.pending().await.unwrap().len();
        assert_eq!(open, usize::from(policy == PermissionPolicy::Interactive), "{policy}");
        assert_ne!(gate.permissions.state("s", &SHELL), PermissionState::Approved);
        let refused = gate.permissions.grant("s", &SHELL, &operator(), None).await.unwrap_err();
        assert!(refused.message.contains("the disk is full"), "{refused}");
        assert_ne!(gate.permissions.state("s", &SHELL), PermissionState::Approved);
    }
}

#[tokio::test]
async fn a_decision_s_events_have_the_trace_of_their_call() {
    let human = Human::approving();
    human.go.notify_one();
    let human: Arc<dyn Approver> = Arc::new(human);
    for (policy, approver, decided, asked) in [
        (PermissionPolicy::Interactive, Some(human), AuditEventType::PermissionGranted, 1),
        (PermissionPolicy::AutoApprove, None, AuditEventType::PermissionGranted, 0),
        (PermissionPolicy::DenyAll, None, AuditEventType::PermissionDenied, 0),
    ] {
        let gate = Gate::new(PermissionRules::new(policy), approver).await;
        let mut call = TestCall::new("{}").profile(needing_shell());
        call.call.trace = TraceId::new("of-the-call");
        gate.call(call).await.unwrap();
        let events = gate.sink.events();
        assert_eq!(events.last().map(|event| &event.event_type), Some(&decided), "{policy}: {events:?}");
        let questions = events.iter().filter(|event| event.event_type.as_str() == APPROVAL_NEEDED);
        assert_eq!(questions.count(), asked, "{policy}: {events:?}");
        for event in &events {
            assert_eq!(event.trace_id.get().map(String::as_str), Some("of-the-call"), "{policy}: {event:?}");
        }
    }
}
