//! Tests of §4.4: asking before a call.

use super::*;
use crate::{
    audit::NullSink,
    permission::{
        Approver, ConfirmationQuestion, Deny, MemoryPermissionStore, Pending, PermissionLayer,
        PermissionQuestion, PermissionRules, PermissionVerdict, Permissions,
    },
    profile::{Confirmation, ToolProfile},
    testing::{Inner, TestCall, assert_waits_for_its_inner, code, other_message, plain_profile},
};
use async_trait::async_trait;
use mgp_transport::seam::{CancelCause, CancelToken, RefusalKind};
use mgp_types::permission::{Permission, PermissionPolicy, StandardPermission};
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};
use tower::{Layer, ServiceExt};

const SHELL: Permission = Permission::Standard(StandardPermission::ShellExecute);

/// Confirms, and keeps what it was asked.
#[derive(Debug, Clone, Default)]
struct Yes(Arc<Mutex<Vec<String>>>);

#[async_trait]
impl Approver for Yes {
    async fn permission(&self, _: &PermissionQuestion) -> PermissionVerdict {
        PermissionVerdict::Deferred
    }

    async fn confirm(&self, question: &ConfirmationQuestion) -> bool {
        let arguments = question.arguments.as_ref().map(ToString::to_string).unwrap_or_default();
        self.0.lock().unwrap().push(format!("{} {arguments}", question.target.tool));
        true
    }
}

fn asking(confirmation: Confirmation) -> TestCall {
    let profile = ToolProfile { confirmation, permissions: vec![SHELL], ..plain_profile() };
    TestCall::new(r#"{"arguments":{"a":1}}"#).profile(profile)
}

async fn called(layer: &ConfirmationLayer, call: TestCall) -> (Option<i64>, usize) {
    let inner = Inner::new();
    let reply = layer.layer(inner.clone()).oneshot(call.message).await.unwrap();
    (code(&reply), inner.reached())
}

async fn permissions(rules: PermissionRules) -> Permissions {
    let store = Arc::new(MemoryPermissionStore::new());
    Permissions::builder(rules, store, Arc::new(NullSink)).open().await.unwrap()
}

#[tokio::test]
async fn only_a_confirmed_call_goes_on() {
    let yes = Yes::default();
    for confirmation in [Confirmation::Always, Confirmation::UnlessApproved] {
        let call = asking(confirmation);
        let record = call.record.clone();
        assert_eq!(called(&ConfirmationLayer::new(Arc::new(Deny)), call).await, (Some(1000), 0));
        assert_eq!(record.read().refusal.unwrap().kind, RefusalKind::Confirmation);
        assert_eq!(
            called(&ConfirmationLayer::new(Arc::new(yes.clone())), asking(confirmation)).await,
            (None, 1)
        );
    }
    assert_eq!(*yes.0.lock().unwrap(), [r#"s.t {"a":1}"#; 2]);
}

#[tokio::test]
async fn where_nobody_here_is_asked_nothing_is_confirmed() {
    for nobody in [Arc::new(Deny) as Arc<dyn Approver>, Arc::new(Pending)] {
        let layer = ConfirmationLayer::new(nobody);
        assert_eq!(called(&layer, asking(Confirmation::Always)).await, (Some(1000), 0));
    }
}

#[tokio::test]
async fn what_needs_no_confirmation_passes_unasked() {
    let layer = ConfirmationLayer::new(Arc::new(Deny));
    assert_eq!(called(&layer, asking(Confirmation::Never)).await, (None, 1));
    let other = TestCall { message: other_message(), ..TestCall::new("{}") };
    assert_eq!(called(&layer, other).await, (None, 1));
}

#[tokio::test]
async fn an_explicit_approval_counts_unless_confirmation_is_required() {
    let approved = permissions(PermissionRules::new(PermissionPolicy::DenyAll).approve("s", SHELL)).await;
    let layer = ConfirmationLayer::new(Arc::new(Deny)).permissions(approved);
    assert_eq!(called(&layer, asking(Confirmation::UnlessApproved)).await, (None, 1));
    assert_eq!(called(&layer, asking(Confirmation::Always)).await, (Some(1000), 0));
    let mut none_needed = asking(Confirmation::UnlessApproved);
    let profile = ToolProfile { confirmation: Confirmation::UnlessApproved, ..plain_profile() };
    none_needed = none_needed.profile(profile);
    assert_eq!(called(&layer, none_needed).await, (Some(1000), 0), "nothing was approved");
}

#[tokio::test]
async fn an_approval_of_a_permission_that_is_not_dangerous_confirms_nothing() {
    let custom: Permission = "com.example.anything".parse().unwrap();
    for harmless in [StandardPermission::SystemInfo.into(), StandardPermission::MemoryWrite.into(), custom] {
        let rules = PermissionRules::new(PermissionPolicy::DenyAll).approve("s", harmless.clone());
        let layer = ConfirmationLayer::new(Arc::new(Deny)).permissions(permissions(rules).await);
        let profile = ToolProfile {
            confirmation: Confirmation::UnlessApproved,
            permissions: vec![harmless.clone()],
            ..plain_profile()
        };
        let call = TestCall::new("{}").profile(profile);
        assert_eq!(called(&layer, call).await, (Some(1000), 0), "{harmless}");
    }
}

#[tokio::test]
async fn of_several_permissions_the_dangerous_ones_count_and_all_of_them() {
    let camera: Permission = StandardPermission::Camera.into();
    let needed = vec![SHELL, StandardPermission::SystemInfo.into(), camera.clone()];
    let call = || {
        let profile = ToolProfile {
            confirmation: Confirmation::UnlessApproved,
            permissions: needed.clone(),
            ..plain_profile()
        };
        TestCall::new("{}").profile(profile)
    };
    let one = PermissionRules::new(PermissionPolicy::DenyAll).approve("s", SHELL);
    let both = one.clone().approve("s", camera);
    for (rules, expected) in [(one, (Some(1000), 0)), (both, (None, 1))] {
        let layer = ConfirmationLayer::new(Arc::new(Deny)).permissions(permissions(rules).await);
        assert_eq!(called(&layer, call()).await, expected);
    }
}

#[tokio::test]
async fn the_policy_auto_approve_is_the_operator_s_word_where_it_approved_a_dangerous_permission() {
    let auto = permissions(PermissionRules::new(PermissionPolicy::AutoApprove)).await;
    let confirmation = ConfirmationLayer::new(Arc::new(Deny)).permissions(auto.clone());
    let (gate, inner) = (PermissionLayer::new(auto), Inner::new());
    let service = gate.layer(confirmation.layer(inner.clone()));
    let reply = service.clone().oneshot(asking(Confirmation::UnlessApproved).message).await.unwrap();
    assert_eq!((code(&reply), inner.reached()), (None, 1));
    let reply = service.oneshot(asking(Confirmation::Always).message).await.unwrap();
    assert_eq!((code(&reply), inner.reached()), (Some(1000), 1));
}

/// Never answers.
#[derive(Debug)]
struct Silent;

#[async_trait]
impl Approver for Silent {
    async fn permission(&self, question: &PermissionQuestion) -> PermissionVerdict {
        Pending.permission(question).await
    }

    async fn confirm(&self, _: &ConfirmationQuestion) -> bool {
        std::future::pending().await
    }
}

#[tokio::test(start_paused = true)]
async fn no_answer_in_time_is_a_refusal() {
    let layer = ConfirmationLayer::new(Arc::new(Silent)).time_limit(Duration::from_secs(60));
    let started = tokio::time::Instant::now();
    assert_eq!(called(&layer, asking(Confirmation::Always)).await, (Some(1000), 0));
    assert_eq!(started.elapsed().as_secs(), 60);
}

#[tokio::test]
async fn a_caller_that_cancels_does_not_wait() {
    let cancel = CancelToken::new();
    cancel.cancel(CancelCause::Notification);
    let call = asking(Confirmation::Always).on_session(None, &cancel);
    let inner = Inner::new();
    let layer = ConfirmationLayer::new(Arc::new(Silent));
    let reply = layer.layer(inner.clone()).oneshot(call.message).await.unwrap();
    assert_eq!((reply.is_cancelled(), inner.reached()), (true, 0));
}

#[tokio::test]
async fn the_layer_is_ready_when_the_inner_service_is() {
    assert_waits_for_its_inner(ConfirmationLayer::new(Arc::new(Deny)));
}
