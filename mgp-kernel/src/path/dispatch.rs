//! The innermost service of the pipeline: runs the tool that a call was resolved to.

use super::resend::Resend;
use crate::{
    catalog::{
        tool_index,
        tools::{ToolEntry, Tools},
    },
    features::{
        instances::Instances,
        session_states::{SessionCall, SessionStates},
        tasks::Plan,
    },
    upstream::DispatchStack,
};
use futures_core::future::BoxFuture;
use futures_util::{
    future::{Either, Ready, ready},
    ready,
};
use mgp_security::permission::ConfirmationGate;
use mgp_transport::seam::{BoxError, CallRecord, Incoming, Refusal, RefusalKind, Reply, ToolCall};
use mgp_types::{json::RawJson, rpc::ErrorObject};
use pin_project_lite::pin_project;
use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};
use tower_service::Service;

/// The innermost service. A tool is reached only through the entry that `resolve` found, so every gate has judged that very tool. A dry run
/// ends here, and its tool is not called. A call whose server requires a confirmation waits here, outside the server's limits, and is sent
/// once more.
#[derive(Debug, Clone)]
pub(crate) struct Dispatch {
    pub(super) tools: Arc<Tools>,
    pub(super) instances: Instances,
    /// The session states that servers assigned to hosts.
    pub(super) session_states: SessionStates,
    /// The gate for confirmations that servers require.
    pub(super) confirmation: ConfirmationGate,
}

pin_project! {
    /// The future of a call at its server, which may give the call's session a new state.
    pub(in crate) struct DispatchFuture {
        #[pin]
        inner: <DispatchStack as Service<Incoming>>::Future,
        call: SessionCall,
        // Only for calls that may be sent once more.
        again: Option<Box<Resend>>,
        // While somebody is asked for the confirmation that the server requires.
        asking: Option<BoxFuture<'static, Result<Incoming, Reply>>>,
    }
}

/// Checks that headers which repeat arguments agree with the arguments. This check comes after every gate, so that its errors
/// reveal no tool to callers who may not use the tool.
#[cfg(feature = "http")]
fn headers_agree(entry: &ToolEntry, message: &Incoming) -> Result<(), ErrorObject> {
    if entry.in_headers.is_empty() {
        return Ok(());
    }
    entry.in_headers.check(message, message.params.object()?.get("arguments"))
}

#[cfg(not(feature = "http"))]
#[expect(clippy::unnecessary_wraps, reason = "over HTTP it can fail")]
fn headers_agree(_: &ToolEntry, _: &Incoming) -> Result<(), ErrorObject> {
    Ok(())
}

/// Judges a dry run by the reasons for which its server would not run the tool: the arguments, the server's state, the token of its session, and
/// whether its host accepts the task that the call becomes. A sleeping server is not started, because a real call would start it. A server that
/// is starting with a kept listing is not waited for.
fn judge_dry(entry: &ToolEntry, message: &Incoming, record: &CallRecord) -> Result<(), Reply> {
    let arguments = message.params.object().ok().and_then(|params| params.get("arguments"));
    if ToolCall::of(message).is_none_or(|call| call.options().judges_arguments(arguments)) {
        let checked = entry.check_arguments(arguments);
        // Arguments that cannot be checked are sent to the server, unless the call or the configuration requires the
        // check.
        checked.map_err(|error| Refusal::new(RefusalKind::Validation, error).recorded(record))?;
    }
    if !entry.server.is_on_demand() && !entry.server.connection.is_recalled() {
        let checked = entry.server.path.gate.check();
        checked
            .map_err(|refusal| Refusal::new(RefusalKind::Lifecycle, refusal.to_error()).recorded(record))?;
    }
    SessionCall::check(message).map_err(Reply::error)?;
    let Some(link) = entry.server.link() else { return Ok(()) };
    let mut params = message.params.clone().into_object().map_err(Reply::error)?;
    Plan::of(&entry.server, &link, message, &mut params).map(drop).map_err(Reply::error)
}

impl Service<ToolCall> for Dispatch {
    type Response = Reply;
    type Error = BoxError;
    // Boxed, because every layer outside moves this future.
    type Future = Either<Pin<Box<DispatchFuture>>, Ready<Result<Reply, BoxError>>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut call: ToolCall) -> Self::Future {
        let Some(entry) = ToolEntry::take(&mut call) else {
            let error = ErrorObject::internal("internal error: the call was not resolved");
            return Either::Right(ready(Ok(Reply::error(error))));
        };
        let (dry_run, record) = (call.dry_run, call.record.clone());
        let mut message = call.into_message();
        if let Err(error) = headers_agree(&entry, &message) {
            return Either::Right(ready(Ok(Reply::error(error))));
        }
        if dry_run {
            let judged = judge_dry(&entry, &message, &record);
            let reply = judged.map_or_else(|refused| refused, |()| Reply::ok(RawJson::empty_object()));
            return Either::Right(ready(Ok(reply)));
        }
        let server = match self.instances.of(&entry.server, &message) {
            Ok(server) => server,
            Err(error) => {
                let refused = Refusal::new(RefusalKind::Lifecycle, error).recorded(&record);
                return Either::Right(ready(Ok(refused)));
            }
        };
        tool_index::used(&self.tools, &message, &entry.id);
        // An MGP server has no form of its own for requesting a confirmation.
        let is_plain = server.speaks_mgp() != Some(true);
        let params = (is_plain || !self.session_states.is_empty()).then(|| message.params.clone());
        match SessionCall::begin((&self.session_states, &self.tools), &mut message, server) {
            Ok(call) => {
                let again = params.map(|params| {
                    let Incoming { id, method, ext, .. } = &message;
                    let message =
                        Incoming { id: id.clone(), method: method.clone(), params, ext: ext.clone() };
                    let gate = self.confirmation.clone();
                    Box::new(Resend { message, record, gate, is_granted: false, renewals: 0 })
                });
                let inner = call.server().dispatch(message);
                Either::Left(Box::pin(DispatchFuture { inner, call, again, asking: None }))
            }
            Err(error) => Either::Right(ready(Ok(Reply::error(error)))),
        }
    }
}

impl Future for DispatchFuture {
    type Output = Result<Reply, BoxError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        loop {
            if let Some(asking) = this.asking.as_mut() {
                let confirmed = match ready!(asking.as_mut().poll(cx)) {
                    Ok(confirmed) => confirmed,
                    Err(refused) => return Poll::Ready(Ok(refused)),
                };
                *this.asking = None;
                let message = match this.again.as_mut() {
                    Some(again) => again.confirmed(confirmed, this.call),
                    None => Ok(confirmed),
                };
                match message {
                    Ok(message) => this.inner.set(this.call.server().dispatch(message)),
                    Err(error) => return Poll::Ready(Ok(Reply::error(error))),
                }
            }
            let reply = ready!(this.inner.as_mut().poll(cx))?;
            if let Some(again) = this.again.as_mut() {
                if !again.has_begun() && this.call.was_refused_for_its_token(&reply) {
                    match again.renewed(this.call) {
                        Ok(message) => this.inner.set(this.call.server().dispatch(message)),
                        Err(error) => return Poll::Ready(Ok(Reply::error(error))),
                    }
                    continue;
                }
                if let Some(wanted) = again.wanted() {
                    // The session has the token of this answer, whatever the person decides.
                    drop(this.call.end(reply));
                    *this.asking = Some(again.confirm(wanted));
                    continue;
                }
            }
            return Poll::Ready(Ok(this.call.end(reply)));
        }
    }
}
