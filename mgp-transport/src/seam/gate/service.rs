//! The service of every gate.

use super::{Decision, Judge, Refusal, ResponseFuture, layer::Judges};
use crate::seam::{Reply, ToolCall};
use futures_core::future::BoxFuture;
use mgp_types::tool_check::{CallQuestion, QuestionKind};
use std::{
    fmt,
    future::poll_fn,
    task::{Context, Poll},
};
use tower_service::Service;

/// The reason of a question that the gate did not record itself.
const WAITS: &str = "a gate of the embedding program takes time for this call, and may ask a person";

/// The service that passes on the calls that every [`Judge`] allows, and answers the others with their refusal.
#[derive(Clone)]
pub struct Gate<S> {
    pub(super) judges: Judges,
    pub(super) inner: S,
}

/// The decision of several judges on a call.
enum Judgement {
    Allowed,
    Refused(Refusal),
    /// A judge takes time. The next judge has this index.
    Waits(BoxFuture<'static, Result<(), Refusal>>, usize),
}

/// Evaluates the judges on a call, from an index on.
fn judge(judges: &Judges, from: usize, call: &ToolCall) -> Judgement {
    for (index, judge) in judges.iter().enumerate().skip(from) {
        match judge.judge(call) {
            Decision::Allow => {}
            Decision::Refuse(refusal) => return Judgement::Refused(refusal),
            Decision::Wait(_) if call.dry_run => {
                call.record.would_ask(CallQuestion::new(QuestionKind::Gate, WAITS));
            }
            Decision::Wait(decision) | Decision::Read(decision) => {
                return Judgement::Waits(decision, index + 1);
            }
        }
    }
    Judgement::Allowed
}

impl<S> Service<ToolCall> for Gate<S>
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
        let mut judgement = judge(&self.judges, 0, &call);
        match judgement {
            Judgement::Allowed => return ResponseFuture::passing(self.inner.call(call)),
            Judgement::Refused(refusal) => return ResponseFuture::answered(refusal.recorded(&call.record)),
            Judgement::Waits(..) => {}
        }
        // The ready service may hold a permit, and other calls should not wait for that permit while a human decides. So it is
        // dropped, and its clone is made ready after the decision.
        let mut inner = self.inner.clone();
        drop(std::mem::replace(&mut self.inner, inner.clone()));
        let judges = self.judges.clone();
        ResponseFuture::waiting(async move {
            loop {
                judgement = match judgement {
                    Judgement::Allowed => break,
                    Judgement::Refused(refusal) => return Ok(refusal.recorded(&call.record)),
                    Judgement::Waits(decision, next) => match decision.await {
                        Err(refusal) => Judgement::Refused(refusal),
                        Ok(()) => {
                            call.waited = true;
                            judge(&judges, next, &call)
                        }
                    },
                };
            }
            poll_fn(|cx| inner.poll_ready(cx)).await?;
            inner.call(call).await
        })
    }
}

impl<S: fmt::Debug> fmt::Debug for Gate<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gate").field("judges", &self.judges.len()).field("inner", &self.inner).finish()
    }
}
