//! Tests of dry runs: the gate reports its questions, asks nobody, and uses up no approval.

use super::rig::{FixedAnswer, Gate, SHELL, calling, dangerous, operator};
use crate::{
    audit::NullSink,
    permission::{
        ApprovalTerm, ConfirmationBounds, ConfirmationGate, Confirmations, Deny, PermissionRules,
        Permissions, SqlPermissionStore, SqlStore,
    },
    profile::Confirmation,
    testing::{Inner, TestCall, code, validators},
};
use mgp_transport::seam::GateLayer;
use mgp_types::{
    permission::PermissionPolicy,
    tool_check::{CallQuestion, QuestionKind},
};
use std::sync::Arc;
use tower::{Layer, ServiceExt};

/// Makes a dry run. Returns the code of the answer, and the questions that a call would lead to.
async fn dry(gate: &Gate, call: TestCall) -> (Option<i64>, Vec<CallQuestion>) {
    let call = call.dry();
    let record = call.record.clone();
    let reply = gate.call(call).await;
    (code(&reply), record.read().questions)
}

#[tokio::test]
async fn a_dry_run_names_the_question_without_asking_or_storing_it() {
    for confirmation in [Confirmation::Always, Confirmation::UnlessApproved] {
        let yes = FixedAnswer::approved(ApprovalTerm::Once);
        let gate = Gate::asking(yes.clone());
        let (code, questions) = dry(&gate, calling(confirmation, "{}")).await;
        assert_eq!((code, gate.inner.reached(), questions.len()), (None, 1, 1));
        assert_eq!((questions[0].kind, &questions[0].request_id), (QuestionKind::Confirmation, &None));
        assert!(yes.questions.lock().is_empty() && gate.sink.events().is_empty());
        assert_eq!(gate.confirmations.rows().await.unwrap(), []);
    }
    let gate = Gate::asking(FixedAnswer::denied());
    assert_eq!(dry(&gate, calling(Confirmation::Never, "{}")).await, (None, Vec::new()));
}

#[tokio::test]
async fn a_dry_run_names_an_open_question_and_obeys_its_answer() {
    let gate = Gate::unattended();
    gate.call(dangerous("{}")).await;
    let id = gate.question().await;
    assert_eq!(dry(&gate, dangerous("{}")).await.1[0].request_id.as_ref(), Some(&id));
    gate.confirmations.deny(&id, &operator()).await.unwrap();
    assert_eq!(dry(&gate, dangerous("{}")).await, (Some(1000), Vec::new()));
}

#[tokio::test]
async fn a_dry_run_does_not_use_up_an_approval_of_one_call() {
    let gate = Gate::unattended();
    gate.call(dangerous("{}")).await;
    gate.confirmations.approve(&gate.question().await, ApprovalTerm::Once, &operator()).await.unwrap();
    for _ in 0..3 {
        assert_eq!(dry(&gate, dangerous("{}")).await, (None, Vec::new()));
    }
    let sent = gate.inner.reached();
    assert_eq!(gate.outcome(dangerous("{}")).await, (None, sent + 1));
    assert_eq!(dry(&gate, dangerous("{}")).await.1.len(), 1, "the call used it up");
}

#[tokio::test]
async fn a_dry_run_is_refused_if_nobody_can_be_asked() {
    let bounds = ConfirmationBounds { open: 1, ..ConfirmationBounds::default() };
    let store = Arc::new(SqlPermissionStore::in_memory());
    let confirmations = Confirmations::bounded(store, Arc::new(NullSink), Confirmations::LIFETIME, bounds);
    let gate = |approver| Gate {
        gate: ConfirmationGate::new(approver, confirmations.clone()),
        ..Gate::unattended()
    };
    let (alone, attended) = (gate(Arc::new(Deny)), gate(Arc::new(FixedAnswer::denied())));
    assert_eq!(dry(&alone, dangerous("{}")).await.0, None);
    alone.call(dangerous(r#"{"a":1}"#)).await;
    assert_eq!(dry(&alone, dangerous("{}")).await, (Some(3001), Vec::new()));
    assert_eq!(dry(&attended, dangerous("{}")).await.1.len(), 1);
    let long = format!("{:?}", "x".repeat(1 << 20));
    assert_eq!(dry(&attended, dangerous(&long)).await, (Some(1000), Vec::new()));
}

#[tokio::test]
async fn a_dangerous_permission_s_answer_replaces_the_confirmation() {
    for (rules, expected) in [
        (PermissionRules::new(PermissionPolicy::AutoApprove), 0),
        (PermissionRules::new(PermissionPolicy::Interactive), 0),
        (PermissionRules::new(PermissionPolicy::DenyAll), 1),
    ] {
        let store = Arc::new(SqlPermissionStore::in_memory());
        let asked = Arc::new(FixedAnswer::denied());
        let permissions = Permissions::builder(rules, store, Arc::new(NullSink))
            .approver(asked.clone())
            .open()
            .await
            .unwrap();
        let mut gate = Gate::asking(FixedAnswer::denied());
        gate.gate = gate.gate.permissions(permissions);
        let call = calling(Confirmation::UnlessApproved, "{}");
        assert_eq!(call.call.profile.permissions, [SHELL]);
        assert_eq!(dry(&gate, call).await.1.len(), expected);
        assert_eq!(dry(&gate, calling(Confirmation::Always, "{}")).await.1.len(), 1);
    }
}

#[tokio::test]
async fn a_doubt_that_can_be_confirmed_refuses_no_dry_run() {
    let gate = Gate::asking(FixedAnswer::denied());
    let doubting = gate.gate.clone().doubts(|call| validators().doubt(call));
    for (command, expected) in [("frobnicate --now", (1, 1)), ("ls", (1, 0)), ("rm -rf /", (0, 0))] {
        let inner = Inner::new();
        let judged = GateLayer::new(validators()).layer(inner.clone());
        let call = super::doubts::calling(&format!(r#"{{"command":"{command}"}}"#)).dry();
        let record = call.record.clone();
        GateLayer::new(doubting.clone()).layer(judged).oneshot(call.identified()).await.unwrap();
        assert_eq!((inner.reached(), record.read().questions.len()), expected, "{command}");
    }
}
