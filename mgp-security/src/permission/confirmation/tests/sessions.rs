//! Approvals for the session of the call that asked.

use super::rig::{FixedAnswer, Gate, dangerous, message, operator};
use crate::{
    permission::{ApprovalTerm, ArgumentsPattern, SqlPermissionStore, SqlStore},
    testing::{TestCall, context},
};
use mgp_transport::seam::{CallContext, CancelToken};
use mgp_types::json::RawJson;
use std::sync::Arc;

/// Returns a gate at which sessions have names.
fn named(mut gate: Gate) -> Gate {
    gate.gate = gate.gate.session_name(|session| Some(session.id().into()));
    gate
}

fn session() -> CallContext {
    context(None, &CancelToken::new())
}

fn on(session: &CallContext, mut call: TestCall) -> TestCall {
    call.call.ext.insert(session.clone());
    call
}

async fn holds_in_its_session(gate: &Gate) {
    let (one, other) = (session(), session());
    gate.call(on(&one, dangerous("{}"))).await;
    let id = gate.question().await;
    let row = gate.confirmations.approve(&id, ApprovalTerm::Session, &operator()).await.unwrap();
    assert_eq!(row.term(), Some(ApprovalTerm::Session));
    for reached in 1..=2 {
        assert_eq!(gate.outcome(on(&one, dangerous("{}"))).await, (None, reached));
    }
    for other in [on(&other, dangerous("{}")), dangerous("{}"), on(&one, dangerous(r#"{"x":1}"#))] {
        assert_eq!(gate.outcome(other).await, (Some(1000), 2));
    }
    // A denial of the same call, asked about in another session, holds in all of them.
    let pending = gate.confirmations.pending().await.unwrap();
    let again = pending.iter().find(|row| row.arguments.as_str() == "{}").unwrap();
    gate.confirmations.deny(&again.id, &operator()).await.unwrap();
    assert_eq!(gate.outcome(on(&one, dangerous("{}"))).await, (Some(1000), 2));
}

#[tokio::test]
async fn an_approval_for_a_session_holds_in_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let file = SqlPermissionStore::open(folder.path().join("permission.sqlite3")).unwrap();
    holds_in_its_session(&named(Gate::unattended())).await;
    holds_in_its_session(&named(Gate::over(Arc::new(file), Arc::new(crate::permission::Deny)))).await;
}

#[tokio::test]
async fn a_call_without_a_session_cannot_be_approved_for_one() {
    let gate = named(Gate::unattended());
    gate.call(dangerous("{}")).await;
    let id = gate.question().await;
    let refused = gate.confirmations.approve(&id, ApprovalTerm::Session, &operator()).await.unwrap_err();
    assert!(refused.code == -32602 && refused.message.contains("without a session"), "{refused}");
}

#[tokio::test]
async fn a_session_approval_is_for_the_session_that_asked_last() {
    let gate = named(Gate::unattended());
    let (one, other) = (session(), session());
    gate.call(on(&one, dangerous("{}"))).await;
    gate.call(on(&other, dangerous("{}"))).await;
    let id = gate.question().await;
    gate.confirmations.approve(&id, ApprovalTerm::Session, &operator()).await.unwrap();
    assert_eq!(gate.outcome(on(&other, dangerous("{}"))).await, (None, 1));
    assert_eq!(gate.outcome(on(&one, dangerous("{}"))).await, (Some(1000), 1));
}

#[tokio::test]
async fn a_host_s_answer_holds_in_its_own_session() {
    let store = Arc::new(SqlPermissionStore::in_memory());
    let first = named(Gate::over(store.clone(), Arc::new(crate::permission::Deny)));
    let (one, other) = (session(), session());
    first.call(on(&one, dangerous("{}"))).await;
    let asked = named(Gate::over(store, Arc::new(FixedAnswer::approved(ApprovalTerm::Session))));
    assert_eq!(asked.outcome(on(&other, dangerous("{}"))).await, (None, 1));
    assert_eq!(first.outcome(on(&one, dangerous("{}"))).await, (Some(1000), 0));
    assert_eq!(first.outcome(on(&other, dangerous("{}"))).await, (None, 1));
    // Without a session, the answer holds only for the call.
    assert_eq!(asked.outcome(dangerous("{}")).await, (None, 2));
    assert_eq!(first.outcome(dangerous("{}")).await, (Some(1000), 1));
}

#[tokio::test]
async fn a_denial_of_a_session_approval_holds_in_every_session() {
    let gate = named(Gate::unattended());
    let (one, other) = (session(), session());
    gate.call(on(&one, dangerous("{}"))).await;
    let id = gate.question().await;
    gate.confirmations.approve(&id, ApprovalTerm::Session, &operator()).await.unwrap();
    gate.confirmations.deny(&id, &operator()).await.unwrap();
    for call in [on(&one, dangerous("{}")), on(&other, dangerous("{}")), dangerous("{}")] {
        assert!(message(&gate.call(call).await).contains("was denied by"));
    }
}

#[tokio::test]
async fn a_session_pattern_closes_the_questions_it_covers() {
    let gate = named(Gate::unattended());
    let (one, other) = (session(), session());
    let command = |text: &str| dangerous(&format!(r#"{{"command":"{text}"}}"#));
    for (session, text) in [(&one, "git log"), (&one, "git diff"), (&one, "make"), (&other, "git show")] {
        gate.call(on(session, command(text))).await;
    }
    let pending = async || {
        let rows = gate.confirmations.pending().await.unwrap().into_iter();
        rows.map(|row| (row.arguments.as_str().to_owned(), row.id)).collect::<Vec<_>>()
    };
    let (arguments, id) = pending().await.remove(0);
    let arguments = RawJson::parse(arguments).unwrap();
    let pattern = ArgumentsPattern::of_arguments(&arguments, &["git *"]).unwrap();
    gate.confirmations.approve_like(&id, ApprovalTerm::Session, Some(pattern), &operator()).await.unwrap();
    let left: Vec<_> = pending().await.into_iter().map(|(arguments, _)| arguments).collect();
    assert_eq!(left, [r#"{"command":"make"}"#, r#"{"command":"git show"}"#]);
}
