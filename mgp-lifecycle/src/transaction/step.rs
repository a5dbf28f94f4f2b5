//! The way of one call that is a step of a transaction.

use super::{
    Step, Transaction, TransactionKey, TransactionLayer,
    engine::{Inner, conflict},
    layer::DeclaredCompensations,
};
use crate::idempotency::{KeptAnswer, Outcome, outcome};
use jiff::Timestamp;
use mgp_transport::seam::{CallRecord, Refusal, RefusalKind, Reply, ToolCall};
use mgp_types::{
    error::ErrorCode,
    json::{RawJson, RawObject},
    mcp::CallToolResult,
    rpc::{ErrorObject, RawResult},
    transaction::{COMPENSATION, Compensation, STEP_ID, StepState, TRANSACTION_ID, TransactionState},
};
use std::{future::poll_fn, sync::Arc};
use tower_service::Service;

/// A call that is a step.
pub(super) struct StepCall {
    pub(super) layer: TransactionLayer,
    pub(super) transaction: String,
    pub(super) step: Option<String>,
    pub(super) call: ToolCall,
}

impl StepCall {
    /// Stores the step, makes the call, and stores its end before it is answered.
    pub(super) async fn run<S>(self, mut inner: S) -> Result<Reply, S::Error>
    where
        S: Service<ToolCall, Response = Reply>,
    {
        let Self { layer, transaction, step, mut call } = self;
        let transactions = layer.transactions.0.clone();
        let key = TransactionKey::new(&call.principal, &transaction);
        let step = match begin(&transactions, &key, step, &call).await {
            Ok(step) => step,
            Err(error) => {
                return Ok(Refusal::new(RefusalKind::Transaction, error).recorded(&call.record));
            }
        };
        call.record.update(|record| {
            record.details.push((TRANSACTION_ID, RawJson::string(&transaction)));
            record.details.push((STEP_ID, RawJson::string(&step)));
        });
        let declared = (layer.templates)(&call);
        let arguments = call.arguments().cloned();
        without_names(&mut call);
        let record = call.record.clone();
        let open =
            OpenStep(Some(OpenStepState { transactions, key, step: step.clone(), record: record.clone() }));
        let reply = match poll_fn(|cx| inner.poll_ready(cx)).await {
            Ok(()) => inner.call(call).await,
            Err(error) => Err(error),
        };
        let most = layer.transactions.0.settings.compensation_bytes;
        let end = StepEnd::of(reply.as_ref().ok(), &record, (&declared, arguments.as_ref()), most);
        let compensation = end.compensation.clone();
        open.close(end).await;
        Ok(noted(reply?, &transaction, &step, compensation.as_ref()))
    }
}

/// Removes the names of transaction and step: a server that has transactions of its own does not know this one.
fn without_names(call: &mut ToolCall) {
    let Ok(mut params) = std::mem::take(&mut call.params).into_object() else { return };
    params.edit("_meta", |meta| {
        let removed = meta.remove(TRANSACTION_ID).is_some();
        meta.remove(STEP_ID).is_some() || removed
    });
    call.params = params.into();
}

/// Stores a step that is about to be made, and returns its name.
async fn begin(
    transactions: &Inner,
    key: &TransactionKey,
    name: Option<String>,
    call: &ToolCall,
) -> Result<String, ErrorObject> {
    let (most, owner) = (transactions.settings.steps, transactions.store.me().to_owned());
    let tool = call.target.tool.clone();
    let begin = move |of: &mut Transaction| {
        if of.state != TransactionState::Active {
            return Err(conflict(&format!("transaction {:?} is {}: it takes no steps", of.id, of.state)));
        }
        if of.is_idle(Timestamp::now()) && !of.steps.iter().any(|step| step.state == StepState::Running) {
            return Err(conflict(&format!("the time of transaction {:?} is over: it is rolled back", of.id)));
        }
        if of.steps.len() >= most {
            return Err(ErrorCode::ResourceExhausted
                .error_unsent(format!("transaction {:?} has {most} steps, which is the most", of.id)));
        }
        let name = name.unwrap_or_else(|| format!("step-{}", of.steps.len() + 1));
        if of.steps.iter().any(|step| step.id == name) {
            return Err(conflict(&format!("transaction {:?} has a step {name:?} already", of.id)));
        }
        of.active_at = Timestamp::now().as_microsecond();
        of.steps.push(Step {
            id: name,
            server_id: tool.server_id.to_string(),
            tool_name: tool.tool_name.to_string(),
            state: StepState::Running,
            owner,
            compensation: None,
            attempt: 0,
            is_uncertain: false,
            error: None,
        });
        Ok(())
    };
    let of = transactions.update(key, begin).await?;
    // Only this step can be the last one: no other began within the change.
    of.steps.last().map(|step| step.id.clone()).ok_or_else(|| ErrorObject::internal("a step was not stored"))
}

/// The end of a step.
struct StepEnd {
    state: StepState,
    compensation: Option<Compensation>,
    error: Option<String>,
}

impl StepEnd {
    /// Returns the end of a step whose call ended. A reply of `None` is a failure of the infrastructure.
    fn of(
        reply: Option<&Reply>,
        record: &CallRecord,
        declared: (&DeclaredCompensations, Option<&RawJson>),
        most: usize,
    ) -> Self {
        let failed = |state, error: String| Self { state, compensation: None, error: Some(error) };
        let message = || reply.and_then(Reply::as_error).map(ToString::to_string);
        match outcome(reply, record) {
            None => failed(StepState::Failed, message().unwrap_or_else(|| "it was not sent".to_owned())),
            Some(Outcome::Unknown) => {
                let message = message().unwrap_or_else(|| "its answer never came".to_owned());
                failed(StepState::Unknown, format!("nobody knows whether it took effect: {message}"))
            }
            Some(Outcome::Done(KeptAnswer::Result(result))) => Self::of_result(&result, declared, most),
            Some(Outcome::Done(KeptAnswer::Error(error))) => failed(StepState::Failed, error.to_string()),
            Some(Outcome::Done(KeptAnswer::Dropped { .. })) => {
                failed(StepState::Unknown, "its answer was not kept".to_owned())
            }
        }
    }

    /// Returns the end of a step with a result. One that failed is undone only if its server's answer says how.
    fn of_result(
        result: &RawResult,
        (declared, arguments): (&DeclaredCompensations, Option<&RawJson>),
        most: usize,
    ) -> Self {
        let is_error = CallToolResult::says_error(result);
        let state = if is_error { StepState::Failed } else { StepState::Ok };
        let said = answered(result);
        let fill = |template: &super::CompensationTemplate| template.fill(arguments, result, most);
        let compensation = match (&declared.configured, said, &declared.of_tool) {
            (_, said, _) if is_error => said.transpose(),
            (Some(template), ..) => fill(template).map(Some),
            (None, Some(said), _) => said.map(Some),
            (None, None, Some(template)) => fill(template).map(Some),
            (None, None, None) => Ok(None),
        };
        let fits = |compensation: &Compensation| compensation.arguments.as_bytes().len() <= most;
        let (compensation, error) = match compensation {
            Ok(Some(compensation)) if !fits(&compensation) => {
                (None, Some(format!("the arguments of the call that undoes it have more than {most} bytes")))
            }
            Ok(compensation) => (compensation, None),
            Err(error) => (None, Some(error)),
        };
        let failed = || "its tool answered with an error".to_owned();
        Self { state, compensation, error: error.or_else(|| is_error.then(failed)) }
    }
}

/// Returns the call that undoes a step, as the server's answer says it; `None` if it says none.
fn answered(result: &RawResult) -> Option<Result<Compensation, String>> {
    if !result.may_hold(COMPENSATION) {
        return None;
    }
    let meta = RawObject::from_json(result).ok()?.object("_meta")?;
    let said = meta.get(COMPENSATION).filter(|said| !said.is_null())?;
    let read = said.decode::<Compensation>();
    Some(match read {
        Ok(said) if said.arguments.is_object() => Ok(said),
        Ok(_) => Err("the server's answer has a compensation whose arguments are no object".to_owned()),
        Err(error) => Err(format!("the server's answer has a compensation that cannot be read: {error}")),
    })
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

/// A step whose call runs. If it is dropped with the future of its call, its end is stored all the same.
struct OpenStep(Option<OpenStepState>);

struct OpenStepState {
    transactions: Arc<Inner>,
    key: TransactionKey,
    step: String,
    record: CallRecord,
}

impl OpenStep {
    async fn close(mut self, end: StepEnd) {
        if let Some(open) = self.0.take() {
            open.close(end).await;
        }
    }
}

impl OpenStepState {
    async fn close(self, end: StepEnd) {
        let Self { transactions, key, step, .. } = self;
        let close = move |of: &mut Transaction| {
            of.active_at = Timestamp::now().as_microsecond();
            // A rollback that waited for too long has called it unknown; now more is known.
            let late = |there: &&mut Step| matches!(there.state, StepState::Running | StepState::Unknown);
            if let Some(there) = of.steps.iter_mut().find(|there| there.id == step).filter(late) {
                (there.state, there.compensation, there.error) = (end.state, end.compensation, end.error);
            }
            Ok(())
        };
        if let Err(error) = transactions.update(&key, close).await {
            tracing::error!(%error, transaction = key.id, "the end of a step could not be stored");
        }
    }
}

impl Drop for OpenStep {
    fn drop(&mut self) {
        let Some(open) = self.0.take() else { return };
        let end = StepEnd::of(None, &open.record, (&DeclaredCompensations::default(), None), 0);
        // Without a runtime the process ends, and the step of an ended process reads as unknown.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(open.close(end));
        }
    }
}
