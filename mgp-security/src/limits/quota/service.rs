//! The service that spends the units of calls.

use super::{Quotas, quotas::CallCost};
use mgp_transport::seam::{CallRecord, Reply, ResponseFuture, ToolCall};
use std::{
    future::poll_fn,
    task::{Context, Poll},
};
use tower_service::Service;

/// The service that spends a call's units. See [`QuotaSpendingLayer`](super::QuotaSpendingLayer).
#[derive(Debug, Clone)]
pub struct QuotaSpending<S> {
    pub(super) inner: S,
    pub(super) quotas: Quotas,
    pub(super) spare: fn(&ToolCall) -> bool,
}

impl<S> Service<ToolCall> for QuotaSpending<S>
where
    S: Service<ToolCall, Response = Reply, Error: Send, Future: Send> + Clone + Send + 'static,
{
    type Response = Reply;
    type Error = S::Error;
    type Future = ResponseFuture<S::Future, S::Error>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut call: ToolCall) -> Self::Future {
        // [`QuotaCheck`](super::QuotaCheck) has already judged a dry run, which spends nothing.
        let cost = if call.dry_run { None } else { self.quotas.spending(&call) };
        let Some((quotas, cost)) = cost.map(|cost| (self.quotas.clone(), cost)) else {
            return ResponseFuture::passing(self.inner.call(call));
        };
        // The ready service may hold a permit, and a call that waits for the disk should hold none.
        let mut inner = self.inner.clone();
        drop(std::mem::replace(&mut self.inner, inner.clone()));
        let is_spared = (self.spare)(&call);
        ResponseFuture::waiting(async move {
            let spent = match quotas.spend(&cost).await {
                Ok(()) => Some(SpentUnits(Some((quotas, cost, call.record.clone())))),
                Err(_) if is_spared => None,
                Err(refusal) => return Ok(refusal.recorded(&call.record)),
            };
            call.waited = true;
            let reply = match poll_fn(|cx| inner.poll_ready(cx)).await {
                Ok(()) => inner.call(call).await,
                Err(error) => Err(error),
            };
            if let Some(spent) = spent {
                spent.settle().await;
            }
            reply
        })
    }
}

/// The units that a call has spent. At its end, they are given back if it reached no server, even if its future is dropped.
struct SpentUnits(Option<(Quotas, CallCost, CallRecord)>);

impl SpentUnits {
    async fn settle(mut self) {
        if let Some((quotas, cost)) = self.unused() {
            quotas.give_back(cost).await;
        }
    }

    /// Takes the units; `None` if they were used.
    fn unused(&mut self) -> Option<(Quotas, CallCost)> {
        let (quotas, cost, record) = self.0.take()?;
        record.update(|record| record.has_reached_nothing()).then_some((quotas, cost))
    }
}

impl Drop for SpentUnits {
    fn drop(&mut self) {
        let Some((quotas, cost)) = self.unused() else { return };
        // Without a runtime the process ends, and the units stay spent.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move { quotas.give_back(cost).await });
        }
    }
}
