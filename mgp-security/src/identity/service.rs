//! The service that identifies the caller.

use super::delegation::{Delegation, read_chain};
use crate::audit::{AuditSink, EventDraft};
use mgp_transport::seam::{Incoming, Refusal, RefusalKind, Reply, ResponseFuture, Session, ToolCall};
use mgp_types::{context::Principal, error::ErrorCode, json::RawJson, rpc::ErrorObject};
use std::{
    sync::Arc,
    task::{Context, Poll},
};
use tower_service::Service;

/// The detail of a call with the reason of its delegation.
const DELEGATION_REASON: &str = "delegation_reason";

/// The service that finds the caller of every request, and refuses tool calls on sessions without a principal.
///
/// The caller is the session's [`Principal`], narrowed by the agents on whose behalf the request is made. Every decision about that
/// principal is therefore a decision about all of these agents. A tool call gets its caller as a field; any other message, in
/// `Incoming.ext`.
#[derive(Debug, Clone)]
pub struct Identity<S> {
    pub(super) inner: S,
    pub(super) sink: Arc<dyn AuditSink>,
}

/// Returns the caller of a tool call. The outer audit layer records a refusal.
fn caller_of(call: &ToolCall<()>) -> Result<Principal, Refusal> {
    let Some(principal) = call.session().and_then(Session::get::<Principal>) else {
        let error = ErrorCode::AuthRequired.error("the session is not authenticated");
        return Err(Refusal::new(RefusalKind::Identity, error));
    };
    // The kernel marks a call of a tool that belongs only to the call's own session.
    let principal = match call.options().tool_session {
        Some(session) => principal.in_session(session),
        None => principal,
    };
    match read_chain(&call.params) {
        Ok(Delegation { chain, .. }) if chain.is_empty() => Ok(principal),
        Ok(Delegation { chain, reason }) => {
            if let Some(reason) = reason {
                let reason = RawJson::string(&reason);
                call.record.update(|record| record.details.push((DELEGATION_REASON, reason)));
            }
            Ok(principal.on_behalf_of(chain))
        }
        Err(error) => {
            // The trail names the caller even if the delegation is refused.
            call.record.update(|record| record.principal = Some(principal));
            Err(Refusal::new(RefusalKind::Identity, error))
        }
    }
}

impl<S: Service<ToolCall, Response = Reply>> Service<ToolCall<()>> for Identity<S> {
    type Response = Reply;
    type Error = S::Error;
    type Future = ResponseFuture<S::Future, S::Error>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, call: ToolCall<()>) -> Self::Future {
        match caller_of(&call) {
            Ok(principal) => ResponseFuture::passing(self.inner.call(call.identified(principal))),
            Err(refusal) => ResponseFuture::answered(refusal.recorded(&call.record)),
        }
    }
}

/// Returns the caller of another message; `None` if its session has none, because other methods decide themselves what they require
/// of their caller.
///
/// # Errors
/// The caller, and the error of the request's delegation.
fn sender_of(message: &Incoming) -> Result<Option<Principal>, (Principal, ErrorObject)> {
    let Some(principal) = message.session().and_then(Session::get::<Principal>) else { return Ok(None) };
    match read_chain(&message.params) {
        Ok(Delegation { chain, .. }) if chain.is_empty() => Ok(Some(principal)),
        Ok(Delegation { chain, .. }) => Ok(Some(principal.on_behalf_of(chain))),
        // A notification cannot be refused, so it is passed on without a caller.
        Err(_) if message.is_notification() => Ok(None),
        Err(error) => Err((principal, error)),
    }
}

/// Records a refusal, then answers with it.
async fn refuse<E>(sink: Arc<dyn AuditSink>, event: EventDraft, error: ErrorObject) -> Result<Reply, E> {
    let event = event.detail("reason", &error.message);
    Ok(match sink.record(event.finish()).await {
        Ok(()) => Reply::error(error),
        Err(failed) => Reply::error(ErrorObject::internal(failed.to_string())),
    })
}

impl<S: Service<Incoming, Response = Reply, Error: 'static>> Service<Incoming> for Identity<S> {
    type Response = Reply;
    type Error = S::Error;
    type Future = ResponseFuture<S::Future, S::Error>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut message: Incoming) -> Self::Future {
        match sender_of(&message) {
            Ok(Some(principal)) => drop(message.ext.insert(principal)),
            // A principal that an outer layer may have put there is replaced.
            Ok(None) => drop(message.ext.remove::<Principal>()),
            Err((caller, error)) => {
                let mut event = EventDraft::of_refused(&message.method, &caller).method(&message.method);
                if let Some(trace) = message.trace() {
                    event = event.trace(trace);
                }
                return ResponseFuture::waiting(refuse(self.sink.clone(), event, error));
            }
        }
        ResponseFuture::passing(self.inner.call(message))
    }
}
