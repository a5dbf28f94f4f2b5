//! The end of a step: its state, and the call that undoes it.

use super::{
    CompensationTemplate, DeclaredCompensations,
    check::check_granted,
    record::{brief, size},
};
use crate::idempotency::{KeptAnswer, Outcome, outcome};
use mgp_transport::seam::{CallRecord, Reply, TokenGrant, ToolCall};
use mgp_types::{
    json::{RawJson, RawObject},
    mcp::CallToolResult,
    rpc::RawResult,
    transaction::{COMPENSATION, Compensation, StepState},
};
use std::sync::Arc;

/// The facts of a call that decide how it is undone.
#[derive(Default)]
pub(super) struct CallFacts {
    declared: DeclaredCompensations,
    arguments: Option<RawJson>,
    /// The credentials of the call, which must also allow the call that undoes it.
    granted: Option<TokenGrant>,
    server_id: Arc<str>,
    /// The most bytes of a call that undoes a step.
    most: usize,
}

impl CallFacts {
    /// Returns the facts of a call with these declarations, whose undoing call has at most `most` bytes.
    pub(super) fn of(call: &ToolCall, declared: DeclaredCompensations, most: usize) -> Self {
        Self {
            declared,
            arguments: call.arguments().cloned(),
            granted: call.granted().cloned(),
            server_id: call.target.tool.server_id.clone(),
            most,
        }
    }

    /// Returns the fingerprint of the server that is called.
    pub(super) fn endpoint(&self) -> Option<String> {
        self.declared.endpoint.clone()
    }

    /// Returns the call that undoes the call with this result.
    fn compensation(&self, result: &RawResult, is_error: bool) -> Result<Option<Compensation>, String> {
        let said = answered(result);
        let fill =
            |template: &CompensationTemplate| template.fill(self.arguments.as_ref(), result, self.most);
        let found = match (&self.declared.configured, said, &self.declared.of_tool) {
            (_, said, _) if is_error => said.transpose(),
            (Some(template), ..) => fill(template).map(Some),
            (None, Some(said), _) => said.map(Some),
            (None, None, Some(template)) => fill(template).map(Some),
            (None, None, None) => Ok(None),
        };
        let Some(found) = found? else { return Ok(None) };
        if size(&found) > self.most {
            return Err(format!("the call that undoes it has more than {} bytes", self.most));
        }
        check_granted(self.granted.as_ref(), &self.server_id, &found.tool).map_err(|denied| {
            format!("the token of its caller does not allow the call that undoes it: {denied}")
        })?;
        Ok(Some(found))
    }
}

/// The end of a step.
#[derive(Clone)]
pub(super) struct StepEnd {
    pub(super) state: StepState,
    pub(super) compensation: Option<Compensation>,
    /// True if the call that undoes the step is hidden from the caller.
    pub(super) is_concealed: bool,
    pub(super) error: Option<String>,
}

impl StepEnd {
    /// Returns the end of a step whose call ended. A reply of `None` is a failure of the infrastructure.
    pub(super) fn of(reply: Option<&Reply>, record: &CallRecord, facts: &CallFacts) -> Self {
        let message = || reply.and_then(Reply::as_error).map(ToString::to_string);
        match outcome(reply, record) {
            None => {
                Self::failed(StepState::Failed, &message().unwrap_or_else(|| "it was not sent".to_owned()))
            }
            Some(Outcome::Unknown) => {
                let message = message().unwrap_or_else(|| "its answer never came".to_owned());
                Self::failed(StepState::Unknown, &format!("nobody knows whether it took effect: {message}"))
            }
            Some(Outcome::Done(KeptAnswer::Result(result))) => Self::of_result(&result, facts),
            Some(Outcome::Done(KeptAnswer::Error(error))) => {
                Self::failed(StepState::Failed, &error.to_string())
            }
            Some(Outcome::Done(KeptAnswer::Dropped { .. })) => {
                Self::failed(StepState::Unknown, "its answer was not kept")
            }
        }
    }

    /// Returns the end of a step without a call that undoes it.
    pub(super) fn failed(state: StepState, error: &str) -> Self {
        Self { state, compensation: None, is_concealed: false, error: Some(brief(error)) }
    }

    /// Returns the end of a step with a result. A failed step is undone only if its server's answer declares a compensation.
    fn of_result(result: &RawResult, facts: &CallFacts) -> Self {
        let is_error = CallToolResult::says_error(result);
        let state = if is_error { StepState::Failed } else { StepState::Ok };
        let is_concealed = facts.declared.configured.is_some() && facts.declared.is_concealed && !is_error;
        let (compensation, error) = match facts.compensation(result, is_error) {
            Ok(compensation) => (compensation, None),
            Err(error) => (None, Some(brief(&error))),
        };
        let failed = || "its tool answered with an error".to_owned();
        Self { state, compensation, is_concealed, error: error.or_else(|| is_error.then(failed)) }
    }
}

/// Returns the call that undoes a step, as declared in the server's answer, or `None` without a declaration.
fn answered(result: &RawResult) -> Option<Result<Compensation, String>> {
    if !result.may_hold(COMPENSATION) {
        return None;
    }
    let meta = RawObject::from_json(result).ok()?.object("_meta")?;
    let said = meta.get(COMPENSATION).filter(|said| !said.is_null())?;
    let read = said.decode::<Compensation>();
    Some(match read {
        Ok(said) if said.arguments.is_object() => Ok(said),
        Ok(_) => Err("the server's answer has a compensation whose arguments are not an object".to_owned()),
        Err(error) => Err(format!("the server's answer has a compensation that cannot be read: {error}")),
    })
}
