//! The layer directly inside `existence`.

use super::{
    KernelOptions, LongCall, References,
    keep::{KeptCall, ResultKeeper},
    long::check_sends,
};
use mgp_transport::long_text::PlacedText;
use mgp_transport::seam::{Refusal, RefusalKind, Reply, ResponseFuture, ToolCall};
use mgp_types::{json::RawJson, rpc::ErrorObject};
use std::{
    future::poll_fn,
    sync::Arc,
    task::{Context, Poll},
};
use tower_layer::Layer;
use tower_service::Service;

/// The layer that puts kept data into the arguments of a call, before any gate judges them, and keeps its result after them.
///
/// It stands inside `identity`, because what is kept belongs to a principal, inside the audit, which records what it did, and inside the gate of
/// existence, because its refusals differ from tool to tool.
#[derive(Debug, Clone)]
pub(in crate::kernel) struct ReferenceLayer(pub(in crate::kernel) Arc<References>);

/// The service of [`ReferenceLayer`].
#[derive(Debug, Clone)]
pub(in crate::kernel) struct ReferenceService<S> {
    inner: S,
    references: Arc<References>,
}

impl<S> Layer<S> for ReferenceLayer {
    type Service = ReferenceService<S>;

    fn layer(&self, inner: S) -> ReferenceService<S> {
        ReferenceService { inner, references: self.0.clone() }
    }
}

impl References {
    /// Puts kept data into the arguments of a call, and notes in its record where the data is from.
    ///
    /// Returns the long strings that stand for themselves by their placeholders.
    async fn compose(
        &self,
        call: &mut ToolCall,
        options: &mut KernelOptions,
    ) -> Result<Vec<PlacedText>, ErrorObject> {
        let refs = std::mem::take(&mut options.refs);
        if refs.is_empty() {
            return Ok(Vec::new());
        }
        let sends_long = check_sends(call, self);
        let arguments = call.arguments().filter(|arguments| !arguments.is_null()).cloned();
        let arguments = arguments.unwrap_or_else(RawJson::empty_object);
        let composed = self.substitute(&call.principal, arguments, refs, sends_long).await?;
        let mut params = std::mem::take(&mut call.params).into_object()?;
        params.insert("arguments", composed.sent);
        call.params = params.into();
        call.shown_arguments = Some(composed.shown);
        call.record.update(|record| record.details.push(("references", composed.notes)));
        Ok(composed.texts)
    }
}

impl<S> Service<ToolCall> for ReferenceService<S>
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
        let mut options = call.ext.remove::<KernelOptions>().unwrap_or_default();
        let keeper = ResultKeeper::of(&self.references, &call, &options);
        if keeper.is_none() && options.refs.is_empty() {
            return ResponseFuture::passing(self.inner.call(call));
        }
        // The ready service may hold a permit, which others should not wait for while a file is read.
        let mut inner = self.inner.clone();
        drop(std::mem::replace(&mut self.inner, inner.clone()));
        let references = self.references.clone();
        ResponseFuture::waiting(async move {
            let record = call.record.clone();
            let refuse = |kind, error| Ok(Refusal::new(kind, error).recorded(&record));
            if let Some(Err(error)) = keeper.as_ref().map(ResultKeeper::check_room) {
                return refuse(RefusalKind::RateLimit, error.refusal());
            }
            // A dry run has no result.
            let keeper = keeper.filter(|_| !call.dry_run);
            if keeper.as_ref().is_some_and(ResultKeeper::is_asked) {
                call.ext.insert(KeptCall);
            }
            let sent = match references.compose(&mut call, &mut options).await {
                Ok(sent) => sent,
                Err(error) => return refuse(RefusalKind::Validation, error),
            };
            let received = keeper.as_ref().and_then(ResultKeeper::texts).cloned();
            if received.is_some() || !sent.is_empty() {
                call.ext.insert(LongCall { received, sent });
            }
            poll_fn(|cx| inner.poll_ready(cx)).await?;
            let reply = inner.call(call).await?;
            Ok(match keeper {
                Some(keeper) => keeper.reply(reply).await,
                None => reply,
            })
        })
    }
}
