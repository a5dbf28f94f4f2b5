//! The call that undoes a step, on its way to the server.

use super::{
    CompensationMark, Step, Transaction,
    engine::{Inner, conflict},
};
use crate::idempotency::outcome;
use mgp_transport::seam::{Refusal, RefusalKind, Reply, ToolCall};
use mgp_types::{error::ErrorCode, rpc::ErrorObject, transaction::StepState};
use std::{future::poll_fn, sync::Arc};
use tower_service::Service;

/// Stores that a call which undoes a step is sent, and sends it. One that was sent before came here because its idempotency key is not known any
/// more: it is not sent again.
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
    // By the same rule, its key is free.
    if outcome(reply.as_ref().ok(), &record).is_none() {
        let unsent = |step: &mut Step| {
            step.is_sent = false;
            Ok(())
        };
        if let Err(error) = change(&transactions, &mark, unsent).await {
            tracing::error!(%error, transaction = mark.transaction.id, "a call that was not sent stays marked as sent");
        }
    }
    reply
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
