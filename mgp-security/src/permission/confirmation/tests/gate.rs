//! Tests of §4.4: asking before a call.

use super::rig::{FixedAnswer, SHELL, calling};
use crate::{
    audit::NullSink,
    permission::{
        ApprovalTerm, Approver, ConfirmationGate, Confirmations, Deny, PendingApprover, PermissionRules,
        Permissions, SqlPermissionStore, SqlStore,
    },
    profile::{Confirmation, ToolProfile},
    testing::{Inner, TestCall, code, plain_profile},
};
use mgp_transport::seam::{CancelCause, CancelToken, GateLayer, RefusalKind};
use mgp_types::permission::{Permission, PermissionPolicy, StandardPermission};
use std::{sync::Arc, time::Duration};
use tower::{Layer, ServiceExt};

fn gate(approver: impl Approver) -> ConfirmationGate {
    let store = Arc::new(SqlPermissionStore::in_memory());
    let confirmations = Confirmations::open(store, Arc::new(NullSink), Confirmations::LIFETIME);
    ConfirmationGate::new(Arc::new(approver), confirmations)
}

fn asking(confirmation: Confirmation) -> TestCall {
    calling(confirmation, r#"{"arguments":{"a":1}}"#)
}

async fn called(gate: &ConfirmationGate, call: TestCall) -> (Option<i64>, usize) {
    let inner = Inner::new();
    let reply = GateLayer::new(gate.clone()).layer(inner.clone()).oneshot(call.identified()).await.unwrap();
    (code(&reply), inner.reached())
}

async fn permissions(rules: PermissionRules) -> Permissions {
    let store = Arc::new(SqlPermissionStore::in_memory());
    Permissions::builder(rules, store, Arc::new(NullSink)).open().await.unwrap()
}

#[tokio::test]
async fn only_a_confirmed_call_continues() {
    for confirmation in [Confirmation::Always, Confirmation::UnlessApproved] {
        let call = asking(confirmation);
        let record = call.record.clone();
        assert_eq!(called(&gate(Deny), call).await, (Some(1000), 0));
        assert_eq!(record.read().refusal.unwrap().kind, RefusalKind::Confirmation);
        let yes = FixedAnswer::approved(ApprovalTerm::Once);
        assert_eq!(called(&gate(yes.clone()), asking(confirmation)).await, (None, 1));
        let asked = yes.questions.lock();
        assert_eq!((asked.len(), asked[0].target.tool.to_string()), (1, "s.t".to_owned()));
        assert_eq!(asked[0].arguments.as_ref().unwrap().as_str(), r#"{"a":1}"#);
    }
}

#[tokio::test]
async fn a_call_without_need_of_confirmation_passes_unasked() {
    let asks = gate(Deny);
    assert_eq!(called(&asks, asking(Confirmation::Never)).await, (None, 1));
}

#[tokio::test]
async fn an_explicit_approval_counts_unless_confirmation_is_required() {
    let approved = permissions(PermissionRules::new(PermissionPolicy::DenyAll).approve("s", SHELL)).await;
    let asks = gate(Deny).permissions(approved);
    assert_eq!(called(&asks, asking(Confirmation::UnlessApproved)).await, (None, 1));
    assert_eq!(called(&asks, asking(Confirmation::Always)).await, (Some(1000), 0));
    let mut none_needed = asking(Confirmation::UnlessApproved);
    let profile = ToolProfile { confirmation: Confirmation::UnlessApproved, ..plain_profile() };
    none_needed = none_needed.profile(profile);
    assert_eq!(called(&asks, none_needed).await, (Some(1000), 0), "nothing was approved");
}

#[tokio::test]
async fn an_approval_of_a_harmless_permission_confirms_nothing() {
    let custom: Permission = "com.example.anything".parse().unwrap();
    for harmless in [StandardPermission::SystemInfo.into(), StandardPermission::MemoryWrite.into(), custom] {
        let rules = PermissionRules::new(PermissionPolicy::DenyAll).approve("s", harmless.clone());
        let asks = gate(Deny).permissions(permissions(rules).await);
        let profile = ToolProfile {
            confirmation: Confirmation::UnlessApproved,
            permissions: vec![harmless.clone()],
            ..plain_profile()
        };
        let call = TestCall::new("{}").profile(profile).principal("a");
        assert_eq!(called(&asks, call).await, (Some(1000), 0), "{harmless}");
    }
}

#[tokio::test]
async fn all_dangerous_permissions_of_a_call_count() {
    let camera: Permission = StandardPermission::Camera.into();
    let needed = vec![SHELL, StandardPermission::SystemInfo.into(), camera.clone()];
    let call = || {
        let profile = ToolProfile {
            confirmation: Confirmation::UnlessApproved,
            permissions: needed.clone(),
            ..plain_profile()
        };
        TestCall::new("{}").profile(profile).principal("a")
    };
    let one = PermissionRules::new(PermissionPolicy::DenyAll).approve("s", SHELL);
    let both = one.clone().approve("s", camera);
    for (rules, expected) in [(one, (Some(1000), 0)), (both, (None, 1))] {
        let asks = gate(Deny).permissions(permissions(rules).await);
        assert_eq!(called(&asks, call()).await, expected);
    }
}

#[tokio::test]
async fn auto_approve_confirms_a_dangerous_permission_it_approved() {
    let auto = permissions(PermissionRules::new(PermissionPolicy::AutoApprove)).await;
    let confirmation = GateLayer::new(gate(Deny).permissions(auto.clone()));
    let (gate, inner) = (GateLayer::new(auto), Inner::new());
    let service = gate.layer(confirmation.layer(inner.clone()));
    let reply = service.clone().oneshot(asking(Confirmation::UnlessApproved).identified()).await.unwrap();
    assert_eq!((code(&reply), inner.reached()), (None, 1));
    let reply = service.oneshot(asking(Confirmation::Always).identified()).await.unwrap();
    assert_eq!((code(&reply), inner.reached()), (Some(1000), 1));
}

#[tokio::test(start_paused = true)]
async fn a_timeout_without_an_answer_is_a_refusal() {
    let asks = gate(PendingApprover).wait(Duration::from_secs(60));
    let started = tokio::time::Instant::now();
    assert_eq!(called(&asks, asking(Confirmation::Always)).await, (Some(1000), 0));
    assert_eq!(started.elapsed().as_secs(), 60);
}

#[tokio::test]
async fn a_caller_that_cancels_does_not_wait() {
    let cancel = CancelToken::new();
    cancel.cancel(CancelCause::Notification);
    let call = asking(Confirmation::Always).on_session(None, &cancel);
    let inner = Inner::new();
    let reply =
        GateLayer::new(gate(PendingApprover)).layer(inner.clone()).oneshot(call.identified()).await.unwrap();
    assert_eq!((reply.is_cancelled(), inner.reached()), (true, 0));
}
