//! The handle to the questions about calls.

use super::{
    ArgumentsPattern, AskOutcome, Bound, ConfirmationBounds, ConfirmationRow, ConfirmationState,
    ConfirmationStore,
    store::{AskedCall, find, take},
};
use crate::{
    audit::{AuditSink, EventDraft},
    permission::{
        ApprovalTerm, DecisionError, OpenDecisionError, ReplacedRows, StoreError,
        record::{APPROVAL_NEEDED, kernel, record_decision, record_question, still_to_come},
    },
    refusals::{admin, internal},
};
use jiff::Timestamp;
use mgp_store::follow::{SnapshotOwner, follow};
use mgp_types::{audit::AuditResult, context::Principal, error::ErrorCode, rpc::ErrorObject};
use parking_lot::Mutex;
use std::{collections::HashMap, fmt, sync::Arc, time::Duration};
use tokio::sync::watch;

/// The type of the event that records the approval of a call, ahead of that call or for more than one.
const APPROVED: &str = "dev.cloto.mgp.CALL_APPROVED";
/// The type of the event that records the denial of a call.
const DENIED: &str = "dev.cloto.mgp.CALL_DENIED";
/// The type of the event that records that an approval was revoked.
const REVOKED: &str = "dev.cloto.mgp.CALL_APPROVAL_REVOKED";
/// The type of the event that records that a denial was revoked, so that the next such call asks again.
const DENIAL_REVOKED: &str = "dev.cloto.mgp.CALL_DENIAL_REVOKED";

/// A handle to the questions whether calls may be made (§4.4), and to their answers. Clones share the questions.
///
/// A question is a row of a store that several processes share, so that any process of the operator can answer it. An answer holds only
/// for calls with the same agent, tool and definition of the tool, and with the same arguments or those that match its
/// [pattern](ArgumentsPattern).
#[derive(Debug, Clone)]
pub struct Confirmations(Arc<ConfirmationCore>);

struct ConfirmationCore {
    store: Arc<dyn ConfirmationStore>,
    sink: Arc<dyn AuditSink>,
    lifetime: Duration,
    bounds: ConfirmationBounds,
    /// The clock by which questions and answers end.
    clock: fn() -> Timestamp,
    /// Notified when rows have changed.
    changed: watch::Sender<()>,
    /// The number of calls of this process that wait for each question.
    waiting: Mutex<HashMap<String, WaitingCalls>>,
}

/// The calls of this process that wait for one question.
#[derive(Debug)]
struct WaitingCalls {
    count: usize,
    /// True if the question stays open when the last of them is cancelled, because a caller was given its id.
    stays: bool,
}

/// A call that waits for the answer to a question.
pub(super) struct WaitingCall {
    shared: Arc<ConfirmationCore>,
    id: String,
    /// True once the call no longer waits.
    left: bool,
}

impl WaitingCall {
    /// Ends the wait. Returns whether the question is no longer needed.
    fn leave(&mut self) -> bool {
        !std::mem::replace(&mut self.left, true) && self.shared.leave(&self.id)
    }
}

impl Drop for WaitingCall {
    fn drop(&mut self) {
        self.leave();
    }
}

impl ConfirmationCore {
    /// Removes a call from those that wait for a question. Returns whether it was the last, and the question need not stay.
    fn leave(&self, id: &str) -> bool {
        let mut waiting = self.waiting.lock();
        let Some(calls) = waiting.get_mut(id) else { return false };
        calls.count -= 1;
        let (last, stays) = (calls.count == 0, calls.stays);
        if last {
            waiting.remove(id);
        }
        last && !stays
    }
}

impl SnapshotOwner for ConfirmationCore {
    async fn version(&self) -> Result<i64, StoreError> {
        self.store.confirmations_version().await
    }

    async fn reload(&self) -> Result<(), StoreError> {
        self.changed.send_replace(());
        Ok(())
    }
}

impl Confirmations {
    /// The time that a question stays open by default.
    pub const LIFETIME: Duration = Duration::from_secs(24 * 60 * 60);

    /// Opens a store, and follows it until the last clone is dropped. An unanswered question is forgotten after `lifetime`, and
    /// so is an unused approval of one call.
    #[must_use]
    pub fn open(store: Arc<dyn ConfirmationStore>, sink: Arc<dyn AuditSink>, lifetime: Duration) -> Self {
        Self::bounded(store, sink, lifetime, ConfirmationBounds::default())
    }

    pub(super) fn bounded(
        store: Arc<dyn ConfirmationStore>,
        sink: Arc<dyn AuditSink>,
        lifetime: Duration,
        bounds: ConfirmationBounds,
    ) -> Self {
        Self::by_clock(store, sink, lifetime, bounds, Timestamp::now)
    }

    pub(super) fn by_clock(
        store: Arc<dyn ConfirmationStore>,
        sink: Arc<dyn AuditSink>,
        lifetime: Duration,
        bounds: ConfirmationBounds,
        clock: fn() -> Timestamp,
    ) -> Self {
        let (changed, waiting) = (watch::Sender::new(()), Mutex::default());
        let shared = Arc::new(ConfirmationCore { store, sink, lifetime, bounds, clock, changed, waiting });
        tokio::spawn(follow(Arc::downgrade(&shared)));
        Self(shared)
    }

    /// Returns every question and answer in force, the oldest question first.
    ///
    /// # Errors
    /// [`StoreError`] if the rows cannot be read.
    pub async fn rows(&self) -> Result<Vec<ConfirmationRow>, StoreError> {
        let now = self.now();
        let mut rows = self.0.store.confirmations().await?;
        rows.retain(|row| row.holds(now));
        rows.sort_by(|a, b| (a.asked_at, &a.id).cmp(&(b.asked_at, &b.id)));
        Ok(rows)
    }

    /// Returns the unanswered questions, the oldest first, and the rows that cannot be read.
    ///
    /// # Errors
    /// [`StoreError`] if the rows cannot be read.
    pub async fn pending(&self) -> Result<Vec<ConfirmationRow>, StoreError> {
        let mut rows = self.rows().await?;
        rows.retain(|row| matches!(row.state, ConfirmationState::Open | ConfirmationState::Unreadable));
        Ok(rows)
    }

    /// Approves the call of a question. The approval is in force when this method returns.
    ///
    /// # Errors
    /// 1000 without the admin role, and for more than one call of a tool that is confirmed every time; -32602 for an end in the past, for
    /// an unknown id, and for [`ApprovalTerm::Session`] if the call has no session; -32603 if the answer cannot be stored or audited.
    pub async fn approve(
        &self,
        id: &str,
        term: ApprovalTerm,
        by: &Principal,
    ) -> Result<ConfirmationRow, ErrorObject> {
        self.approve_like(id, term, None, by).await
    }

    /// Approves the call of a question, and all calls of the same agent and tool whose arguments match a pattern. Their open questions are
    /// closed. The approval is in force when this method returns.
    ///
    /// # Errors
    /// Those of [`approve`](Self::approve), and -32602 for a pattern with the term [`ApprovalTerm::Once`].
    pub async fn approve_like(
        &self,
        id: &str,
        term: ApprovalTerm,
        pattern: Option<ArgumentsPattern>,
        by: &Principal,
    ) -> Result<ConfirmationRow, ErrorObject> {
        let approved = self.approved(id, term, pattern, by).await?;
        let approved = self.answer(approved, by).await?;
        self.close_others(&approved).await;
        Ok(approved)
    }

    /// Approves the call of a question as [`approve_like`](Self::approve_like) does, unless the question is answered already.
    ///
    /// # Errors
    /// [`OpenDecisionError::Decided`] with the answer that was first; otherwise the errors of [`approve_like`](Self::approve_like).
    pub async fn approve_open(
        &self,
        id: &str,
        term: ApprovalTerm,
        pattern: Option<ArgumentsPattern>,
        by: &Principal,
    ) -> Result<ConfirmationRow, OpenDecisionError<ConfirmationRow>> {
        let approved = self.approved(id, term, pattern, by).await?;
        let approved = self.answer_open(approved, by).await?;
        self.close_others(&approved).await;
        Ok(approved)
    }

    /// Returns the row of an approval that is not stored yet.
    async fn approved(
        &self,
        id: &str,
        term: ApprovalTerm,
        pattern: Option<ArgumentsPattern>,
        by: &Principal,
    ) -> Result<ConfirmationRow, ErrorObject> {
        admin(by)?;
        if let ApprovalTerm::Until(end) = term {
            still_to_come(end, self.now())?;
        }
        let row = self.readable(id).await?;
        if row.every_time && term != ApprovalTerm::Once {
            return Err(ErrorCode::PermissionDenied.error(format!(
                "tool {:?} of server {:?} is confirmed before every call: expected an approval of one call, unless the configuration says \
                 confirmation = \"dangerous\" for that server",
                row.key.tool_name, row.key.server_id
            )));
        }
        if term == ApprovalTerm::Session && row.session.is_none() {
            return Err(ErrorObject::invalid_params(format!(
                "the call of question {id:?} came without a session: expected an approval of one call, until a time, or without end"
            )));
        }
        if term == ApprovalTerm::Once && pattern.is_some() {
            return Err(ErrorObject::invalid_params(
                "a pattern is for more than one call: expected an approval for the session, until a time, or without end",
            ));
        }
        Ok(ConfirmationRow { pattern, ..row.approved(term, by.id(), self.forgotten()) })
    }

    /// Closes the open questions that an approval with a pattern covers.
    async fn close_others(&self, approved: &ConfirmationRow) {
        if approved.pattern.is_some()
            && let Err(error) = self.close_covered(approved).await
        {
            // The approval holds, but the questions that it covers stay in the list.
            tracing::warn!(%error, id = approved.id.as_str(), "questions that an approval covers could not be closed");
        }
    }

    /// Closes the open questions about the calls that an approval holds for.
    async fn close_covered(&self, approval: &ConfirmationRow) -> Result<(), StoreError> {
        for row in self.pending().await? {
            let in_session = approval.bound_to().is_none_or(|bound| row.session.as_deref() == Some(bound));
            if in_session && approval.covers(&row.key, &row.arguments, &row.reason) {
                self.close(&row.id).await?;
            }
        }
        Ok(())
    }

    /// Denies the call of a question, until the denial is revoked. The denial is in force when this method returns.
    ///
    /// # Errors
    /// 1000 without the admin role, -32602 for an unknown id, -32603 if the answer cannot be stored or audited.
    pub async fn deny(&self, id: &str, by: &Principal) -> Result<ConfirmationRow, ErrorObject> {
        admin(by)?;
        self.answer(self.readable(id).await?.denied(by.id()), by).await
    }

    /// Denies the call of a question, unless the question is answered already.
    ///
    /// # Errors
    /// [`OpenDecisionError::Decided`] with the answer that was first; otherwise the errors of [`deny`](Self::deny).
    pub async fn deny_open(
        &self,
        id: &str,
        by: &Principal,
    ) -> Result<ConfirmationRow, OpenDecisionError<ConfirmationRow>> {
        admin(by)?;
        self.answer_open(self.readable(id).await?.denied(by.id()), by).await
    }

    /// Revokes a question or its answer, and returns it if it existed. The next such call asks again.
    ///
    /// # Errors
    /// 1000 without the admin role, -32603 if the row cannot be removed, or its removal audited.
    pub async fn revoke(&self, id: &str, by: &Principal) -> Result<Option<ConfirmationRow>, ErrorObject> {
        admin(by)?;
        let Some(row) = self.remove(id, ReplacedRows::All).await.map_err(internal)? else { return Ok(None) };
        // Recorded after the removal, so that the removal holds even if the trail cannot be written.
        let event_type = row.term().map(|_| REVOKED).or_else(|| row.is_denial().then_some(DENIAL_REVOKED));
        if let Some(event_type) = event_type {
            self.0.sink.record(event(event_type, by, &row).finish()).await.map_err(internal)?;
        }
        Ok(Some(row))
    }

    /// Revokes the open questions and the approvals for calls of a removed server. Denials stay.
    ///
    /// # Errors
    /// The first error of [`revoke`](Self::revoke). A failure does not prevent the revocation of other rows.
    pub async fn forget_server(&self, server_id: &str, by: &Principal) -> Result<(), ErrorObject> {
        let mut all = Ok(());
        for row in self.rows().await.map_err(internal)? {
            if row.key.server_id == server_id && !row.is_denial() {
                all = all.and(self.revoke(&row.id, by).await.map(drop));
            }
        }
        all
    }

    /// Returns the row in force for a call. This uses up an approval of one call.
    pub(super) async fn take(&self, call: AskedCall<'_>) -> Result<Option<ConfirmationRow>, StoreError> {
        take(&*self.0.store, call, self.now()).await
    }

    /// Returns the row in force for a call, without using it up.
    pub(super) async fn find(&self, call: AskedCall<'_>) -> Result<Option<ConfirmationRow>, StoreError> {
        find(&*self.0.store, call, self.now()).await
    }

    /// Returns the bound that leaves no room for a question of an agent, if one is reached.
    pub(super) async fn bound(&self, agent_id: &str) -> Result<Option<Bound>, StoreError> {
        let rows = self.rows().await?;
        let open = || rows.iter().filter(|row| row.state == ConfirmationState::Open);
        let of_agent = open().filter(|row| row.key.agent_id == agent_id).count();
        Ok(self.0.bounds.reached(of_agent, open().count(), rows.len()))
    }

    /// Opens a question, unless its call already has a row.
    pub(super) async fn ask(&self, row: ConfirmationRow) -> Result<AskOutcome, StoreError> {
        let id = row.id.clone();
        let outcome = self.0.store.ask_confirmation(row, self.0.bounds).await?;
        if let AskOutcome::Row(row) = &outcome
            && row.id == id
        {
            record_question(&self.0.sink, event(APPROVAL_NEEDED, &kernel(), row)).await;
        }
        Ok(outcome)
    }

    /// Returns the present time.
    pub(super) fn now(&self) -> Timestamp {
        (self.0.clock)()
    }

    /// Returns the time at which a question, or an approval of one call, is forgotten if it is made now.
    pub(super) fn forgotten(&self) -> Timestamp {
        self.now().saturating_add(self.0.lifetime).unwrap_or(Timestamp::MAX)
    }

    /// Waits until a call's question is no longer open. Its own answer may close it, or that to another question that covers the call.
    pub(super) async fn answered(&self, call: AskedCall<'_>) {
        let mut changed = self.0.changed.subscribe();
        loop {
            match find(&*self.0.store, call, self.now()).await {
                Ok(Some(row)) if row.state == ConfirmationState::Open => {}
                Ok(_) => return,
                Err(error) => tracing::warn!(%error, "a question cannot be read"),
            }
            // The sender lives as long as this handle.
            let _ = changed.changed().await;
        }
    }

    /// Counts a call among those that wait for a question, until the returned value is dropped. If no call waits for the question yet and
    /// it was not opened here, an earlier call was refused with its id.
    pub(super) fn wait_for(&self, id: &str, is_opened_here: bool) -> WaitingCall {
        let mut waiting = self.0.waiting.lock();
        waiting.entry(id.to_owned()).or_insert(WaitingCalls { count: 0, stays: !is_opened_here }).count += 1;
        drop(waiting);
        WaitingCall { shared: self.0.clone(), id: id.to_owned(), left: false }
    }

    /// Notes that a question for which calls wait stays open: a call was refused with its id, or only an operator can answer it.
    pub(super) fn keep_open(&self, id: &str) {
        if let Some(calls) = self.0.waiting.lock().get_mut(id) {
            calls.stays = true;
        }
    }

    /// Closes the question of a cancelled call, if no other call of this process waits for it and no call was refused with its id. A
    /// waiting call of another process asks again.
    pub(super) async fn abandon(&self, mut call: WaitingCall) -> Result<(), StoreError> {
        if call.leave() { self.close(&call.id).await.map(drop) } else { Ok(()) }
    }

    /// Removes an approval of more than one call, because every call of its tool is now asked about.
    pub(super) async fn supersede(&self, approval: &ConfirmationRow) -> Result<(), DecisionError> {
        // Recorded after the removal, as with a removal by an operator.
        if let Some(row) = self.remove(&approval.id, ReplacedRows::All).await? {
            let event =
                event(REVOKED, &kernel(), &row).detail("reason", "every call of this tool is now confirmed");
            self.0.sink.record(event.finish()).await?;
        }
        Ok(())
    }

    /// Closes an open question without keeping an answer. Returns whether the question was open.
    pub(super) async fn close(&self, id: &str) -> Result<bool, StoreError> {
        Ok(self.remove(id, ReplacedRows::Questions).await?.is_some())
    }

    /// Stores the approver's answer, unless the question was already answered. Returns whether it was stored.
    pub(super) async fn decide(&self, row: ConfirmationRow) -> Result<bool, DecisionError> {
        let by = Principal::operator(row.decided_by.as_deref().unwrap_or_default());
        self.keep(row, ReplacedRows::Questions, &by).await
    }

    /// Returns the row with an id, if the row can be answered.
    async fn readable(&self, id: &str) -> Result<ConfirmationRow, ErrorObject> {
        let row = self.0.store.confirmation(id).await.map_err(internal)?;
        let row = row.filter(|row| row.holds(self.now())).ok_or_else(|| unknown(id))?;
        if row.state == ConfirmationState::Unreadable {
            return Err(ErrorObject::invalid_params(format!(
                "the question {id:?} cannot be answered: {}; `mgp approve {id} --revoke` takes it back, and the next such call asks anew",
                row.reason
            )));
        }
        Ok(row)
    }

    async fn answer(&self, row: ConfirmationRow, by: &Principal) -> Result<ConfirmationRow, ErrorObject> {
        match self.keep(row.clone(), ReplacedRows::All, by).await {
            Ok(true) => Ok(row),
            Ok(false) => Err(unknown(&row.id)),
            Err(error) => Err(internal(error)),
        }
    }

    /// Stores an answer if the question is still open.
    async fn answer_open(
        &self,
        row: ConfirmationRow,
        by: &Principal,
    ) -> Result<ConfirmationRow, OpenDecisionError<ConfirmationRow>> {
        if self.keep(row.clone(), ReplacedRows::Questions, by).await.map_err(internal)? {
            return Ok(row);
        }
        // An approval of one call may be used up by now, and then its row is gone.
        let first = self.readable(&row.id).await?;
        Err(OpenDecisionError::Decided(Box::new(first)))
    }

    async fn keep(
        &self,
        row: ConfirmationRow,
        replaces: ReplacedRows,
        by: &Principal,
    ) -> Result<bool, DecisionError> {
        let denied = row.state == ConfirmationState::Denied;
        let event = event(if denied { DENIED } else { APPROVED }, by, &row);
        let event = if denied { event.result(AuditResult::Blocked) } else { event };
        let store = |event| self.0.store.decide_confirmation(row, replaces, event);
        let kept = record_decision(&self.0.sink, event, store).await;
        self.0.changed.send_replace(());
        kept
    }

    async fn remove(&self, id: &str, replaces: ReplacedRows) -> Result<Option<ConfirmationRow>, StoreError> {
        let removed = self.0.store.remove_confirmation(id, replaces).await?;
        self.0.changed.send_replace(());
        Ok(removed)
    }
}

/// Returns the event of an answer to a question.
fn event(event_type: &str, by: &Principal, row: &ConfirmationRow) -> EventDraft {
    let mut draft = EventDraft::new(event_type.into(), by)
        .server(&row.key.server_id)
        .tool(&row.key.tool_name)
        .detail("request_id", &row.id)
        .detail("agent_id", &row.key.agent_id)
        .detail("arguments_sha256", &row.key.arguments_sha256)
        .detail("risk_level", &row.risk);
    if let Some(trace) = row.trace() {
        draft = draft.trace(&trace);
    }
    if let Some(term) = row.term() {
        draft = draft.detail("term", &term.to_string());
    }
    if let Some(pattern) = &row.pattern {
        draft = draft.detail("pattern", &pattern.to_json());
    }
    draft
}

fn unknown(id: &str) -> ErrorObject {
    ErrorObject::invalid_params(format!(
        "no question has the id {id:?}: it was used, taken back, or forgotten after its time; the next such call asks anew"
    ))
}

impl fmt::Debug for ConfirmationCore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").field("store", &self.store).finish_non_exhaustive()
    }
}
