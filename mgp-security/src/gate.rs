//! Building blocks of the gates in the pipeline: the tool call that a message holds, and the response future of a gate.

use crate::profile::ToolProfile;
use mgp_transport::seam::{CallRecord, Incoming, Record, RefusalKind, Reply};
use mgp_types::{
    context::{Principal, Target},
    rpc::ErrorObject,
};
use pin_project_lite::pin_project;
use std::{
    fmt,
    future::poll_fn,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};
use tower_service::Service;

/// A tool call, as a gate sees it.
pub(crate) struct ToolCall<'a> {
    pub(crate) target: &'a Target,
    message: &'a Incoming,
    record: Option<&'a CallRecord>,
}

/// Returns the tool call that a message holds, or `None` if the message is not a tool call. Gates let other messages pass.
pub(crate) fn tool_call(message: &Incoming) -> Option<ToolCall<'_>> {
    let target = message.ext.get::<Target>()?;
    Some(ToolCall { target, message, record: message.ext.get() })
}

impl<'a> ToolCall<'a> {
    /// Returns the caller, which the identity layer has put into the message. A message without a caller is refused.
    pub(crate) fn principal(&self) -> Result<&'a Principal, Reply> {
        self.message.ext.get().ok_or_else(|| self.misbuilt(RefusalKind::Identity, "no principal"))
    }

    /// Returns the caller's id for use in a text, or `unknown` if there is no caller.
    pub(crate) fn agent(&self) -> &'a str {
        self.message.ext.get::<Principal>().map_or("unknown", Principal::id)
    }

    /// Returns the profile of the tool. A message without a profile is refused.
    pub(crate) fn profile(&self) -> Result<&'a Arc<ToolProfile>, Reply> {
        self.message.ext.get().ok_or_else(|| self.misbuilt(RefusalKind::Validation, "no profile of the tool"))
    }

    /// Notes the refusal in the call's record, and returns the reply that refuses the call.
    pub(crate) fn refuse_with(&self, kind: RefusalKind, error: ErrorObject) -> Reply {
        self.refuse(kind, error.message.clone());
        Reply::error(error)
    }

    /// Notes a refusal in the call's record, if the call has one.
    pub(crate) fn refuse(&self, kind: RefusalKind, reason: impl Into<String>) {
        if let Some(record) = self.record {
            record.refuse(kind, reason);
        }
    }

    /// Updates the call's record, if the call has one.
    pub(crate) fn note(&self, write: impl FnOnce(&mut Record)) {
        if let Some(record) = self.record {
            record.update(write);
        }
    }

    /// Refuses a call because the pipeline lacks a layer that this gate depends on.
    fn misbuilt(&self, kind: RefusalKind, what: &str) -> Reply {
        self.refuse_with(kind, ErrorObject::internal(format!("the pipeline is incomplete: {what}")))
    }
}

pin_project! {
    /// The response future of a gate: the inner service's answer, a refusal, or an answer that waits for a decision first.
    pub struct ResponseFuture<F, E> {
        #[pin]
        state: State<F, E>,
    }
}

/// A mark in `Incoming.ext` of a call that waited at a gate. Rights may have changed during the wait, so the call is judged once more
/// just before it is sent.
#[derive(Debug, Clone, Copy)]
pub struct GateWait;

type Waiting<E> = Pin<Box<dyn Future<Output = Result<Reply, E>> + Send>>;

pin_project! {
    #[project = StateProjection]
    enum State<F, E> {
        Passing { #[pin] inner: F },
        Refused { reply: Option<Reply> },
        // Boxed, because it waits for a human or for the disk, which is rare, and slow either way.
        Waiting { inner: Waiting<E> },
    }
}

impl<F, E> ResponseFuture<F, E> {
    /// Creates a future of the inner service's answer.
    pub(crate) fn passing(inner: F) -> Self {
        Self { state: State::Passing { inner } }
    }

    /// Creates a future of a refusal.
    pub(crate) fn refused(reply: Reply) -> Self {
        Self { state: State::Refused { reply: Some(reply) } }
    }

    /// Creates a future of an answer that takes time.
    pub(crate) fn waiting(answer: impl Future<Output = Result<Reply, E>> + Send + 'static) -> Self {
        Self { state: State::Waiting { inner: Box::pin(answer) } }
    }
}

/// Waits for `asked`, then passes the message that it returns to the inner service, or answers with the refusal that it returns.
///
/// The ready service may hold a permit, and other calls should not wait for that permit while a human decides. So the ready service
/// is dropped, and its clone is made ready once `asked` has ended.
pub(crate) fn after<S>(
    ready: &mut S,
    asked: impl Future<Output = Result<Incoming, Reply>> + Send + 'static,
) -> ResponseFuture<S::Future, S::Error>
where
    S: Service<Incoming, Response = Reply, Error: Send, Future: Send> + Clone + Send + 'static,
{
    let mut inner = ready.clone();
    drop(std::mem::replace(ready, inner.clone()));
    let waiting = async move {
        let mut message = match asked.await {
            Ok(message) => message,
            Err(refusal) => return Ok(refusal),
        };
        message.ext.insert(GateWait);
        poll_fn(|cx| inner.poll_ready(cx)).await?;
        inner.call(message).await
    };
    ResponseFuture { state: State::Waiting { inner: Box::pin(waiting) } }
}

impl<F: Future<Output = Result<Reply, E>>, E> Future for ResponseFuture<F, E> {
    type Output = Result<Reply, E>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match self.project().state.project() {
            StateProjection::Passing { inner } => inner.poll(cx),
            StateProjection::Refused { reply } => Poll::Ready(Ok(reply.take().unwrap_or_else(Reply::none))),
            StateProjection::Waiting { inner } => inner.as_mut().poll(cx),
        }
    }
}

impl<F, E> fmt::Debug for ResponseFuture<F, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResponseFuture").finish_non_exhaustive()
    }
}
