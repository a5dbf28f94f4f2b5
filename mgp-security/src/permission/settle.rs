//! §3.4 Obtains a decision on a permission while a call waits.

use super::{
    ApprovalTerm, Approver, DecisionError, PermissionQuestion, PermissionRow, PermissionVerdict,
    ReplacedRows, StoreError,
    evaluate::Outcome,
    questions::{Key, OpenQuestion},
    record::{APPROVAL_NEEDED, kernel, record_question, recording},
    shared::PermissionCore,
    wait::{Wait, WaitEnd},
};
use crate::audit::{AuditError, EventDraft, current_trace, in_trace};
use jiff::Timestamp;
use mgp_store::follow::SnapshotOwner;
use mgp_types::{
    audit::{AuditEventType, AuditResult},
    context::Principal,
    permission::{Permission, PermissionState},
};
use std::sync::Arc;
use tokio::sync::oneshot;

/// The most open questions about one server, so that a server with ever more permissions cannot fill the operator's list.
pub(super) const MAX_OPEN_OF_SERVER: usize = 64;

/// The reason why a call does not continue.
#[derive(Debug, thiserror::Error)]
pub(super) enum CallObstacle {
    /// The permission is not approved.
    #[error("not approved")]
    Refused(PermissionState),
    /// The caller has cancelled the call.
    #[error("cancelled")]
    Cancelled,
    /// Too many questions are being asked, or too many calls wait for this one.
    #[error(
        "too many calls wait for an approval: `mgp approve` shows for what; call again after some were decided"
    )]
    Busy,
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Audit(#[from] AuditError),
}

impl From<DecisionError> for CallObstacle {
    fn from(error: DecisionError) -> Self {
        match error {
            DecisionError::Store(error) => Self::Store(error),
            DecisionError::Audit(error) => Self::Audit(error),
        }
    }
}

/// Obtains a decision on one permission: notes that its approval has expired, decides by the policy, or asks. Returns the name of the
/// decider who granted the permission only to this call, if any.
pub(super) async fn settle(
    shared: &Arc<PermissionCore>,
    question: PermissionQuestion,
    wait: &Wait,
) -> Result<Option<String>, CallObstacle> {
    let server_id = question.target.tool.server_id.clone();
    let permission = question.permission.clone();
    let standing = shared.standing(&server_id, &permission);
    if let Some(end) = standing.ran_out {
        expire(shared, &server_id, &permission, end).await?;
    }
    match standing.outcome {
        Outcome::Approved(_) => return Ok(None),
        Outcome::Refused(state) => return Err(CallObstacle::Refused(state)),
        Outcome::Ask | Outcome::Approve | Outcome::Deny => {}
    }
    let key: Key = (server_id, permission);
    let to_person = shared.approver.as_ref().is_some_and(|approver| approver.asks_person(&question));
    let mut ticket = shared.questions.join(&key, to_person).ok_or(CallObstacle::Busy)?;
    let (once, mut granted) = oneshot::channel();
    if let Some(open) = ticket.open.take() {
        // A separate task: the question continues if this call is dropped, because other calls may wait for it.
        tokio::spawn(in_trace(current_trace(), answer(shared.clone(), question, open, once)));
    }
    let what = || match shared.row(&key.0, &key.1) {
        Some(row) => format!("waiting for an approval: `mgp approve {}`", row.request_id),
        None => format!("waiting for the permission {} of server {:?}", key.1, key.0),
    };
    tokio::select! {
        () = ticket.over() => {}
        // The same question may still be asked for another call.
        Ok(by) = &mut granted => return Ok(Some(by)),
        over = wait.over(what) => if over == WaitEnd::Cancelled {
            return Err(CallObstacle::Cancelled);
        }
    }
    match shared.standing(&key.0, &key.1).outcome {
        Outcome::Approved(_) => Ok(None),
        Outcome::Refused(PermissionState::Denied) | Outcome::Deny => {
            Err(CallObstacle::Refused(PermissionState::Denied))
        }
        Outcome::Refused(_) | Outcome::Ask | Outcome::Approve => {
            granted.try_recv().map(Some).map_err(|_| CallObstacle::Refused(PermissionState::Deferred))
        }
    }
}

/// Answers a question for all calls that wait for it, and ends it by dropping `open`. A grant for one call goes to the call that asked.
async fn answer(
    shared: Arc<PermissionCore>,
    question: PermissionQuestion,
    open: OpenQuestion,
    once: oneshot::Sender<String>,
) {
    let tool = &question.target.tool;
    let outcome = match shared.standing(&tool.server_id, &question.permission).outcome {
        Outcome::Approve | Outcome::Deny => {
            by_policy(&shared, &tool.server_id, &question.permission, Some(&tool.tool_name)).await
        }
        Outcome::Ask => ask(&shared, question, once).await,
        // Answered in the meantime.
        Outcome::Approved(_) | Outcome::Refused(_) => Ok(()),
    };
    if let Err(error) = outcome {
        tracing::error!(%error, "failed to settle a permission");
    }
    drop(open);
}

/// Approves or denies a permission if the policy decides on it, and records that.
pub(super) async fn by_policy(
    shared: &PermissionCore,
    server_id: &str,
    permission: &Permission,
    tool_name: Option<&str>,
) -> Result<(), CallObstacle> {
    let standing = shared.standing(server_id, permission);
    let (state, event_type) = match standing.outcome {
        Outcome::Approve => (PermissionState::Approved, AuditEventType::PermissionGranted),
        Outcome::Deny => (PermissionState::Denied, AuditEventType::PermissionDenied),
        Outcome::Approved(_) | Outcome::Refused(_) | Outcome::Ask => return Ok(()),
    };
    if let Some(end) = standing.ran_out {
        expire(shared, server_id, permission, end).await?;
    }
    let policy = shared.policy();
    let row = PermissionRow::question(server_id, permission, tool_name);
    let row = PermissionRow { by_policy: true, ..row.decided(state, policy.as_str(), None) };
    let draft = draft(event_type, &kernel(), &row).detail("policy", &policy);
    // The same decision by another process is as good. A decision that an earlier policy left is not.
    let earlier = shared.row(server_id, permission).filter(|row| row.by_policy && row.state != state);
    let replaces = if earlier.is_some() { ReplacedRows::Undecided } else { ReplacedRows::Questions };
    shared.decide(row, replaces, draft).await?;
    Ok(())
}

/// Stores the question, and waits for an answer from the approver or from another process until the call's time limit.
async fn ask(
    shared: &PermissionCore,
    mut question: PermissionQuestion,
    once: oneshot::Sender<String>,
) -> Result<(), CallObstacle> {
    let Some(approver) = shared.approver.clone() else { return Ok(()) };
    let tool = question.target.tool.clone();
    let row = open_row(shared, &tool.server_id, &question.permission, Some(&tool.tool_name)).await?;
    // The refusal names the command that decides on a permission without a question.
    let Some(row) = row else { return Ok(()) };
    question.request_id.clone_from(&row.request_id);
    let limit = tokio::time::sleep(shared.wait);
    tokio::select! {
        verdict = Approver::permission(&*approver, &question) => decide(shared, &row, verdict, once).await,
        () = shared.answered(&tool.server_id, &question.permission) => Ok(()),
        () = limit => Ok(()),
    }
}

/// Returns the row of an open question, which is stored if there is none. If the permission is already decided, that row is the
/// decision. Returns `None` if there is no row, and the limit of open questions about the server is reached.
pub(super) async fn open_row(
    shared: &PermissionCore,
    server_id: &str,
    permission: &Permission,
    tool_name: Option<&str>,
) -> Result<Option<Arc<PermissionRow>>, StoreError> {
    if shared.row(server_id, permission).is_none() && shared.open_questions(server_id) >= MAX_OPEN_OF_SERVER {
        return Ok(None);
    }
    let asked = PermissionRow::question(server_id, permission, tool_name);
    // The store decides: if another process was quicker, its row counts.
    shared.store.put_undecided(asked.clone()).await?;
    shared.reload().await?;
    let row = shared.row(server_id, permission).unwrap_or_else(|| Arc::new(asked.clone()));
    if row.request_id == asked.request_id {
        record_question(&shared.sink, draft(APPROVAL_NEEDED.into(), &kernel(), &row)).await;
    }
    Ok(Some(row))
}

async fn decide(
    shared: &PermissionCore,
    row: &PermissionRow,
    verdict: PermissionVerdict,
    once: oneshot::Sender<String>,
) -> Result<(), CallObstacle> {
    let (state, by, expires_at, event_type) = match verdict {
        PermissionVerdict::Approved { by, expires_at } => {
            let ends = |lifetime| (shared.clock)().saturating_add(lifetime).ok();
            let expires_at = expires_at.or_else(|| shared.grant_lifetime.and_then(ends));
            (PermissionState::Approved, by, expires_at, AuditEventType::PermissionGranted)
        }
        PermissionVerdict::Denied { by } => {
            (PermissionState::Denied, by, None, AuditEventType::PermissionDenied)
        }
        PermissionVerdict::Once { by } => {
            let draft = draft(AuditEventType::PermissionGranted, &Principal::operator(&by), row)
                .detail("term", &ApprovalTerm::Once.to_string());
            // If the asking call was dropped, nothing is granted. The question stays open for all other calls.
            if !once.is_closed() && shared.decide(row.clone(), ReplacedRows::Questions, draft).await? {
                let _ = once.send(by);
            }
            return Ok(());
        }
        PermissionVerdict::Deferred => return Ok(()),
    };
    let row = row.clone().decided(state, &by, expires_at);
    let draft = draft(event_type, &Principal::operator(&by), &row);
    // If another decider was quicker, that decision stands.
    shared.decide(row, ReplacedRows::Undecided, draft).await?;
    Ok(())
}

/// Notes that an approval has expired. Only the first caller that sees the expiry records it.
pub(super) async fn expire(
    shared: &PermissionCore,
    server_id: &str,
    permission: &Permission,
    end: Timestamp,
) -> Result<(), CallObstacle> {
    let row = shared.row(server_id, permission).map_or_else(
        || PermissionRow::question(server_id, permission, None),
        |row| PermissionRow::clone(&row),
    );
    let row = PermissionRow { expires_at: Some(end), ..row };
    let draft = draft(AuditEventType::PermissionRevoked, &kernel(), &row).detail("reason", "expired");
    shared.store.expire(server_id, permission, end, recording(&shared.sink, draft)).await?;
    Ok(shared.reload().await?)
}

/// Returns the event of a change to a permission.
pub(super) fn draft(event_type: AuditEventType, actor: &Principal, row: &PermissionRow) -> EventDraft {
    let denied = event_type == AuditEventType::PermissionDenied;
    let mut draft = EventDraft::new(event_type, actor)
        .server(&row.server_id)
        .result(if denied { AuditResult::Blocked } else { AuditResult::Success })
        .detail("permission", row.permission.as_str())
        .detail("request_id", &row.request_id);
    if let Some(tool) = &row.tool_name {
        draft = draft.tool(tool);
    }
    if let Some(end) = row.expires_at {
        draft = draft.detail("expires_at", &end.to_string());
    }
    if let Some(scope) = &row.scope {
        draft = draft.detail("scope", scope);
    }
    draft
}
