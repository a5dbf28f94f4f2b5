//! The service that makes calls steps of transactions, and stores that calls which undo steps are sent.

use super::{CompensationMark, TransactionLayer, sending::send, step::StepCall};
use mgp_transport::seam::{Refusal, RefusalKind, Reply, ResponseFuture, ToolCall};
use mgp_types::{
    json::RawObject,
    rpc::ErrorObject,
    transaction::{STEP_ID, TRANSACTION_ID},
};
use std::task::{Context, Poll};
use tower_service::Service;

/// The service that makes calls steps of transactions. See [`TransactionLayer`].
#[derive(Debug, Clone)]
pub struct Steps<S> {
    pub(super) inner: S,
    pub(super) layer: TransactionLayer,
}

/// Returns the transaction and the step that a call names, or `None` for a call that is not a step.
fn names(call: &ToolCall) -> Result<Option<(String, Option<String>)>, ErrorObject> {
    // Unreadable params name no transaction; the service that sends the call refuses them.
    let Ok(params) = call.params.object() else { return Ok(None) };
    let meta = params.get("_meta").filter(|meta| meta.is_object() && meta.may_hold(TRANSACTION_ID));
    let Some(meta) = meta.map(RawObject::from_json) else { return Ok(None) };
    let meta = meta.map_err(|error| ErrorObject::invalid_params(format!("invalid _meta: {error}")))?;
    let name = |field: &str| {
        let text = |value: &mgp_types::json::RawJson| {
            let wrong = || {
                let kind = value.kind();
                ErrorObject::invalid_params(format!("invalid _meta.{field}: expected a string, found {kind}"))
            };
            let name = value.to_text().ok_or_else(wrong)?;
            super::errors::checked_name(&format!("_meta.{field}"), &name)?;
            Ok::<_, ErrorObject>(name)
        };
        meta.get(field).map(text).transpose()
    };
    let Some(transaction) = name(TRANSACTION_ID)? else { return Ok(None) };
    Ok(Some((transaction, name(STEP_ID)?)))
}

impl<S> Service<ToolCall> for Steps<S>
where
    S: Service<ToolCall, Response = Reply, Error: Send, Future: Send> + Clone + Send + 'static,
{
    type Response = Reply;
    type Error = S::Error;
    type Future = ResponseFuture<S::Future, S::Error>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, call: ToolCall) -> Self::Future {
        if let Some(mark) = CompensationMark::of_call(&call).filter(|_| !call.dry_run).cloned() {
            let inner = self.inner.clone();
            let inner = std::mem::replace(&mut self.inner, inner);
            return ResponseFuture::waiting(send(self.layer.transactions.0.clone(), mark, call, inner));
        }
        let (transaction, step) = match names(&call) {
            Ok(None) => return ResponseFuture::passing(self.inner.call(call)),
            // A dry run is not a call, so it is not a step.
            Ok(Some(names)) if call.dry_run => {
                let inner = self.inner.clone();
                let inner = std::mem::replace(&mut self.inner, inner);
                return ResponseFuture::waiting(super::dry_run::foresee_step(
                    self.layer.transactions.clone(),
                    names,
                    call,
                    inner,
                ));
            }
            Ok(Some(names)) => names,
            Err(error) => {
                let refusal = Refusal::new(RefusalKind::Transaction, error);
                return ResponseFuture::answered(refusal.recorded(&call.record));
            }
        };
        let inner = self.inner.clone();
        drop(std::mem::replace(&mut self.inner, inner.clone()));
        let TransactionLayer { transactions, templates } = self.layer.clone();
        let step = StepCall { transactions: transactions.0, templates, transaction, step, call };
        ResponseFuture::waiting(step.run(inner))
    }
}
