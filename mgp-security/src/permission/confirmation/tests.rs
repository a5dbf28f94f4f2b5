//! Tests of §4.4: asking before a call.

use super::*;
use crate::{
    audit::NullSink,
    permission::{
        Approver, ConfirmationQuestion, Deny, MemoryPermissionStore, Pending, PermissionQuestion,
        PermissionRules, PermissionVerdict, Permissions,
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
async fn an_approval_by_policy_is_not_explicit() {
    let auto = permissions(PermissionRules::new(PermissionPolicy::AutoApprove)).await;
    let layer = ConfirmationLayer::new(Arc::new(Deny)).permissions(auto);
    assert_eq!(called(&layer, asking(Confirmation::UnlessApproved)).await, (Some(1000), 0));
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
