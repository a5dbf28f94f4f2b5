//! The service that asks for confirmation before a call.

use super::{
    ApprovalTerm, AskOutcome, Bound, ConfirmationKey, ConfirmationLayer, ConfirmationRow, ConfirmationState,
    arguments::ArgumentsHash,
    refusal::{declined, denied, full, too_long, waits},
};
use crate::{
    gate::{self, ResponseFuture, ToolCall},
    permission::{
        ConfirmationQuestion, ConfirmationVerdict,
        wait::{Over, Wait},
    },
    profile::{Confirmation, ToolProfile},
};
use jiff::Timestamp;
use mgp_transport::seam::{Incoming, RefusalKind, Reply};
use mgp_types::{
    context::TraceId,
    json::{RawJson, RawObject},
    rpc::ErrorObject,
};
use std::{
    fmt,
    sync::Arc,
    task::{Context, Poll},
};
use tower_service::Service;

/// The longest arguments that are kept for a decision, in bytes.
const MAX_ARGUMENTS: usize = 1 << 20;

/// Asks for confirmation before a call, if the tool's profile says so.
#[derive(Debug, Clone)]
pub struct Confirm<S> {
    pub(super) inner: S,
    pub(super) layer: ConfirmationLayer,
}

impl ConfirmationLayer {
    /// Returns the profile of the tool if the call must be confirmed.
    fn asks(&self, message: &Incoming) -> Result<Option<Arc<ToolProfile>>, Reply> {
        let Some(call) = gate::tool_call(message) else { return Ok(None) };
        let profile = call.profile()?;
        let asks = match profile.confirmation {
            Confirmation::Never => false,
            Confirmation::UnlessApproved => !self.is_approved(&call, profile),
            Confirmation::Always => true,
        };
        Ok(asks.then(|| profile.clone()))
    }

    /// Returns whether the approval of a permission takes the place of the confirmation. If so, that is noted for the call's event.
    fn is_approved(&self, call: &ToolCall<'_>, profile: &ToolProfile) -> bool {
        let approved = self.permissions.as_ref().and_then(|permissions| {
            permissions.stands_for_confirmation(&call.target.tool.server_id, &profile.permissions)
        });
        let Some((permission, by)) = approved else { return false };
        note(call, [("permission", permission.as_str()), ("by", by.as_str())]);
        true
    }

    /// Waits for the confirmation of a call. Returns a refusal if the call is not confirmed, or not in time.
    async fn confirm(&self, message: &mut Incoming, profile: &ToolProfile) -> Result<(), Reply> {
        let wait = Wait::of(message, self.wait);
        let Some(call) = gate::tool_call(message) else { return Ok(()) };
        let mut question = question(&call, message, profile)?;
        // Checked before the arguments are read any further.
        let length = question.arguments.as_ref().map_or(0, |arguments| arguments.as_bytes().len());
        if length > MAX_ARGUMENTS {
            return Err(too_long(&call, length, MAX_ARGUMENTS));
        }
        let key = key(&question, profile);
        let broken = |error: &dyn fmt::Display| {
            call.refuse_with(RefusalKind::Confirmation, ErrorObject::internal(error.to_string()))
        };
        let place = self.waiting.try_acquire();
        loop {
            let row = match self.confirmations.take(&key).await.map_err(|error| broken(&error))? {
                Some(row) if row.is_denial() => return Err(denied(&call, &row)),
                Some(row) if row.state == ConfirmationState::Approved && question.every_time => {
                    self.confirmations.supersede(&row).await.map_err(|error| broken(&error))?;
                    continue;
                }
                Some(row) if row.state != ConfirmationState::Open => {
                    confirmed(&call, &row, None);
                    return Ok(());
                }
                Some(row) if row.every_time == question.every_time => row,
                // Nobody was asked yet, or the tool's kind of confirmation has changed since.
                Some(_) | None => {
                    let row = self.open_row(&question, &key);
                    match self.confirmations.ask(row.clone()).await.map_err(|error| broken(&error))? {
                        AskOutcome::Row(row) if row.state == ConfirmationState::Open => *row,
                        // Answered a moment ago.
                        AskOutcome::Row(_) => continue,
                        AskOutcome::Full(bound) if place.is_ok() && self.approver.is_attended(&question) => {
                            return self.confirm_unkept(&call, question, &row, bound, &wait).await;
                        }
                        AskOutcome::Full(bound) => return Err(full(&call, &key.agent_id, bound)),
                    }
                }
            };
            if place.is_err() {
                return Err(waits(&call, &row));
            }
            question.request_id = Some(row.id.clone());
            let waiting = self.confirmations.wait_for(&row.id);
            let text = || format!("waiting for an approval: `mgp approve {}`", row.id);
            let verdict = tokio::select! {
                verdict = self.approver.confirm(&question) => verdict,
                () = self.confirmations.answered(&row.id) => continue,
                over = wait.over(text) => match over {
                    Over::TimedOut => ConfirmationVerdict::Deferred,
                    Over::Cancelled => {
                        // A question that only an operator can answer stays: a host may have less patience than an operator needs.
                        if self.approver.is_attended(&question) {
                            self.confirmations.abandon(waiting).await.map_err(|error| broken(&error))?;
                        }
                        return Err(cancelled(&call));
                    }
                },
            };
            drop(waiting);
            match verdict {
                ConfirmationVerdict::Deferred => return Err(waits(&call, &row)),
                ConfirmationVerdict::Denied { by } => {
                    self.confirmations.close(&row.id).await.map_err(|error| broken(&error))?;
                    return Err(declined(&call, &row, &by));
                }
                ConfirmationVerdict::Approved { by, term }
                    if question.every_time || term == ApprovalTerm::Once =>
                {
                    // A denial by an operator in the meantime holds. If the question was closed for another such call, this call
                    // has an answer of its own all the same.
                    if !self.confirmations.close(&row.id).await.map_err(|error| broken(&error))?
                        && let Some(row) =
                            self.confirmations.take(&key).await.map_err(|error| broken(&error))?
                        && row.is_denial()
                    {
                        return Err(denied(&call, &row));
                    }
                    confirmed(&call, &row, Some(&by));
                    return Ok(());
                }
                ConfirmationVerdict::Approved { by, term } => {
                    let row = row.approved(term, &by, self.confirmations.forgotten());
                    // Whether or not the answer was stored, the row that the store holds now decides.
                    self.confirmations.decide(row).await.map_err(|error| broken(&error))?;
                }
            }
        }
    }

    /// Asks about a call whose question cannot be kept. The answer holds for this call alone.
    async fn confirm_unkept(
        &self,
        call: &ToolCall<'_>,
        question: ConfirmationQuestion,
        row: &ConfirmationRow,
        bound: Bound,
        wait: &Wait,
    ) -> Result<(), Reply> {
        let question = ConfirmationQuestion { request_id: None, every_time: true, ..question };
        let verdict = tokio::select! {
            verdict = self.approver.confirm(&question) => verdict,
            over = wait.over(|| "waiting for a confirmation".to_owned()) => match over {
                Over::TimedOut => ConfirmationVerdict::Deferred,
                Over::Cancelled => return Err(cancelled(call)),
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
            trace_id: question.trace.as_ref().map(ToString::to_string),
            state: ConfirmationState::Open,
            asked_at: Timestamp::now(),
            expires_at: Some(self.confirmations.forgotten()),
            decided_by: None,
            decided_at: None,
        }
    }
}

fn question(
    call: &ToolCall<'_>,
    message: &Incoming,
    profile: &ToolProfile,
) -> Result<ConfirmationQuestion, Reply> {
    let every_time = profile.confirmation == Confirmation::Always;
    let reason = if every_time {
        "every call of this tool is confirmed, as the configuration or its server says"
    } else {
        "the tool is dangerous, and no dangerous permission that it needs was approved"
    };
    Ok(ConfirmationQuestion {
        request_id: None,
        target: call.target.clone(),
        arguments: message.params.object().ok().and_then(|params| params.get("arguments").cloned()),
        risk: profile.risk,
        reason: reason.to_owned(),
        every_time,
        principal: call.principal()?.clone(),
        trace: message.ext.get::<TraceId>().cloned(),
        peer: message.peer().cloned(),
    })
}

fn key(question: &ConfirmationQuestion, profile: &ToolProfile) -> ConfirmationKey {
    let tool = &question.target.tool;
    let none = RawJson::empty_object();
    let arguments = ArgumentsHash::of(question.arguments.as_ref().unwrap_or(&none));
    ConfirmationKey::new(
        (question.principal.id(), &tool.server_id, &tool.tool_name),
        arguments,
        profile.definition,
    )
}

/// Answers a call that was cancelled by its caller while it waited.
fn cancelled(call: &ToolCall<'_>) -> Reply {
    call.refuse(RefusalKind::Confirmation, "cancelled while it waited for a confirmation");
    Reply::cancelled(RawJson::empty_object())
}

/// Notes for the call's event who confirmed the call, and for which calls. `by` names the person who was asked for this call alone.
fn confirmed(call: &ToolCall<'_>, row: &ConfirmationRow, by: Option<&str>) {
    let by = by.or(row.decided_by.as_deref()).unwrap_or("an operator");
    let term = row.term().unwrap_or(ApprovalTerm::Once).to_string();
    note(call, [("id", row.id.as_str()), ("by", by), ("term", term.as_str())]);
}

fn note<const N: usize>(call: &ToolCall<'_>, how: [(&'static str, &str); N]) {
    let how: RawObject = how.into_iter().map(|(key, value)| (key, RawJson::string(value))).collect();
    call.note(|record| record.details.push(("confirmation", how.to_json())));
}

impl<S> Service<Incoming> for Confirm<S>
where
    S: Service<Incoming, Response = Reply, Error: Send, Future: Send> + Clone + Send + 'static,
{
    type Response = Reply;
    type Error = S::Error;
    type Future = ResponseFuture<S::Future, S::Error>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut message: Incoming) -> Self::Future {
        match self.layer.asks(&message) {
            Ok(None) => ResponseFuture::passing(self.inner.call(message)),
            Err(refusal) => ResponseFuture::refused(refusal),
            Ok(Some(profile)) => {
                let layer = self.layer.clone();
                gate::after(&mut self.inner, async move {
                    layer.confirm(&mut message, &profile).await?;
                    Ok(message)
                })
            }
        }
    }
}
