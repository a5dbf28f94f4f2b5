//! The path of one call that is a step of a transaction.

use super::{
    StepTask,
    inner::Inner,
    open_step::OpenStep,
    step_end::{CallFacts, StepEnd},
    step_task::{FollowedStep, task_of},
    template::Templates,
};
use mgp_transport::seam::{Refusal, RefusalKind, Reply, ToolCall};
use mgp_types::{
    json::{RawJson, RawObject},
    transaction::{COMPENSATION, Compensation, STEP_ID, TRANSACTION_ID},
};
use std::{future::poll_fn, sync::Arc};
use tower_service::Service;

/// A call that is a step.
pub(super) struct StepCall {
    pub(super) transactions: Arc<Inner>,
    pub(super) templates: Arc<Templates>,
    pub(super) transaction: String,
    pub(super) step: Option<String>,
    pub(super) call: ToolCall,
}

impl StepCall {
    /// Stores the step, makes the call, and stores its end before replying.
    pub(super) async fn run<S>(self, mut inner: S) -> Result<Reply, S::Error>
    where
        S: Service<ToolCall, Response = Reply>,
    {
        let Self { transactions, templates, transaction, step, mut call } = self;
        let follower = transactions.follower.get().cloned();
        let facts = CallFacts::of(&call, templates(&call), transactions.settings.compensation_bytes);
        let open = match OpenStep::begin(transactions, &transaction, step, &call, facts.endpoint()).await {
            Ok(open) => open,
            Err(error) => {
                return Ok(Refusal::new(RefusalKind::Transaction, error).recorded(&call.record));
            }
        };
        let step = open.name().to_owned();
        call.record.update(|record| {
            record.details.push((TRANSACTION_ID, RawJson::string(&transaction)));
            record.details.push((STEP_ID, RawJson::string(&step)));
        });
        without_names(&mut call);
        let (record, caller) = (call.record.clone(), call.principal.clone());
        let reply = match poll_fn(|cx| inner.poll_ready(cx)).await {
            Ok(()) => inner.call(call).await,
            Err(error) => Err(error),
        };
        let answer = reply.as_ref().ok().filter(|reply| !reply.is_cancelled());
        if let Some(id) = answer.and_then(Reply::result).and_then(task_of) {
            let task = StepTask { caller, id };
            FollowedStep { open, task, facts, record }.begin(follower).await;
            return Ok(noted(reply?, &transaction, &step, None));
        }
        let end = StepEnd::of(reply.as_ref().ok(), &record, &facts);
        let compensation = end.compensation.clone().filter(|_| !end.is_concealed);
        open.close(end).await;
        Ok(noted(reply?, &transaction, &step, compensation.as_ref()))
    }
}

/// Removes the names of transaction and step, because a server with its own transactions does not know this one.
fn without_names(call: &mut ToolCall) {
    let Ok(mut params) = std::mem::take(&mut call.params).into_object() else { return };
    params.edit("_meta", |meta| {
        let removed = meta.remove(TRANSACTION_ID).is_some();
        meta.remove(STEP_ID).is_some() || removed
    });
    call.params = params.into();
}

/// Returns the reply with the names of transaction and step, and the call that undoes the step.
fn noted(reply: Reply, transaction: &str, step: &str, compensation: Option<&Compensation>) -> Reply {
    if reply.is_cancelled() || reply.as_error().is_some() {
        return reply;
    }
    let Some(Ok(mut result)) = reply.result().map(RawObject::from_json) else { return reply };
    result.edit("_meta", |meta| {
        meta.insert(TRANSACTION_ID, RawJson::string(transaction));
        meta.insert(STEP_ID, RawJson::string(step));
        if let Some(Ok(compensation)) = compensation.map(RawJson::from_value) {
            meta.insert(COMPENSATION, compensation);
        }
        true
    });
    Reply::ok(result.to_json())
}
