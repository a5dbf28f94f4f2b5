//! Tests of the bounds on questions and waits.

use super::rig::{FixedAnswer, Gate, dangerous, message, operator};
use crate::{
    audit::NullSink,
    permission::{
        ApprovalTerm, Approver, ConfirmationGate, ConfirmationRow, ConfirmationStore, ConfirmationVerdict,
        Confirmations, Deny, PendingApprover, SqlPermissionStore, SqlStore, confirmation::ConfirmationBounds,
    },
    testing::{Inner, code},
};
use jiff::{SignedDuration, Timestamp};
use mgp_transport::seam::GateLayer;
use std::{sync::Arc, time::Duration};
use tower::{Layer, ServiceExt};

#[tokio::test(start_paused = true)]
async fn a_call_waits_within_its_limit_and_its_question_stays_open() {
    let gate = Gate::asking(PendingApprover);
    let started = tokio::time::Instant::now();
    let text = message(&gate.call(dangerous("{}")).await);
    assert_eq!(started.elapsed().as_secs(), 45);
    let id = gate.question().await;
    assert!(text.contains(&format!("`mgp approve {id}`")), "{text}");
    gate.confirmations.approve(&id, ApprovalTerm::Once, &operator()).await.unwrap();
    assert_eq!(gate.outcome(dangerous("{}")).await, (None, 1));
}

#[tokio::test]
async fn open_questions_and_rows_are_bounded() {
    let store = Arc::new(SqlPermissionStore::in_memory());
    let bounds = ConfirmationBounds { open_per_agent: 2, open: 3, rows: 4 };
    let sink = Arc::new(NullSink);
    let confirmations = Confirmations::bounded(store.clone(), sink, Confirmations::LIFETIME, bounds);
    let gate = ConfirmationGate::new(Arc::new(Deny), confirmations.clone());
    let inner = Inner::new();
    let refusal = async |agent: &str, number: usize| {
        let call = dangerous(&format!(r#"{{"n":{number}}}"#)).principal(agent);
        let reply =
            GateLayer::new(gate.clone()).layer(inner.clone()).oneshot(call.identified()).await.unwrap();
        (code(&reply).unwrap(), message(&reply))
    };
    let waits = |(code, text): (i64, String)| code == 1000 && text.contains("waits for an approval");
    for number in 0..2 {
        assert!(waits(refusal("a", number).await));
    }
    let (code, text) = refusal("a", 2).await;
    let answer = "answer one with `mgp approve ID`, or `mgp approve ID --deny`";
    assert!(code == 3001 && text.contains("2 calls of agent \"a\" wait"), "{text}");
    assert!(text.contains(answer), "{text}");
    assert!(waits(refusal("a", 0).await), "a question that is there needs no room");
    assert!(waits(refusal("b", 0).await));
    let (code, text) = refusal("c", 0).await;
    assert!(code == 3001 && text.contains("3 calls wait for an approval already"), "{text}");
    // Answers take room too, and expired rows make room.
    for row in confirmations.pending().await.unwrap() {
        confirmations.deny(&row.id, &operator()).await.unwrap();
    }
    assert!(waits(refusal("c", 0).await));
    let (code, text) = refusal("d", 0).await;
    assert!(code == 3001 && text.contains("4 answers are kept") && text.contains("--revoke"), "{text}");
    let expired = confirmations.pending().await.unwrap().remove(0);
    confirmations.revoke(&expired.id, &operator()).await.unwrap();
    let past = Timestamp::now() - SignedDuration::from_secs(1);
    let expired = ConfirmationRow { asked_at: past, expires_at: Some(past), ..expired };
    store.ask_confirmation(expired, ConfirmationBounds::default()).await.unwrap();
    assert!(waits(refusal("d", 0).await));
    assert_eq!(inner.reached(), 0);
}

#[tokio::test]
async fn without_room_for_questions_each_call_is_confirmed() {
    let bounds = ConfirmationBounds { open_per_agent: 1, ..ConfirmationBounds::default() };
    let store = Arc::new(SqlPermissionStore::in_memory());
    let confirmations = Confirmations::bounded(store, Arc::new(NullSink), Confirmations::LIFETIME, bounds);
    let inner = Inner::new();
    let outcome = async |approver: Arc<dyn Approver>, number: usize| {
        let gate = ConfirmationGate::new(approver, confirmations.clone());
        let call = dangerous(&format!(r#"{{"n":{number}}}"#));
        let reply =
            GateLayer::new(gate.clone()).layer(inner.clone()).oneshot(call.identified()).await.unwrap();
        (code(&reply), inner.reached())
    };
    let says = FixedAnswer::approved(ApprovalTerm::Once);
    let absent = FixedAnswer { attended: false, ..says.clone() };
    let asked = |says: &FixedAnswer| Arc::new(says.clone());
    assert_eq!(outcome(Arc::new(Deny), 0).await, (Some(1000), 0));
    assert_eq!(outcome(asked(&absent), 1).await, (Some(3001), 0), "nobody is there");
    assert_eq!(outcome(asked(&says), 1).await, (None, 1));
    assert_eq!(outcome(asked(&says), 1).await, (None, 2), "each call is asked about");
    assert_eq!(outcome(asked(&FixedAnswer::denied()), 1).await, (Some(1000), 2));
    let undecided = FixedAnswer { verdict: ConfirmationVerdict::Deferred, ..FixedAnswer::denied() };
    assert_eq!(outcome(asked(&undecided), 1).await, (Some(3001), 2));
    assert!(says.questions.lock().iter().all(|question| question.request_id.is_none()));
    // A denial by an operator holds for this call too.
    let open = confirmations.pending().await.unwrap().remove(0);
    confirmations.deny(&open.id, &operator()).await.unwrap();
    assert_eq!(outcome(asked(&says), 0).await, (Some(1000), 2));
}

#[tokio::test]
async fn an_expired_question_is_hidden_and_accepts_no_answer() {
    let store = Arc::new(SqlPermissionStore::in_memory());
    let gate = Gate::over(store.clone(), Arc::new(Deny));
    gate.call(dangerous("{}")).await;
    let open = gate.confirmations.revoke(&gate.question().await, &operator()).await.unwrap().unwrap();
    let past = Timestamp::now() - SignedDuration::from_secs(1);
    let over = ConfirmationRow { asked_at: past, expires_at: Some(past), ..open };
    store.ask_confirmation(over.clone(), ConfirmationBounds::default()).await.unwrap();
    assert_eq!(gate.confirmations.rows().await.unwrap(), []);
    let codes = [
        gate.confirmations.approve(&over.id, ApprovalTerm::Always, &operator()).await.unwrap_err().code,
        gate.confirmations.deny(&over.id, &operator()).await.unwrap_err().code,
    ];
    assert_eq!(codes, [-32602, -32602]);
    assert_eq!(gate.outcome(dangerous("{}")).await, (Some(1000), 0));
    assert_ne!(gate.question().await, over.id, "it is asked anew");
}

#[tokio::test]
async fn overlong_arguments_are_refused_with_their_length() {
    let gate = Gate::unattended();
    let arguments = format!(r#"{{"content":"{}"}}"#, "x".repeat(1 << 20));
    let text = message(&gate.call(dangerous(&arguments)).await);
    assert!(text.contains("expected at most 1048576 bytes, found 1048590"), "{text}");
    assert!(text.contains("shorter") && text.contains("confirmation = \"never\""), "{text}");
    assert_eq!(gate.confirmations.rows().await.unwrap(), []);
}

#[tokio::test(start_paused = true)]
async fn a_call_beyond_the_waiting_limit_returns_its_question() {
    let gate = Gate::asking(PendingApprover);
    let mut waiting = Vec::new();
    for number in 0..256 {
        let gate = gate.clone();
        // Eight agents of 32 questions each.
        let call = dangerous(&format!(r#"{{"n":{number}}}"#)).principal(&format!("a{}", number / 32));
        waiting.push(tokio::spawn(async move { gate.call(call).await }));
    }
    tokio::time::sleep(Duration::from_millis(10)).await;
    let started = tokio::time::Instant::now();
    let text = message(&gate.call(dangerous(r#"{"n":0}"#).principal("a0")).await);
    assert!(text.contains("waits for an approval"), "{text}");
    assert_eq!(started.elapsed(), Duration::ZERO);
    for call in waiting {
        call.abort();
    }
}

#[tokio::test(start_paused = true)]
async fn one_agent_s_repeated_call_leaves_room_for_others() {
    let gate = Gate::asking(PendingApprover);
    let call = |agent: &'static str| {
        let gate = gate.clone();
        tokio::spawn(async move { gate.call(dangerous("{}").principal(agent)).await })
    };
    let greedy: Vec<_> = (0..300).map(|_| call("greedy")).collect();
    tokio::time::sleep(Duration::from_millis(10)).await;
    assert_eq!(greedy.iter().filter(|call| !call.is_finished()).count(), 64);
    let other = call("other");
    tokio::time::sleep(Duration::from_millis(10)).await;
    assert!(!other.is_finished(), "the call of another agent waits");
    let rows = gate.confirmations.pending().await.unwrap();
    let row = rows.iter().find(|row| row.key.agent_id == "other").unwrap();
    gate.confirmations.approve(&row.id, ApprovalTerm::Once, &operator()).await.unwrap();
    assert_eq!(code(&other.await.unwrap()), None);
}

#[tokio::test]
async fn arguments_of_up_to_a_mebibyte_can_be_approved() {
    let gate = Gate::unattended();
    for (length, expected) in [(1 << 20, "waits for an approval"), ((1 << 20) + 1, "found 1048577")] {
        let arguments = format!(r#"{{"x":"{}"}}"#, "y".repeat(length - r#"{"x":""}"#.len()));
        let text = message(&gate.call(dangerous(&arguments)).await);
        assert!(text.contains(expected), "{length} bytes: {text}");
    }
}
