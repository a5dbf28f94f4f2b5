//! Tests of the questions: who is asked, who answers, and the calls that wait meanwhile.

use super::rig::{Gate, Human, SHELL, interactive, needing_shell, operator, ran_out};
use crate::{
    permission::{
        Deny, PendingApprover, PermissionRules, PermissionStore, PermissionVerdict, SqlPermissionStore,
        SqlStore,
    },
    profile::ToolProfile,
    testing::{Task, TestCall, plain_profile},
};
use mgp_transport::seam::{CancelCause, CancelToken, RefusalKind};
use mgp_types::{
    audit::AuditEventType,
    permission::{Permission, PermissionPolicy, PermissionState, StandardPermission},
};
use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

#[tokio::test(start_paused = true)]
async fn concurrent_calls_share_one_question_and_continue() {
    let human = Human::approving();
    let gate = Gate::new(interactive(), Some(Arc::new(human.clone()))).await;
    let calls: Vec<_> =
        (0..8).map(|_| tokio::spawn(gate.call(TestCall::new("{}").profile(needing_shell())))).collect();
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!((human.asked.load(Ordering::SeqCst), gate.inner.reached()), (1, 0));
    human.go.notify_one();
    for call in calls {
        assert!(call.await.unwrap().unwrap().result().is_some());
    }
    assert_eq!((human.asked.load(Ordering::SeqCst), gate.inner.reached()), (1, 8));
    let intended = AuditEventType::from("dev.cloto.mgp.CHANGE_INTENDED");
    assert_eq!(gate.events(), [intended, AuditEventType::PermissionGranted]);
    assert_eq!(gate.permissions.rows().await.unwrap()[0].decided_by.as_deref(), Some("root"));
}

#[tokio::test]
async fn a_denial_is_kept_and_nobody_is_asked_again() {
    let human = Human::saying(PermissionVerdict::Denied { by: "root".into() });
    human.go.notify_one();
    let gate = Gate::new(interactive(), Some(Arc::new(human.clone()))).await;
    assert_eq!(gate.outcome().await, (Some(1000), 0));
    assert_eq!(gate.outcome().await, (Some(1000), 0));
    assert_eq!(human.asked.load(Ordering::SeqCst), 1);
    let intended = AuditEventType::from("dev.cloto.mgp.CHANGE_INTENDED");
    assert_eq!(gate.events(), [intended, AuditEventType::PermissionDenied]);
    assert_eq!(gate.permissions.state("s", &SHELL), PermissionState::Denied);
}

#[tokio::test(start_paused = true)]
async fn an_unanswered_question_times_out_and_stays_open() {
    let gate = Gate::new(interactive(), Some(Arc::new(PendingApprover))).await;
    let started = tokio::time::Instant::now();
    assert_eq!(gate.outcome().await, (Some(1000), 0));
    assert_eq!(started.elapsed().as_secs(), 60);
    let pending = gate.permissions.pending().await.unwrap();
    assert_eq!((pending.len(), pending[0].tool_name.as_deref()), (1, Some("t")));
    assert_eq!(gate.outcome().await, (Some(1000), 0));
    assert_eq!(gate.needed(), [&*pending[0].request_id], "the same question is told once");
}

#[tokio::test(start_paused = true)]
async fn another_process_can_answer_the_question() {
    let here = Gate::new(interactive(), Some(Arc::new(PendingApprover))).await;
    let there = Gate::over(here.store.clone(), interactive(), None).await;
    let call = tokio::spawn(here.call(TestCall::new("{}").profile(needing_shell())));
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(there.permissions.pending().await.unwrap().len(), 1);
    there.permissions.grant("s", &SHELL, &operator(), None).await.unwrap();
    let started = tokio::time::Instant::now();
    assert!(call.await.unwrap().unwrap().result().is_some());
    assert!(started.elapsed() <= Duration::from_millis(200), "{:?}", started.elapsed());
    // The intent, and the decision.
    assert_eq!((here.inner.reached(), here.events().len(), there.events().len()), (1, 0, 2));
}

#[tokio::test(start_paused = true)]
async fn a_cancelling_caller_does_not_wait_and_the_question_stays() {
    let human = Human::approving();
    let gate = Gate::new(interactive(), Some(Arc::new(human.clone()))).await;
    let cancel = CancelToken::new();
    let call = TestCall::new("{}").profile(needing_shell()).on_session(None, &cancel);
    let record = call.record.clone();
    let call = tokio::spawn(gate.call(call));
    tokio::time::sleep(Duration::from_secs(1)).await;
    cancel.cancel(CancelCause::Notification);
    assert!(call.await.unwrap().unwrap().is_cancelled());
    assert_eq!(record.read().refusal.unwrap().kind, RefusalKind::Permission);
    human.go.notify_one();
    assert_eq!(gate.outcome().await, (None, 1));
    assert_eq!(human.asked.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn an_expired_approval_is_revoked_once_and_requested_again() {
    let human = Human::saying(PermissionVerdict::Deferred);
    let gate = Gate::new(interactive(), Some(Arc::new(human.clone()))).await;
    gate.store.put(ran_out()).await.unwrap();
    let gate = Gate::over(gate.store.clone(), interactive(), Some(Arc::new(human.clone()))).await;
    assert_eq!(gate.permissions.state("s", &SHELL), PermissionState::Expired);
    for _ in 0..2 {
        human.go.notify_one();
        assert_eq!(gate.outcome().await, (Some(1000), 0));
    }
    assert_eq!(human.asked.load(Ordering::SeqCst), 2);
    assert_eq!(gate.events(), [AuditEventType::PermissionRevoked]);
}

#[tokio::test(start_paused = true)]
async fn one_of_several_processes_audits_an_expired_approval() {
    let human = Human::saying(PermissionVerdict::Deferred);
    let store = Arc::new(SqlPermissionStore::in_memory());
    store.put(ran_out()).await.unwrap();
    let here = Gate::over(store.clone(), interactive(), Some(Arc::new(human.clone()))).await;
    let there = Gate::over(store, interactive(), Some(Arc::new(human.clone()))).await;
    // Both have read the store, and read it again only later.
    tokio::time::sleep(Duration::from_millis(1)).await;
    for gate in [&here, &there] {
        human.go.notify_one();
        assert_eq!(gate.outcome().await, (Some(1000), 0));
    }
    // Whichever notices the end first.
    assert_eq!([here.events(), there.events()].concat(), [AuditEventType::PermissionRevoked]);
}

#[tokio::test]
async fn an_open_question_is_not_opened_again() {
    let gate = Gate::new(interactive(), Some(Arc::new(PendingApprover))).await;
    let first = gate.permissions.open_question("s", &SHELL).await.unwrap();
    assert_eq!(gate.permissions.open_question("s", &SHELL).await.unwrap(), first);
    assert_eq!(gate.permissions.pending().await.unwrap(), [first]);
}

#[tokio::test]
async fn an_expired_approval_is_a_question_before_any_call() {
    let store = Arc::new(SqlPermissionStore::in_memory());
    store.put(ran_out()).await.unwrap();
    let gate = Gate::over(store, interactive(), Some(Arc::new(PendingApprover))).await;
    let question = gate.permissions.open_question("s", &SHELL).await.unwrap();
    assert_eq!(gate.permissions.pending().await.unwrap(), [question]);
    assert_eq!(gate.events(), [AuditEventType::PermissionRevoked]);
}

#[tokio::test]
async fn a_decided_permission_is_not_a_question() {
    let gate = Gate::new(PermissionRules::new(PermissionPolicy::AutoApprove), None).await;
    gate.outcome().await;
    let by_policy = gate.permissions.rows().await.unwrap();
    assert_eq!(gate.permissions.open_question("s", &SHELL).await.unwrap(), by_policy[0]);
    let denied = gate.permissions.deny("s", &SHELL, &operator()).await.unwrap();
    assert_eq!(gate.permissions.open_question("s", &SHELL).await.unwrap(), denied);
    assert_eq!(gate.permissions.pending().await.unwrap(), []);
}

#[tokio::test]
async fn waiting_for_a_decision_ends_with_the_answer() {
    let gate = Gate::new(interactive(), Some(Arc::new(PendingApprover))).await;
    let mut decided = Task::new(gate.permissions.0.answered("s", &SHELL));
    assert!(decided.poll().is_pending());
    gate.permissions.deny("s", &SHELL, &operator()).await.unwrap();
    assert!(decided.poll().is_ready());
}

#[tokio::test]
async fn a_one_time_grant_is_recorded_and_leaves_the_question_open() {
    let human = Human::saying(PermissionVerdict::Once { by: "root".into() });
    let gate = Gate::new(interactive(), Some(Arc::new(human.clone()))).await;
    for reached in 1..=2 {
        human.go.notify_one();
        let call = TestCall::new("{}").profile(needing_shell());
        let record = call.record.clone();
        assert!(gate.call(call).await.unwrap().result().is_some());
        assert_eq!((gate.inner.reached(), human.asked.load(Ordering::SeqCst)), (reached, reached));
        let details = record.read().details;
        assert_eq!(details[0].0, "granted_once");
        assert_eq!(details[0].1.as_str(), r#"{"permission":"shell.execute","by":"root"}"#);
    }
    assert_eq!(gate.permissions.state("s", &SHELL), PermissionState::Deferred);
    assert_eq!(gate.permissions.pending().await.unwrap().len(), 1);
    let mut events = gate.sink.events();
    events.retain(|event| event.event_type == AuditEventType::PermissionGranted);
    assert_eq!(events.len(), 2);
    assert!(
        events.iter().all(|event| event.details.as_ref().unwrap().text("term").as_deref() == Some("once"))
    );
}

#[tokio::test(start_paused = true)]
async fn a_one_time_grant_does_not_release_other_waiting_calls() {
    let human = Human::saying(PermissionVerdict::Once { by: "root".into() });
    let gate = Gate::new(interactive(), Some(Arc::new(human.clone()))).await;
    let call = || tokio::spawn(gate.call(TestCall::new("{}").profile(needing_shell())));
    let (first, second) = (call(), call());
    tokio::time::sleep(Duration::from_secs(1)).await;
    human.go.notify_one();
    assert!(first.await.unwrap().unwrap().result().is_some());
    assert!(second.await.unwrap().unwrap().as_error().is_some());
    assert_eq!((gate.inner.reached(), human.asked.load(Ordering::SeqCst)), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn all_questions_of_a_call_share_its_waiting_time() {
    let gate = Gate::new(interactive(), Some(Arc::new(PendingApprover))).await;
    let profile =
        ToolProfile { permissions: vec![SHELL, StandardPermission::Camera.into()], ..needing_shell() };
    let started = tokio::time::Instant::now();
    let granting = async {
        tokio::time::sleep(Duration::from_secs(40)).await;
        gate.permissions.grant("s", &SHELL, &operator(), None).await.unwrap();
    };
    let call = gate.call(TestCall::new("{}").profile(profile));
    let (reply, ()) = tokio::join!(call, granting);
    assert!(reply.unwrap().as_error().unwrap().message.contains("camera"));
    assert_eq!(started.elapsed().as_secs(), 60);
}

#[tokio::test]
async fn open_questions_are_bounded_per_server() {
    let gate = Gate::new(interactive(), Some(Arc::new(Deny))).await;
    let permission = |i: usize| format!("com.example.p{i}").parse::<Permission>().unwrap();
    let needing = |i| ToolProfile { permissions: vec![permission(i)], ..plain_profile() };
    for i in 0..70 {
        let reply = gate.call(TestCall::new("{}").profile(needing(i))).await.unwrap();
        let text = reply.as_error().unwrap().message.clone();
        let named = if i < 64 {
            "`mgp approve perm-".to_owned()
        } else {
            format!("`mgp approve s {}`", permission(i))
        };
        assert!(text.contains(&named), "{text}");
    }
    assert_eq!(gate.permissions.pending().await.unwrap().len(), 64);
    let full = gate.permissions.open_question("s", &permission(99)).await.unwrap_err();
    assert!(full.code == 3001 && full.message.contains("`mgp approve s --deny`"), "{full}");
    gate.permissions.open_question("other", &permission(1)).await.unwrap();
    gate.permissions.open_question("s", &permission(1)).await.unwrap();
    gate.permissions.deny("s", &permission(1), &operator()).await.unwrap();
    gate.permissions.open_question("s", &permission(99)).await.unwrap();
}
