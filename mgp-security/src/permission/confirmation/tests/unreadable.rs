//! Tests of rows that cannot be read, for example because the file was edited by hand.

use super::rig::{Gate, dangerous, message, operator};
use crate::permission::{ApprovalTerm, Deny, SqlPermissionStore, SqlStore};
use std::sync::Arc;

/// Returns a gate with a question, answered or not, whose row was then edited by hand.
async fn changed_by_hand(approved: Option<ApprovalTerm>, sql: &str) -> (tempfile::TempDir, Gate, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("permission.sqlite3");
    let gate = Gate::over(Arc::new(SqlPermissionStore::open(&path).unwrap()), Arc::new(Deny));
    gate.call(dangerous("{}")).await;
    let id = gate.question().await;
    if let Some(term) = approved {
        gate.confirmations.approve(&id, term, &operator()).await.unwrap();
    }
    rusqlite::Connection::open(&path).unwrap().execute(sql, []).unwrap();
    (folder, gate, id)
}

#[tokio::test]
async fn an_unreadable_row_denies_is_shown_and_can_be_removed() {
    for (approved, sql) in [
        (None, "UPDATE confirmations SET state = 'maybe'"),
        (Some(ApprovalTerm::Always), "UPDATE confirmations SET risk = 'maybe'"),
        (Some(ApprovalTerm::Always), "UPDATE confirmations SET arguments = '{'"),
        (Some(ApprovalTerm::Always), "UPDATE confirmations SET asked_at = 9223372036854775807"),
    ] {
        let (_folder, gate, id) = changed_by_hand(approved, sql).await;
        let reply = gate.call(dangerous("{}")).await;
        let text = message(&reply);
        assert_eq!(crate::testing::code(&reply), Some(1000), "{sql}: {text}");
        for part in ["cannot be read", &format!("`mgp approve {id} --revoke`")] {
            assert!(text.contains(part), "{sql}: {part} in {text}");
        }
        let pending = gate.confirmations.pending().await.unwrap();
        assert_eq!(
            (pending.len(), pending[0].id.as_str(), pending[0].state.as_str()),
            (1, &*id, "unreadable")
        );
        for refused in [
            gate.confirmations.approve(&id, ApprovalTerm::Once, &operator()).await.unwrap_err(),
            gate.confirmations.deny(&id, &operator()).await.unwrap_err(),
        ] {
            assert!(refused.code == -32602 && refused.message.contains("--revoke"), "{refused}");
        }
        let taken = gate.confirmations.revoke(&id, &operator()).await.unwrap().unwrap();
        assert_eq!((taken.id.as_str(), taken.state.as_str()), (&*id, "unreadable"));
        assert_eq!(gate.events().pop().unwrap(), "dev.cloto.mgp.CALL_DENIAL_REVOKED SUCCESS");
        assert!(message(&gate.call(dangerous("{}")).await).contains("waits for an approval"), "{sql}");
        assert_ne!(gate.question().await, id);
        assert_eq!(gate.inner.reached(), 0);
    }
}

#[tokio::test]
async fn an_unreadable_approval_of_one_call_allows_no_call() {
    let (_folder, gate, _) =
        changed_by_hand(Some(ApprovalTerm::Once), "UPDATE confirmations SET risk = 'maybe'").await;
    let text = message(&gate.call(dangerous("{}")).await);
    assert!(text.contains("cannot be read") && gate.inner.reached() == 0, "{text}");
}
