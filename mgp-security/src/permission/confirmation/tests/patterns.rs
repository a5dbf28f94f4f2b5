//! Approvals of all calls whose arguments match a pattern.

use super::rig::{Gate, dangerous, message, operator};
use crate::permission::{ApprovalTerm, ArgumentsPattern, ConfirmationRow};
#[cfg(feature = "sqlite")]
use crate::permission::{Deny, SqlPermissionStore, SqlStore};
use mgp_types::json::RawJson;
use std::time::Duration;

fn command(text: &str) -> String {
    format!(r#"{{"command":"{text}","cwd":"/src"}}"#)
}

/// Asks about `git log -1`, and approves `git log *` without end.
async fn approve_git_log(gate: &Gate) -> ConfirmationRow {
    gate.call(dangerous(&command("git log -1"))).await;
    let id = gate.question().await;
    let arguments = RawJson::parse(command("git log -1")).unwrap();
    let pattern = ArgumentsPattern::of_arguments(&arguments, &["git log *"]).unwrap();
    gate.confirmations.approve_like(&id, ApprovalTerm::Always, Some(pattern), &operator()).await.unwrap()
}

async fn holds_for_what_matches(gate: &Gate) {
    let row = approve_git_log(gate).await;
    for (reached, text) in ["git log -1", "git log --stat", "git log --stat"].into_iter().enumerate() {
        let call = dangerous(&command(text));
        let record = call.record.clone();
        assert_eq!(gate.outcome(call).await, (None, reached + 1), "{text}");
        let how = record.read().details.into_iter().find(|(key, _)| *key == "confirmation").unwrap().1;
        let expected = format!(
            r#"{{"id":"{}","by":"ann","term":"always","pattern":{{"command":"git log *"}}}}"#,
            row.id
        );
        assert_eq!(how.as_str(), expected);
    }
    for other in [
        dangerous(&command("git log; make")),
        dangerous(&command("git push")),
        dangerous(r#"{"command":"git log --stat","cwd":"/etc"}"#),
        dangerous(&command("git log --stat")).principal("b"),
    ] {
        assert_eq!(gate.outcome(other).await, (Some(1000), 3));
    }
    assert_eq!(gate.events()[0], "dev.cloto.mgp.CALL_APPROVED SUCCESS");
    let approved = gate.sink.events().into_iter().nth(2).unwrap().details.unwrap();
    assert_eq!(approved.get("pattern").unwrap().as_str(), r#"{"command":"git log *"}"#);
    gate.confirmations.revoke(&row.id, &operator()).await.unwrap();
    assert_eq!(gate.outcome(dangerous(&command("git log --stat"))).await, (Some(1000), 3));
}

#[tokio::test]
async fn a_pattern_approves_only_matching_calls() {
    holds_for_what_matches(&Gate::unattended()).await;
}

#[cfg(feature = "sqlite")]
#[tokio::test]
async fn a_stored_pattern_approves_only_matching_calls() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqlPermissionStore::open(folder.path().join("permission.sqlite3")).unwrap();
    holds_for_what_matches(&Gate::over(std::sync::Arc::new(store), std::sync::Arc::new(Deny))).await;
}

#[tokio::test]
async fn a_denial_of_one_call_overrides_a_matching_pattern() {
    let gate = Gate::unattended();
    gate.call(dangerous(&command("git log --all"))).await;
    let denied = gate.question().await;
    gate.confirmations.deny(&denied, &operator()).await.unwrap();
    approve_git_log(&gate).await;
    assert_eq!(gate.outcome(dangerous(&command("git log --all"))).await, (Some(1000), 0));
    assert_eq!(gate.outcome(dangerous(&command("git log --stat"))).await, (None, 1));
}

#[tokio::test]
async fn an_answer_without_a_pattern_covers_the_asking_call() {
    let gate = Gate::unattended();
    let (log, stat) = (|| dangerous(&command("git log -1")), || dangerous(&command("git log --stat")));
    let id = approve_git_log(&gate).await.id;
    gate.confirmations.deny(&id, &operator()).await.unwrap();
    assert!(message(&gate.call(log()).await).contains("was denied by"));
    assert!(message(&gate.call(stat()).await).contains("waits for an approval"));

    let gate = Gate::unattended();
    let id = approve_git_log(&gate).await.id;
    gate.confirmations.approve(&id, ApprovalTerm::Always, &operator()).await.unwrap();
    assert_eq!(gate.outcome(log()).await, (None, 1));
    assert_eq!(gate.outcome(stat()).await, (Some(1000), 1));
}

#[tokio::test(start_paused = true)]
async fn waiting_calls_continue_when_a_pattern_approves_them() {
    let gate = Gate::asking(crate::permission::PendingApprover);
    let call = |text: &str| {
        let (gate, call) = (gate.clone(), dangerous(&command(text)));
        tokio::spawn(async move { gate.outcome(call).await.0 })
    };
    let (covered, other) = (call("git log --stat"), call("git push"));
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(gate.confirmations.pending().await.unwrap().len(), 2);
    let rows = gate.confirmations.pending().await.unwrap();
    let row = rows.iter().find(|row| row.arguments.as_str().contains("log")).unwrap();
    let pattern = ArgumentsPattern::of_arguments(&row.arguments, &["git *"]).unwrap();
    let until = ApprovalTerm::Until(jiff::Timestamp::now() + jiff::SignedDuration::from_hours(1));
    gate.confirmations.approve_like(&row.id, until, Some(pattern), &operator()).await.unwrap();
    assert_eq!((covered.await.unwrap(), other.await.unwrap()), (None, None));
    assert_eq!(gate.confirmations.pending().await.unwrap(), []);
}

#[tokio::test]
async fn a_pattern_for_one_call_is_refused() {
    let gate = Gate::unattended();
    gate.call(dangerous("{}")).await;
    let id = gate.question().await;
    let pattern = ArgumentsPattern::of_arguments(&RawJson::empty_object(), &["*"]).unwrap();
    let by = operator();
    let approve = |term| gate.confirmations.approve_like(&id, term, Some(pattern.clone()), &by);
    let refused = approve(ApprovalTerm::Once).await.unwrap_err();
    assert!(refused.code == -32602 && refused.message.contains("until a time"), "{refused}");
    approve(ApprovalTerm::Always).await.unwrap();
    assert_eq!(gate.outcome(dangerous(r#"{"x":1}"#)).await, (None, 1));
}
