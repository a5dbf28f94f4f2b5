//! Tests of the gate: the calls that it lets through, and its refusals.

use super::rig::{Gate, Human, SHELL, interactive, needing_shell, operator, ran_out};
use crate::{
    permission::{PermissionRules, PermissionStore},
    profile::ToolProfile,
    testing::{Task, TestCall, code, plain_profile},
};
use mgp_transport::seam::{GateLayer, RefusalKind};
use mgp_types::{audit::AuditEventType, context::SessionTag, permission::PermissionPolicy};
use std::sync::{Arc, atomic::Ordering};
use tower::{Layer, Service, ServiceExt};

fn deny_all() -> PermissionRules {
    PermissionRules::new(PermissionPolicy::DenyAll)
}

#[tokio::test]
async fn an_unapproved_permission_answers_1000_with_its_name() {
    let gate = Gate::new(interactive(), None).await;
    let row = gate.permissions.open_question("s", &SHELL).await.unwrap();
    let call = TestCall::new("{}").profile(needing_shell());
    let record = call.record.clone();
    let reply = gate.call(call).await.unwrap();
    assert_eq!((code(&reply), gate.inner.reached()), (Some(1000), 0));
    let data = reply.as_error().unwrap().data.as_ref().unwrap().as_str().to_owned();
    let details = format!(
        r#""details":{{"permission":"shell.execute","server_id":"s","request_id":"{}","state":"deferred"}}"#,
        row.request_id
    );
    assert!(data.contains(&details), "{data}");
    assert_eq!(record.read().refusal.unwrap().kind, RefusalKind::Permission);
}

#[tokio::test]
async fn a_refusal_explains_the_state_and_the_remedy() {
    let gate = Gate::new(interactive(), None).await;
    let refusal = async || {
        let reply = gate.call(TestCall::new("{}").profile(needing_shell())).await.unwrap();
        reply.as_error().unwrap().message.clone()
    };
    let found = refusal().await;
    let expected = "which is not decided yet: agent \"unknown\" waits for `mgp approve s shell.execute`; call again after that";
    assert!(found.ends_with(expected), "{found}");
    let id = gate.permissions.open_question("s", &SHELL).await.unwrap().request_id;
    assert!(refusal().await.contains(&format!("waits for `mgp approve {id}`")));
    gate.permissions.deny("s", &SHELL, &operator()).await.unwrap();
    let found = refusal().await;
    assert!(
        found.ends_with(&format!("which is denied: `mgp approve {id} --revoke` takes that back")),
        "{found}"
    );
    for policy in [PermissionPolicy::DenyAll, PermissionPolicy::ConfigOnly] {
        let closed = Gate::new(PermissionRules::new(policy), None).await;
        let reply = closed.call(TestCall::new("{}").profile(needing_shell())).await.unwrap();
        let found = reply.as_error().unwrap().message.clone();
        let expected = format!(
            "which is denied: the policy {policy} takes approvals only from permissions.approved.s in the configuration"
        );
        assert!(found.ends_with(&expected), "{found}");
    }
}

#[tokio::test]
async fn a_session_s_own_tool_is_approved_by_policy_without_a_row() {
    let in_session = async |gate: &Gate| {
        let mut call = TestCall::new("{}").profile(needing_shell());
        call.principal = call.principal.in_session(SessionTag::new([1; 16]));
        code(&gate.call(call).await.unwrap())
    };
    let auto = || PermissionRules::new(PermissionPolicy::AutoApprove);
    let gate = Gate::new(auto(), None).await;
    let decisions = gate.permissions.decisions();
    assert_eq!(in_session(&gate).await, None);
    assert!(gate.store.load().await.unwrap().rows.is_empty() && !decisions.has_changed().unwrap());
    // Only the policy's approval: an operator, another policy and an exception count as everywhere.
    gate.permissions.deny("s", &SHELL, &operator()).await.unwrap();
    assert_eq!(in_session(&gate).await, Some(1000));
    for rules in [deny_all(), auto().except(SHELL)] {
        assert_eq!(in_session(&Gate::new(rules, None).await).await, Some(1000));
    }
    // Elsewhere the approval is stored.
    let gate = Gate::new(auto(), None).await;
    assert_eq!(gate.outcome().await, (None, 1));
    assert_eq!(gate.store.load().await.unwrap().rows.len(), 1);
}

#[tokio::test]
async fn an_expired_approval_is_recorded_even_if_nobody_is_asked() {
    let gate = Gate::new(interactive(), None).await;
    gate.store.put(ran_out()).await.unwrap();
    let gate = Gate::over(gate.store, interactive(), None).await;
    let reply = gate.call(TestCall::new("{}").profile(needing_shell())).await.unwrap();
    assert!(reply.as_error().unwrap().message.contains("which is expired"));
    assert_eq!(gate.events(), [AuditEventType::PermissionRevoked]);
}

#[tokio::test]
async fn a_decided_permission_passes_or_refuses_without_waiting() {
    let approved = Gate::new(deny_all().approve("s", SHELL), None).await;
    let refused = Gate::new(interactive(), None).await;
    for (gate, reached) in [(approved, 1), (refused, 0)] {
        let call = TestCall::new("{}").profile(needing_shell());
        let mut service = GateLayer::new(gate.permissions.clone()).layer(gate.inner.clone());
        let record = call.record.clone();
        drop(service.call(call.identified()));
        assert_eq!((gate.inner.reached(), record.read().refusal.is_none()), (reached, reached == 1));
    }
}

#[tokio::test]
async fn tools_that_need_nothing_and_approved_permissions_pass() {
    let gate = Gate::new(PermissionRules::new(PermissionPolicy::ConfigOnly).approve("s", SHELL), None).await;
    gate.call(TestCall::new("{}")).await.unwrap();
    assert_eq!(gate.outcome().await, (None, 2));
    assert!(gate.events().is_empty());
}

#[tokio::test]
async fn a_name_that_is_not_a_permission_is_refused_by_name() {
    let gate = Gate::new(PermissionRules::new(PermissionPolicy::AutoApprove), None).await;
    let profile = ToolProfile { invalid_permissions: vec!["shell.exec".into()], ..plain_profile() };
    let reply = gate.call(TestCall::new("{}").profile(profile)).await.unwrap();
    assert!(reply.as_error().unwrap().message.contains("\"shell.exec\""));
    assert_eq!(gate.inner.reached(), 0);
}

#[tokio::test]
async fn a_call_that_waited_elsewhere_is_asked_about_only_once() {
    let human = Human::approving();
    let gate = Gate::new(interactive(), Some(Arc::new(human.clone()))).await;
    let mut call = TestCall::new("{}").profile(needing_shell()).identified();
    call.waited = true;
    let again = gate.permissions.judge_again(&call).unwrap_err();
    assert_eq!((again.kind, human.asked.load(Ordering::SeqCst)), (RefusalKind::Permission, 0));
    human.go.notify_one();
    let service = GateLayer::new(gate.permissions.clone()).layer(gate.inner.clone());
    let reply = service.oneshot(call).await.unwrap();
    assert_eq!((code(&reply), human.asked.load(Ordering::SeqCst), gate.inner.reached()), (None, 1, 1));
}

#[tokio::test]
async fn no_permit_of_the_inner_service_is_held_during_a_decision() {
    let human = Human::approving();
    let gate = Gate::new(interactive(), Some(Arc::new(human.clone()))).await;
    let limited = tower::limit::ConcurrencyLimit::new(gate.inner.clone(), 1);
    let service = GateLayer::new(gate.permissions.clone()).layer(limited);
    let waiting = TestCall::new("{}").profile(needing_shell()).identified();
    let mut waiting = Task::new(service.clone().oneshot(waiting));
    assert!(waiting.poll().is_pending());
    let reply = service.clone().oneshot(TestCall::new("{}").identified()).await.unwrap();
    assert!(reply.result().is_some());
    human.go.notify_one();
}

#[tokio::test]
async fn a_one_time_grant_counts_when_its_call_is_judged_again() {
    let gate = Gate::new(interactive(), None).await;
    let call = TestCall::new("{}").profile(needing_shell()).identified();
    assert!(gate.permissions.judge_again(&call).is_err());
    call.record.update(|record| record.granted_once.push(SHELL));
    gate.permissions.judge_again(&call).unwrap();
    gate.permissions.deny("s", &SHELL, &operator()).await.unwrap();
    assert!(gate.permissions.judge_again(&call).is_err());
}
