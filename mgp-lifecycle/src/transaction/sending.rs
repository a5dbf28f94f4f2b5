//! The call that undoes a step, on its way to the server and back.

use super::{
    CompensationEnd, CompensationMark, Step, Transaction, errors::conflict, inner::Inner, record::brief,
    step_task::task_of,
};
use crate::idempotency::{KeptAnswer, Outcome, outcome};
use mgp_transport::seam::{Refusal, RefusalKind, Reply, ToolCall};
use mgp_types::{error::ErrorCode, mcp::CallToolResult, rpc::ErrorObject, transaction::StepState};
use std::{future::poll_fn, sync::Arc};
use tower_service::Service;

/// Stores that a call which undoes a step is sent, sends it, and stores its end before the key store does, where answers expire. A call that
/// was sent before arrives here only if its idempotency key has expired: it is not sent again.
pub(super) async fn send<S>(
    transactions: Arc<Inner>,
    mark: CompensationMark,
    call: ToolCall,
    mut inner: S,
) -> Result<Reply, S::Error>
where
    S: Service<ToolCall, Response = Reply>,
{
    let record = call.record.clone();
    let begin = |step: &mut Step| {
        if step.is_sent {
            return Err(ErrorCode::UpstreamError.error_outcome_unknown(format!(
                "the call that undoes step {:?} was sent before, and nobody knows its outcome: it is not sent again",
                step.id
            )));
        }
        step.is_sent = true;
        Ok(())
    };
    if let Err(error) = change(&transactions, &mark, begin).await {
        return Ok(Refusal::new(RefusalKind::Transaction, error).recorded(&record));
    }
    let reply = match poll_fn(|cx| inner.poll_ready(cx)).await {
        Ok(()) => inner.call(call).await,
        Err(error) => Err(error),
    };
    // By the same rule, its key is free, or keeps this answer.
    let end = match outcome(reply.as_ref().ok(), &record) {
        None => SentEnd::Unsent,
        Some(Outcome::Done(KeptAnswer::Result(result))) if task_of(&result).is_none() => {
            match CallToolResult::says_error(&result) {
                true => SentEnd::Failed(CompensationEnd::reason_in(&result)),
                false => SentEnd::Done,
            }
        }
        Some(Outcome::Done(KeptAnswer::Error(error))) => SentEnd::Failed(error.to_string()),
        Some(Outcome::Done(_) | Outcome::Unknown) => return reply,
    };
    let note = move |step: &mut Step| {
        step.is_sent = false;
        match end {
            SentEnd::Unsent => {}
            SentEnd::Done => (step.state, step.error) = (StepState::Compensated, None),
            SentEnd::Failed(reason) => {
                (step.state, step.error) = (StepState::CompensationFailed, Some(brief(&reason)));
            }
        }
        Ok(())
    };
    if let Err(error) = change(&transactions, &mark, note).await {
        tracing::error!(%error, transaction = mark.transaction.id, "the end of a call that undoes a step could not be stored");
    }
    reply
}

/// The known end of a call that undoes a step.
enum SentEnd {
    Unsent,
    Done,
    Failed(String),
}

/// Changes the step that is being undone.
async fn change(
    transactions: &Inner,
    mark: &CompensationMark,
    change: impl FnOnce(&mut Step) -> Result<(), ErrorObject> + Send + 'static,
) -> Result<Transaction, ErrorObject> {
    let name = mark.step.clone();
    let of_step = move |of: &mut Transaction| {
        let is_undone = |step: &&mut Step| step.id == name && step.state == StepState::Compensating;
        match of.steps.iter_mut().find(is_undone) {
            Some(step) => change(step),
            None => Err(conflict(&format!("step {name:?} is not being undone"))),
        }
    };
    transactions.update(&mark.transaction, of_step).await
}
