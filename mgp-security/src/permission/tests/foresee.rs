//! Tests of dry runs: the gate reports its questions, and asks nobody.

use super::rig::{Gate, Human, SHELL, interactive, needing_shell, operator, ran_out};
use crate::{
    permission::{PermissionRules, PermissionStore, settle::MAX_OPEN_OF_SERVER},
    testing::{TestCall, code},
};
use mgp_types::{
    permission::{Permission, PermissionPolicy},
    tool_check::{CallQuestion, QuestionKind},
};
use std::sync::{Arc, atomic::Ordering};

/// Makes a dry run. Returns the code of the answer, the number of calls that continued, and the questions that a call would lead to.
async fn dry(gate: &Gate) -> (Option<i64>, usize, Vec<CallQuestion>) {
    let call = TestCall::new("{}").profile(needing_shell()).dry();
    let record = call.record.clone();
    let reply = gate.call(call).await.unwrap();
    (code(&reply), gate.inner.reached(), record.read().questions)
}

/// Returns whether nothing was stored and no event was recorded.
async fn is_untouched(gate: &Gate) -> bool {
    gate.store.load().await.unwrap().rows.is_empty() && gate.sink.events().is_empty()
}

#[tokio::test]
async fn a_dry_run_names_the_question_without_asking_or_storing_it() {
    let human = Human::approving();
    let gate = Gate::new(interactive(), Some(Arc::new(human.clone()))).await;
    let (code, reached, questions) = dry(&gate).await;
    assert_eq!((code, reached, questions.len()), (None, 1, 1));
    let CallQuestion { kind, permission, request_id, .. } = questions[0].clone();
    assert_eq!(
        (kind, permission, request_id),
        (QuestionKind::Permission, Some("shell.execute".to_owned()), None)
    );
    assert!(is_untouched(&gate).await);
    assert_eq!(human.asked.load(Ordering::SeqCst), 0);
    // A question that is open already is named by its id.
    let row = gate.permissions.open_question("s", &SHELL).await.unwrap();
    assert_eq!(dry(&gate).await.2[0].request_id.as_ref(), Some(&row.request_id));
    assert_eq!(human.asked.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_dry_run_is_refused_if_no_answer_would_allow_the_call() {
    let deny_all = Gate::new(PermissionRules::new(PermissionPolicy::DenyAll), None).await;
    assert_eq!(dry(&deny_all).await, (Some(1000), 0, Vec::new()));
    assert!(is_untouched(&deny_all).await);
    let nobody = PermissionRules::new(PermissionPolicy::AutoApprove).except(SHELL);
    assert_eq!(dry(&Gate::new(nobody, None).await).await, (Some(1000), 0, Vec::new()));
    let denied = Gate::new(interactive(), Some(Arc::new(Human::approving()))).await;
    denied.permissions.deny("s", &SHELL, &operator()).await.unwrap();
    assert_eq!(dry(&denied).await, (Some(1000), 0, Vec::new()));
    // The limit of open questions is reached.
    let full = Gate::new(interactive(), Some(Arc::new(Human::approving()))).await;
    for number in 0..MAX_OPEN_OF_SERVER {
        let other: Permission = format!("com.example.n{number}").parse().unwrap();
        full.permissions.open_question("s", &other).await.unwrap();
    }
    assert_eq!(dry(&full).await, (Some(1000), 0, Vec::new()));
}

#[tokio::test]
async fn a_dry_run_passes_by_approval_or_policy_and_stores_nothing() {
    let auto = Gate::new(PermissionRules::new(PermissionPolicy::AutoApprove), None).await;
    assert_eq!(dry(&auto).await, (None, 1, Vec::new()));
    assert!(is_untouched(&auto).await);
    let approved = Gate::new(interactive().approve("s", SHELL), Some(Arc::new(Human::approving()))).await;
    assert_eq!(dry(&approved).await, (None, 1, Vec::new()));
}

#[tokio::test]
async fn a_dry_run_does_not_record_an_ended_approval() {
    let human: Arc<dyn crate::permission::Approver> = Arc::new(Human::approving());
    let gate = Gate::new(interactive(), Some(human.clone())).await;
    gate.store.put(ran_out()).await.unwrap();
    let gate = Gate::over(gate.store.clone(), interactive(), Some(human)).await;
    let before = gate.store.load().await.unwrap().rows;
    let events = gate.sink.events().len();
    let (code, _, questions) = dry(&gate).await;
    assert_eq!((code, questions.len()), (None, 1));
    assert_eq!((gate.store.load().await.unwrap().rows, gate.sink.events().len()), (before, events));
}
