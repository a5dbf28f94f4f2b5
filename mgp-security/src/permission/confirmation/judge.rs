//! The gate that asks for confirmation before a call.

use super::{
    ArgumentsPattern, AskOutcome, Bound, ConfirmationKey, ConfirmationRow, ConfirmationState, Confirmations,
    arguments::ArgumentsHash,
    places::WaitingPlaces,
    refusal::{declined, denied, full, too_long, waits},
    store::AskedCall,
    together::WaitingGroups,
};
use crate::{
    canonical,
    permission::{
        ApprovalTerm, Approver, ConfirmationQuestion, ConfirmationVerdict, Permissions,
        wait::{Wait, WaitEnd},
    },
    profile::Confirmation,
};
use futures_core::future::BoxFuture;
use mgp_transport::seam::{Decision, Judge, Refusal, RefusalKind, Session, ToolCall};
use mgp_types::{
    json::{RawJson, RawObject},
    rpc::ErrorObject,
    tool_metadata::{CallEstimate, fill_confirmation},
};
use std::{fmt, sync::Arc, time::Duration};

/// The longest arguments that are kept for a decision, in bytes.
pub(super) const MAX_ARGUMENTS: usize = 1 << 20;

/// The gate that asks for confirmation before a call, if the tool's profile requires it.
///
/// A dangerous tool needs an explicit confirmation or permission (§4.4). With [`permissions`](Self::permissions), nobody is asked if
/// the tool needs at least one of the dangerous permissions (§3.2), and all those that it needs were approved by the operator, the
/// configuration or the policy `auto_approve`.
///
/// The question is a row of the store behind [`Confirmations`] from the start. The call waits a limited time for an answer, from the
/// approver or from another process. After that, the call is refused with the question's id, and a later answer holds for the same call
/// when it is repeated.
#[derive(Debug, Clone)]
pub struct ConfirmationGate {
    pub(super) approver: Arc<dyn Approver>,
    pub(super) confirmations: Confirmations,
    permissions: Option<Permissions>,
    doubts: Doubts,
    estimates: Estimates,
    pub(super) session_name: fn(&Session) -> Option<Arc<str>>,
    wait: Duration,
    places: WaitingPlaces,
    groups: WaitingGroups,
}

/// A check that returns the reason why a call may do harm.
#[derive(Clone, Default)]
struct Doubts(Option<Arc<Doubt>>);

type Doubt = dyn Fn(&ToolCall) -> Option<BoxFuture<'static, Option<String>>> + Send + Sync;

impl fmt::Debug for Doubts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Doubts").field(&self.0.is_some()).finish()
    }
}

/// A function that estimates a call.
#[derive(Clone, Default)]
struct Estimates(Option<Arc<Estimate>>);

type Estimate = dyn Fn(&ToolCall) -> CallEstimate + Send + Sync;

impl fmt::Debug for Estimates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Estimates").field(&self.0.is_some()).finish()
    }
}

impl ConfirmationGate {
    /// Creates a gate that asks an approver.
    #[must_use]
    pub fn new(approver: Arc<dyn Approver>, confirmations: Confirmations) -> Self {
        Self {
            approver,
            confirmations,
            permissions: None,
            doubts: Doubts::default(),
            estimates: Estimates::default(),
            session_name: |_| None,
            wait: Permissions::WAIT,
            places: WaitingPlaces::default(),
            groups: WaitingGroups::default(),
        }
    }

    /// Sets the permissions whose approvals count as confirmations.
    #[must_use]
    pub fn permissions(mut self, permissions: Permissions) -> Self {
        self.permissions = Some(permissions);
        self
    }

    /// Sets the check, usually the validators, whose doubts about a call's arguments are asked about, whatever the tool's profile states.
    /// It returns `None` if there is nothing to check, else a future of the reason for the question.
    #[must_use]
    pub fn doubts(
        mut self,
        doubts: impl Fn(&ToolCall) -> Option<BoxFuture<'static, Option<String>>> + Send + Sync + 'static,
    ) -> Self {
        self.doubts = Doubts(Some(Arc::new(doubts)));
        self
    }

    /// Sets the function that estimates the time and the cost of a call, to show with the question. The remaining quotas are known without
    /// it.
    #[must_use]
    pub fn estimates(mut self, estimate: impl Fn(&ToolCall) -> CallEstimate + Send + Sync + 'static) -> Self {
        self.estimates = Estimates(Some(Arc::new(estimate)));
        self
    }

    /// Sets the function that names a session, so that calls can be approved for their session. A name must not be reused for another
    /// session, not even in another process. By default, sessions have no names.
    #[must_use]
    pub fn session_name(mut self, name: fn(&Session) -> Option<Arc<str>>) -> Self {
        self.session_name = name;
        self
    }

    /// Sets the time that a call waits for an answer, including its waits at earlier gates. The default is [`Permissions::WAIT`].
    #[must_use]
    pub fn wait(mut self, wait: Duration) -> Self {
        self.wait = wait;
        self
    }
}

impl Judge for ConfirmationGate {
    fn judge(&self, call: &ToolCall) -> Decision {
        let asks = match call.profile.confirmation {
            Confirmation::Never => false,
            Confirmation::UnlessApproved if call.dry_run => !self.would_be_approved(call),
            Confirmation::UnlessApproved => !self.is_approved(call),
            Confirmation::Always => true,
        };
        let doubt = self.doubts.0.as_ref().and_then(|doubt| doubt(call));
        if !asks && doubt.is_none() {
            return Decision::Allow;
        }
        let (gate, call, is_dry) = (self.clone(), call.clone(), call.dry_run);
        let judged = async move {
            let doubt = match doubt {
                Some(doubt) => doubt.await,
                None => None,
            };
            match asks || doubt.is_some() {
                true if call.dry_run => gate.foresee(&call, asks, doubt).await,
                true => gate.confirm(&call, asks, doubt).await,
                false => Ok(()),
            }
        };
        // A dry run only reads the answers. A call may ask a person, and stores the answer.
        if is_dry { Decision::read(judged) } else { Decision::wait(judged) }
    }
}

impl ConfirmationGate {
    /// Returns whether the approval of a permission replaces the confirmation. If so, this is noted for the call's event.
    fn is_approved(&self, call: &ToolCall) -> bool {
        let approved =
            self.permissions.as_ref().and_then(|permissions| permissions.stands_for_confirmation(call));
        let Some((permission, by)) = approved else { return false };
        note(call, [("permission", permission.as_str()), ("by", by.as_str())], None);
        true
    }

    /// Returns whether the approval of a permission replaces the confirmation, or would do so once it is given.
    fn would_be_approved(&self, call: &ToolCall) -> bool {
        self.permissions.as_ref().is_some_and(|permissions| permissions.would_stand_for_confirmation(call))
    }

    /// Waits for the confirmation of a call.
    ///
    /// # Errors
    /// The refusal, if the call is not confirmed in time, or at all.
    pub(super) async fn confirm(
        &self,
        call: &ToolCall,
        asks: bool,
        doubt: Option<String>,
    ) -> Result<(), Refusal> {
        let wait = Wait::of(call, self.wait);
        let mut question = question(call, asks, doubt);
        question.session = call.session().and_then(self.session_name);
        // Checked before the arguments are read further.
        let length = question.arguments.as_ref().map_or(0, |arguments| arguments.as_bytes().len());
        if length > MAX_ARGUMENTS {
            return Err(too_long(call, length, MAX_ARGUMENTS));
        }
        if let Some(estimate) = &self.estimates.0 {
            let quota = question.estimate.quota.take();
            question.estimate = CallEstimate { quota, ..estimate(call) };
        }
        let key = key(call, &question);
        let (none, asked) = (RawJson::empty_object(), question.clone());
        let asked = AskedCall {
            key: &key,
            arguments: asked.arguments.as_ref().unwrap_or(&none),
            reason: &asked.reason,
            session: asked.session.as_deref(),
        };
        let place = self.places.take(&key.agent_id);
        let (mut has_asked, mut opened) = (false, None);
        loop {
            let own = self.open_row(&question, &key);
            let row = match self.confirmations.take(asked).await.map_err(|error| broken(&error))? {
                Some(row) if row.is_denial() => return Err(denied(call, &row)),
                Some(row) if row.state == ConfirmationState::Approved && question.every_time => {
                    self.confirmations.supersede(&row).await.map_err(|error| broken(&error))?;
                    continue;
                }
                Some(row) if row.state != ConfirmationState::Open => {
                    confirmed(call, &row, None);
                    return Ok(());
                }
                // Concurrent calls may have different estimates, so the question takes over that of a call only once.
                Some(row)
                    if row.every_time == own.every_time
                        && row.session == own.session
                        && (has_asked || row.clone().asked_again(&own) == row) =>
                {
                    row
                }
                // Nobody was asked yet, or the wording, the session or the tool's kind of confirmation has changed since.
                Some(_) | None => {
                    has_asked = true;
                    match self.confirmations.ask(own.clone()).await.map_err(|error| broken(&error))? {
                        // The question may be answered by now, or covered by the answer to another one.
                        AskOutcome::Row(row) => {
                            opened = Some(own.id).filter(|id| *id == row.id).or(opened);
                            continue;
                        }
                        AskOutcome::Full(bound)
                            if place.is_some() && self.approver.is_attended(&question) =>
                        {
                            return self.confirm_unkept(call, question, &own, bound, &wait).await;
                        }
                        AskOutcome::Full(bound) => return Err(full(call, &key.agent_id, bound)),
                    }
                }
            };
            if place.is_none() {
                self.confirmations.keep_open(&row.id);
                return Err(waits(call, &row));
            }
            question.request_id = Some(row.id.clone());
            let waiting = self.confirmations.wait_for(&row.id, opened.as_ref() == Some(&row.id));
            let text = || format!("waiting for an approval: `mgp approve {}`", row.id);
            let verdict = tokio::select! {
                // First, because another call of the same question may have closed it with its answer.
                biased;
                verdict = self.ask(&key, &question) => verdict,
                () = self.confirmations.answered(asked) => continue,
                over = wait.over(text) => match over {
                    WaitEnd::TimedOut => ConfirmationVerdict::Deferred,
                    WaitEnd::Cancelled => {
                        // A question that only an operator can answer stays: a host may time out before the operator answers.
                        if !self.approver.is_attended(&question) {
                            self.confirmations.keep_open(&row.id);
                        }
                        self.confirmations.abandon(waiting).await.map_err(|error| broken(&error))?;
                        return Err(cancelled());
                    }
                },
            };
            if verdict == ConfirmationVerdict::Deferred {
                self.confirmations.keep_open(&row.id);
            }
            drop(waiting);
            match verdict {
                ConfirmationVerdict::Deferred => return Err(waits(call, &row)),
                ConfirmationVerdict::Denied { by } => {
                    self.confirmations.close(&row.id).await.map_err(|error| broken(&error))?;
                    return Err(declined(call, &row, &by));
                }
                ConfirmationVerdict::Approved { by, term }
                    if question.every_time || term == ApprovalTerm::Once =>
                {
                    // A denial by an operator in the meantime holds. If another call's answer closed the question, this call still
                    // has its own answer.
                    if !self.confirmations.close(&row.id).await.map_err(|error| broken(&error))?
                        && let Some(row) =
                            self.confirmations.take(asked).await.map_err(|error| broken(&error))?
                        && row.is_denial()
                    {
                        return Err(denied(call, &row));
                    }
                    confirmed(call, &row, Some(&by));
                    return Ok(());
                }
                ConfirmationVerdict::Approved { by, term } => {
                    let row = row.approved(term, &by, self.confirmations.forgotten());
                    // Whether or not the answer was stored, the current row in the store decides.
                    self.confirmations.decide(row).await.map_err(|error| broken(&error))?;
                }
            }
        }
    }

    /// Asks the approver about a call, together with other waiting calls if possible.
    async fn ask(&self, key: &ConfirmationKey, question: &ConfirmationQuestion) -> ConfirmationVerdict {
        if !self.approver.asks_together(question) {
            return self.approver.confirm(question).await;
        }
        match self.groups.ask(&*self.approver, key, question).await {
            Some(verdict) => verdict,
            None => self.approver.confirm_apart(question).await,
        }
    }

    /// Asks about a call whose question cannot be kept. The answer holds only for this call.
    async fn confirm_unkept(
        &self,
        call: &ToolCall,
        question: ConfirmationQuestion,
        row: &ConfirmationRow,
        bound: Bound,
        wait: &Wait,
    ) -> Result<(), Refusal> {
        let question = ConfirmationQuestion { request_id: None, every_time: true, ..question };
        let verdict = tokio::select! {
            verdict = self.ask(&row.key, &question) => verdict,
            over = wait.over(|| "waiting for a confirmation".to_owned()) => match over {
                WaitEnd::TimedOut => ConfirmationVerdict::Deferred,
                WaitEnd::Cancelled => return Err(cancelled()),
            },
        };
        match verdict {
            ConfirmationVerdict::Approved { by, .. } => {
                confirmed(call, row, Some(&by));
                Ok(())
            }
            ConfirmationVerdict::Denied { by } => Err(declined(call, row, &by)),
            ConfirmationVerdict::Deferred => Err(full(call, &row.key.agent_id, bound)),
        }
    }

    /// Returns the row of an open question.
    fn open_row(&self, question: &ConfirmationQuestion, key: &ConfirmationKey) -> ConfirmationRow {
        ConfirmationRow {
            id: ConfirmationRow::fresh_id(),
            key: key.clone(),
            arguments: question.arguments.clone().unwrap_or(RawJson::empty_object()),
            risk: question.risk,
            reason: question.reason.clone(),
            every_time: question.every_time,
            intent: question.intent.as_ref().map(ToString::to_string),
            estimate: Some(question.estimate.sentences("It").trim_end().to_owned())
                .filter(|text| !text.is_empty()),
            trace_id: question.trace.as_ref().map(ToString::to_string),
            session: question.session.as_deref().map(str::to_owned),
            session_only: false,
            pattern: None,
            state: ConfirmationState::Open,
            asked_at: self.confirmations.now(),
            expires_at: Some(self.confirmations.forgotten()),
            decided_by: None,
            decided_at: None,
        }
    }
}

/// Refuses a call because its question, or the answer, could not be read or stored.
pub(super) fn broken(error: &dyn fmt::Display) -> Refusal {
    Refusal::new(RefusalKind::Confirmation, ErrorObject::internal(error.to_string()))
}

/// Returns the question about a call. `asks` is true if the tool's profile requires a confirmation.
pub(super) fn question(call: &ToolCall, asks: bool, doubt: Option<String>) -> ConfirmationQuestion {
    let every_time = call.profile.confirmation == Confirmation::Always;
    let reason = call.profile.confirmation_reason();
    let reason = match server_message(call) {
        Some(message) if asks => format!("{reason}; its server says: {message:?}"),
        _ => reason,
    };
    ConfirmationQuestion {
        request_id: None,
        target: (*call.target).clone(),
        arguments: call.shown_arguments.as_ref().or_else(|| call.arguments()).cloned(),
        risk: call.profile.risk,
        reason: match doubt {
            None => reason,
            Some(doubt) if asks => format!("{reason}; {doubt}"),
            Some(doubt) => doubt,
        },
        intent: call.record.update(|record| record.intent.clone()),
        estimate: CallEstimate {
            quota: call.record.update(|record| record.quota.clone()),
            ..CallEstimate::default()
        },
        every_time,
        principal: call.principal.clone(),
        trace: call.trace.clone(),
        session: None,
        peer: call.peer().cloned(),
    }
}

/// Returns the server's own message about a call, filled with the call's arguments.
fn server_message(call: &ToolCall) -> Option<String> {
    let message = call.profile.confirmation_message.as_deref()?;
    let arguments = call.shown_arguments.as_ref().or_else(|| call.arguments());
    let arguments = arguments.and_then(|arguments| RawObject::from_json(arguments).ok());
    Some(fill_confirmation(message, &arguments.unwrap_or_default()))
}

/// Returns the key of a call: the hash covers the arguments that are sent, whatever is shown of them.
pub(super) fn key(call: &ToolCall, question: &ConfirmationQuestion) -> ConfirmationKey {
    let tool = &question.target.tool;
    let none = RawJson::empty_object();
    let arguments = ArgumentsHash::of(call.arguments().unwrap_or(&none));
    ConfirmationKey::new(
        (question.principal.id(), &tool.server_id, &tool.tool_name),
        arguments,
        call.profile.definition,
    )
}

/// Refuses a waiting call that its caller cancelled.
fn cancelled() -> Refusal {
    Refusal::cancelled(RefusalKind::Confirmation, "cancelled while it waited for a confirmation")
}

/// Notes for the call's event who confirmed the call, and for which calls. `by` names the person who was asked only about this call.
pub(super) fn confirmed(call: &ToolCall, row: &ConfirmationRow, by: Option<&str>) {
    let by = by.or(row.decided_by.as_deref()).unwrap_or("an operator");
    let term = row.term().unwrap_or(ApprovalTerm::Once).to_string();
    let none = RawJson::empty_object();
    let arguments = canonical::digest(call.arguments().unwrap_or(&none));
    call.record.update(|record| record.confirmed = Some((call.target.tool.clone(), arguments)));
    let pattern = row.pattern.as_ref().map(ArgumentsPattern::to_json);
    note(call, [("id", row.id.as_str()), ("by", by), ("term", term.as_str())], pattern);
}

fn note<const N: usize>(call: &ToolCall, how: [(&'static str, &str); N], pattern: Option<RawJson>) {
    let how = how.into_iter().map(|(key, value)| (key, RawJson::string(value)));
    let how: RawObject = how.chain(pattern.map(|pattern| ("pattern", pattern))).collect();
    call.record.update(|record| record.details.push(("confirmation", how.to_json())));
}
