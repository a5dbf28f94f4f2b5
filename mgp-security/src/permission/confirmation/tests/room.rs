//! Tests of questions to hosts that can be asked: a cancelled call leaves no question, and a question needs no room to be asked.

use super::rig::{FixedAnswer, Gate, dangerous, message};
use crate::{
    audit::NullSink,
    permission::{
        ApprovalTerm, Approver, ConfirmationGate, ConfirmationKey, ConfirmationQuestion, ConfirmationRow,
        ConfirmationState, ConfirmationStore, ConfirmationVerdict, Confirmations, Deny, PendingApprover,
        PermissionQuestion, PermissionVerdict, SqlPermissionStore, SqlStore,
        confirmation::ConfirmationBounds,
    },
    testing::{Inner, TestCall, code},
};
use async_trait::async_trait;
use mgp_transport::seam::{CancelCause, CancelToken, GateLayer, Reply};
use mgp_types::error::Recovery;
use std::{sync::Arc, time::Duration};
use tower::{Layer, ServiceExt};

/// An approver that never answers.
#[derive(Debug)]
struct Silent;

#[async_trait]
impl Approver for Silent {
    async fn permission(&self, _: &PermissionQuestion) -> PermissionVerdict {
        std::future::pending().await
    }

    async fn confirm(&self, _: &ConfirmationQuestion) -> ConfirmationVerdict {
        std::future::pending().await
    }
}

/// Starts a call that waits. Returns the token that cancels it, and its task.
fn waiting(gate: &Gate, arguments: &str) -> (CancelToken, tokio::task::JoinHandle<Reply>) {
    let cancel = CancelToken::new();
    let call = dangerous(arguments).on_session(None, &cancel);
    let gate = gate.clone();
    (cancel, tokio::spawn(async move { gate.call(call).await }))
}

#[tokio::test(start_paused = true)]
async fn a_host_is_asked_after_any_number_of_cancelled_calls() {
    let gate = Gate::asking(Silent);
    for number in 0..40 {
        let (cancel, call) = waiting(&gate, &format!(r#"{{"n":{number}}}"#));
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert_eq!(gate.confirmations.pending().await.unwrap().len(), 1, "{number}");
        cancel.cancel(CancelCause::Notification);
        assert!(call.await.unwrap().is_cancelled());
        assert_eq!(gate.confirmations.rows().await.unwrap(), [], "{number}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_call_s_question_stays_for_another_waiter() {
    let gate = Gate::asking(Silent);
    let (first, second) = (waiting(&gate, "{}"), waiting(&gate, "{}"));
    tokio::time::sleep(Duration::from_secs(1)).await;
    let id = gate.question().await;
    first.0.cancel(CancelCause::Notification);
    assert!(first.1.await.unwrap().is_cancelled());
    assert_eq!(gate.question().await, id);
    gate.confirmations.approve(&id, ApprovalTerm::Once, &super::rig::operator()).await.unwrap();
    assert_eq!((code(&second.1.await.unwrap()), gate.inner.reached()), (None, 1));
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_call_s_question_stays_for_the_operator() {
    let gate = Gate::asking(PendingApprover);
    let (cancel, call) = waiting(&gate, "{}");
    tokio::time::sleep(Duration::from_secs(1)).await;
    let id = gate.question().await;
    cancel.cancel(CancelCause::Notification);
    assert!(call.await.unwrap().is_cancelled());
    gate.confirmations.approve(&id, ApprovalTerm::Once, &super::rig::operator()).await.unwrap();
    assert_eq!(gate.outcome(dangerous("{}")).await, (None, 1));
}

/// Makes a call of agent `a`, which has an open question and no room for another.
async fn without_room(approver: impl Approver) -> (Reply, usize, TestCall) {
    let store = Arc::new(SqlPermissionStore::in_memory());
    let bounds = ConfirmationBounds { open_per_agent: 1, open: 3, rows: 4 };
    let confirmations = Confirmations::bounded(store, Arc::new(NullSink), Confirmations::LIFETIME, bounds);
    let inner = Inner::new();
    let open =
        GateLayer::new(ConfirmationGate::new(Arc::new(Deny), confirmations.clone())).layer(inner.clone());
    open.oneshot(dangerous(r#"{"n":1}"#).identified()).await.unwrap();
    let call = dangerous(r#"{"n":2}"#);
    let record = call.record.clone();
    let service =
        GateLayer::new(ConfirmationGate::new(Arc::new(approver), confirmations.clone())).layer(inner.clone());
    let reply = service.oneshot(call.identified()).await.unwrap();
    let rows = confirmations.rows().await.unwrap();
    assert_eq!((rows.len(), rows[0].state), (1, ConfirmationState::Open), "{rows:?}");
    (reply, inner.reached(), TestCall { record, ..TestCall::new("{}") })
}

#[tokio::test(start_paused = true)]
async fn without_room_a_host_is_asked_about_this_call_only() {
    let says = FixedAnswer::approved(ApprovalTerm::Always);
    let asked = says.questions.clone();
    let (reply, reached, call) = without_room(says).await;
    assert_eq!((code(&reply), reached), (None, 1));
    let how = call.record.read().details.remove(0).1;
    assert!(how.as_str().ends_with(r#","by":"ben","term":"once"}"#), "{how}");
    let question = asked.lock().remove(0);
    assert!(
        question.every_time && question.request_id.is_none(),
        "nothing more can be approved: {question:?}"
    );

    let (reply, reached, _) = without_room(FixedAnswer::denied()).await;
    assert!(reached == 0 && message(&reply).contains("\"ben\" declined it"), "{reply:?}");
    let (reply, reached, _) = without_room(Silent).await;
    assert_eq!((code(&reply), reached), (Some(3001), 0));
}

#[tokio::test(start_paused = true)]
async fn without_room_and_host_the_refusal_is_final_and_immediate() {
    let started = tokio::time::Instant::now();
    let replies = [without_room(Deny).await.0, without_room(PendingApprover).await.0];
    assert_eq!(started.elapsed(), Duration::ZERO);
    for reply in replies {
        assert!(message(&reply).contains("`mgp approve` shows them"), "{reply:?}");
        let recovery = Recovery::from_error(reply.as_error().unwrap()).unwrap();
        assert_eq!((code(&reply), recovery.retryable), (Some(3001), false));
    }
}

#[tokio::test(start_paused = true)]
async fn a_question_is_closed_with_the_last_cancelled_call() {
    let gate = Gate::asking(Silent);
    let calls = [waiting(&gate, "{}"), waiting(&gate, "{}")];
    tokio::time::sleep(Duration::from_secs(1)).await;
    for (cancel, call) in calls {
        gate.question().await;
        cancel.cancel(CancelCause::Notification);
        assert!(call.await.unwrap().is_cancelled());
    }
    assert_eq!(gate.confirmations.rows().await.unwrap(), []);
}

#[tokio::test(start_paused = true)]
async fn the_question_of_a_refused_call_outlives_cancelled_ones() {
    let gate = Gate::asking(Silent);
    let first = waiting(&gate, "{}").1;
    // One that waits meanwhile, and one that arrives when none waits.
    tokio::time::sleep(Duration::from_secs(30)).await;
    let second = waiting(&gate, "{}");
    let refused = message(&first.await.unwrap());
    let id = gate.question().await;
    assert!(refused.contains(&format!("`mgp approve {id}`")), "{refused}");
    let cancel = async |(cancel, call): (CancelToken, tokio::task::JoinHandle<Reply>)| {
        tokio::time::sleep(Duration::from_secs(1)).await;
        cancel.cancel(CancelCause::Notification);
        assert!(call.await.unwrap().is_cancelled());
        assert_eq!(gate.question().await, id);
    };
    cancel(second).await;
    cancel(waiting(&gate, "{}")).await;
}

#[tokio::test]
async fn an_approver_that_asks_nobody_has_nobody_to_ask() {
    let says = FixedAnswer::denied();
    let asked = says.questions.clone();
    Gate::asking(says).call(dangerous("{}")).await;
    let question = asked.lock().remove(0);
    assert!(Silent.is_attended(&question));
    assert!(!Deny.is_attended(&question) && !PendingApprover.is_attended(&question));
    assert!(!(Arc::new(Deny) as Arc<dyn Approver>).is_attended(&question));
}

/// An approver that does not answer the first question.
#[derive(Debug, Clone, Default)]
struct Second(Arc<parking_lot::Mutex<Vec<ConfirmationQuestion>>>);

#[async_trait]
impl Approver for Second {
    async fn permission(&self, _: &PermissionQuestion) -> PermissionVerdict {
        PermissionVerdict::Deferred
    }

    async fn confirm(&self, question: &ConfirmationQuestion) -> ConfirmationVerdict {
        let asked = {
            let mut asked = self.0.lock();
            asked.push(question.clone());
            asked.len()
        };
        if asked == 1 {
            std::future::pending::<()>().await;
        }
        ConfirmationVerdict::Approved { by: "ben".into(), term: ApprovalTerm::Always }
    }
}

#[tokio::test(start_paused = true)]
async fn a_question_that_cannot_be_stored_again_has_no_id() {
    let store = Arc::new(SqlPermissionStore::in_memory());
    let bounds = ConfirmationBounds { open_per_agent: 1, open: 3, rows: 4 };
    let confirmations =
        Confirmations::bounded(store.clone(), Arc::new(NullSink), Confirmations::LIFETIME, bounds);
    let asked = Second::default();
    let gate = ConfirmationGate::new(Arc::new(asked.clone()), confirmations.clone());
    let waiting =
        tokio::spawn(GateLayer::new(gate).layer(Inner::new()).oneshot(dangerous(r#"{"n":1}"#).identified()));
    tokio::time::sleep(Duration::from_secs(1)).await;
    let first = confirmations.pending().await.unwrap().remove(0);
    // The question is closed, and another one takes its room.
    confirmations.revoke(&first.id, &super::rig::operator()).await.unwrap();
    let other = ConfirmationKey { arguments_sha256: "other".into(), ..first.key.clone() };
    let other = ConfirmationRow { id: "conf-other".into(), key: other, ..first };
    store.ask_confirmation(other, bounds).await.unwrap();
    assert!(waiting.await.unwrap().unwrap().result().is_some());
    let ids: Vec<_> = asked.0.lock().iter().map(|question| question.request_id.is_some()).collect();
    assert_eq!(ids, [true, false]);
}

#[tokio::test(start_paused = true)]
async fn the_question_of_a_call_refused_without_a_slot_stays() {
    let gate = Gate::asking(Silent);
    let calls: Vec<_> = (0..64).map(|_| waiting(&gate, "{}")).collect();
    tokio::time::sleep(Duration::from_secs(1)).await;
    let refused = message(&gate.call(dangerous("{}")).await);
    let id = gate.question().await;
    assert!(refused.contains(&format!("`mgp approve {id}`")), "{refused}");
    for (cancel, call) in calls {
        cancel.cancel(CancelCause::Notification);
        assert!(call.await.unwrap().is_cancelled());
    }
    assert_eq!(gate.question().await, id);
}
