//! Tests of tools that start or stop asking every time while questions and answers about them are kept.

use super::rig::{FixedAnswer, Gate, calling, message, operator};
#[cfg(feature = "sqlite")]
use crate::permission::{SqlPermissionStore, SqlStore};
use crate::{
    permission::{ApprovalTerm, ConfirmationStore, Deny},
    profile::Confirmation,
    testing::TestCall,
};
use jiff::{SignedDuration, Timestamp};
use std::sync::Arc;

fn unless_approved() -> TestCall {
    calling(Confirmation::UnlessApproved, r#"{"arguments":{"a":1}}"#)
}

fn every_time() -> TestCall {
    calling(Confirmation::Always, r#"{"arguments":{"a":1}}"#)
}

/// Returns a gate over each kind of store.
fn gates() -> (Vec<Gate>, Option<tempfile::TempDir>) {
    let memory: Arc<dyn ConfirmationStore> = Arc::new(SqlPermissionStore::in_memory());
    let gate = |store| Gate::over(store, Arc::new(Deny));
    #[cfg(feature = "sqlite")]
    {
        let folder = tempfile::tempdir().unwrap();
        let sqlite = SqlPermissionStore::open(folder.path().join("permission.sqlite3")).unwrap();
        (vec![gate(memory), gate(Arc::new(sqlite))], Some(folder))
    }
    #[cfg(not(feature = "sqlite"))]
    (vec![gate(memory)], None)
}

#[tokio::test]
async fn a_broad_approval_ends_when_the_tool_must_always_ask() {
    let in_an_hour = Timestamp::now() + SignedDuration::from_hours(1);
    for term in [ApprovalTerm::Always, ApprovalTerm::Until(in_an_hour)] {
        let (gates, _folder) = gates();
        for gate in gates {
            gate.call(unless_approved()).await;
            let first = gate.question().await;
            gate.confirmations.approve(&first, term, &operator()).await.unwrap();
            assert_eq!(gate.outcome(unless_approved()).await, (None, 1));

            assert_eq!(gate.outcome(every_time()).await, (Some(1000), 1), "{term}: it passed unasked");
            let anew = gate.question().await;
            assert_ne!(anew, first);
            let refused = gate.confirmations.approve(&anew, term, &operator()).await.unwrap_err();
            assert_eq!(refused.code, 1000, "{refused}");
            gate.confirmations.approve(&anew, ApprovalTerm::Once, &operator()).await.unwrap();
            assert_eq!(gate.outcome(every_time()).await, (None, 2));
            assert_eq!(gate.outcome(every_time()).await, (Some(1000), 2));
            let expected = [
                "dev.cloto.mgp.CALL_APPROVED SUCCESS",
                "dev.cloto.mgp.CALL_APPROVAL_REVOKED SUCCESS",
                "dev.cloto.mgp.CALL_APPROVED SUCCESS",
            ];
            assert_eq!(gate.events(), expected);
            let events = gate.sink.events();
            let revoked = events.iter().find(|event| event.event_type.as_str().ends_with("REVOKED")).unwrap();
            let details = revoked.details.as_ref().unwrap();
            assert_eq!((revoked.actor.id.as_str(), details.text("request_id")), ("kernel", Some(first)));
            assert!(details.text("reason").unwrap().contains("every call"), "{details:?}");
        }
    }
}

#[tokio::test]
async fn an_always_asking_tool_asks_in_spite_of_approvals() {
    let says = FixedAnswer::approved(ApprovalTerm::Always);
    let asked = says.questions.clone();
    let gate = Gate::asking(says);
    for call in [unless_approved(), unless_approved(), every_time(), every_time()] {
        gate.call(call).await;
    }
    assert_eq!((gate.inner.reached(), asked.lock().len()), (4, 3));
}

#[tokio::test]
async fn an_open_question_follows_whether_the_tool_asks_every_time() {
    let (gates, _folder) = gates();
    for gate in gates {
        gate.call(unless_approved()).await;
        let id = gate.question().await;
        let text = message(&gate.call(every_time()).await);
        assert!(text.contains(&id) && !text.contains("--always"), "{text}");
        let row = gate.confirmations.pending().await.unwrap().remove(0);
        assert!(row.every_time && row.id == id && row.reason.contains("every call"), "{row:?}");
        let refused = gate.confirmations.approve(&id, ApprovalTerm::Always, &operator()).await.unwrap_err();
        assert_eq!(refused.code, 1000, "{refused}");

        let text = message(&gate.call(unless_approved()).await);
        assert!(text.contains(&id) && text.contains("--always"), "{text}");
        gate.confirmations.approve(&id, ApprovalTerm::Always, &operator()).await.unwrap();
        assert_eq!(gate.outcome(unless_approved()).await, (None, 1));
    }
}

#[tokio::test]
async fn single_approvals_and_denials_count_for_always_asking_tools() {
    let (gates, _folder) = gates();
    for gate in gates {
        gate.call(unless_approved()).await;
        gate.confirmations.approve(&gate.question().await, ApprovalTerm::Once, &operator()).await.unwrap();
        assert_eq!(gate.outcome(every_time()).await, (None, 1));
        gate.call(unless_approved()).await;
        gate.confirmations.deny(&gate.question().await, &operator()).await.unwrap();
        assert!(message(&gate.call(every_time()).await).contains("was denied by"));
    }
}
