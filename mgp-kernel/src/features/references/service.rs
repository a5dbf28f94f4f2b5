//! The layer directly inside `existence`.

use super::{References, keep::ResultKeeper, long::check_sends};
use futures_core::future::BoxFuture;
use mgp_transport::{
    long_text::{LongCall, PlacedText},
    seam::{self, Refusal, RefusalKind, Reply, ToolCall},
};
use mgp_types::{json::RawJson, rpc::ErrorObject};
use pin_project_lite::pin_project;
use std::{
    future::poll_fn,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};
use tower_layer::Layer;
use tower_service::Service;

/// The layer that inserts kept data into the arguments of a call before any gate judges them, and keeps the call's result.
///
/// It is inside `identity`, because kept data belongs to a principal. It is inside the audit, which records the insertion. It is inside the gate
/// of existence, because its refusals differ between tools.
#[derive(Debug, Clone)]
pub(crate) struct ReferenceLayer(pub(crate) Arc<References>);

/// The service of [`ReferenceLayer`].
#[derive(Debug, Clone)]
pub(crate) struct ReferenceService<S> {
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
    /// Inserts kept data into the arguments of a call, and records the origin of the data.
    ///
    /// Returns the long strings that are represented by placeholders.
    async fn compose(&self, call: &mut ToolCall) -> Result<Vec<PlacedText>, ErrorObject> {
        if call.options().refs.is_empty() {
            return Ok(Vec::new());
        }
        let refs = std::mem::take(&mut call.options_mut().refs);
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
    type Future = seam::ResponseFuture<ResponseFuture<S::Future>, S::Error>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut call: ToolCall) -> Self::Future {
        let keeper = ResultKeeper::of(&self.references, &call);
        if !call.options().keep && call.options().refs.is_empty() {
            let received = keeper.as_ref().and_then(|keeper| keeper.texts()).cloned();
            if received.is_some() {
                call.long = Some(Box::new(LongCall { received, sent: Vec::new() }));
            }
            return seam::ResponseFuture::passing(ResponseFuture::new(self.inner.call(call), keeper));
        }
        // The ready service may hold a permit, for which others should not wait while a file is read.
        let mut inner = self.inner.clone();
        drop(std::mem::replace(&mut self.inner, inner.clone()));
        let references = self.references.clone();
        seam::ResponseFuture::waiting(async move {
            let record = call.record.clone();
            let refuse = |kind, error| Ok(Refusal::new(kind, error).recorded(&record));
            if let Some(keeper) = &keeper
                && let Err(error) = keeper.check_room().await
            {
                return refuse(RefusalKind::RateLimit, error.refusal());
            }
            // A dry run has no result.
            let keeper = keeper.filter(|_| !call.dry_run);
            let sent = match references.compose(&mut call).await {
                Ok(sent) => sent,
                Err(error) => return refuse(RefusalKind::Validation, error),
            };
            let received = keeper.as_ref().and_then(|keeper| keeper.texts()).cloned();
            if received.is_some() || !sent.is_empty() {
                call.long = Some(Box::new(LongCall { received, sent }));
            }
            poll_fn(|cx| inner.poll_ready(cx)).await?;
            ResponseFuture::new(inner.call(call), keeper).await
        })
    }
}

pin_project! {
    /// The future of [`ReferenceService`]: the reply of a call, with its result kept if required.
    pub(in crate) struct ResponseFuture<F> {
        // Dropped once it has ended, because it may hold a turn at the server.
        #[pin]
        inner: Option<F>,
        // Boxed, because few calls have one.
        keeper: Option<Box<ResultKeeper>>,
        keeping: Option<BoxFuture<'static, Reply>>,
    }
}

impl<F> ResponseFuture<F> {
    fn new(inner: F, keeper: Option<Box<ResultKeeper>>) -> Self {
        Self { inner: Some(inner), keeper, keeping: None }
    }
}

impl<F: Future<Output = Result<Reply, E>>, E> Future for ResponseFuture<F> {
    type Output = Result<Reply, E>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        if let Some(inner) = this.inner.as_mut().as_pin_mut() {
            let reply = ready!(inner.poll(cx))?;
            let Some(keeper) = this.keeper.take().filter(|keeper| !keeper.leaves(&reply)) else {
                return Poll::Ready(Ok(reply));
            };
            this.inner.set(None);
            *this.keeping = Some(Box::pin(keeper.reply(reply)));
        }
        this.keeping.as_mut().map_or(Poll::Pending, |keeping| keeping.as_mut().poll(cx)).map(Ok)
    }
}
