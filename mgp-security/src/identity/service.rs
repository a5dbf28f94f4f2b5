//! The service that identifies the caller.

use super::delegation::read_chain;
use crate::{
    audit::{AuditSink, EventDraft},
    gate::{self, ResponseFuture},
};
use mgp_transport::seam::{Incoming, RefusalKind, Reply, Session};
use mgp_types::{
    audit::{AuditEventType, AuditResult},
    context::{Principal, TraceId},
    error::ErrorCode,
    rpc::ErrorObject,
};
use std::{
    sync::Arc,
    task::{Context, Poll},
};
use tower_service::Service;

/// Refuses tool calls on sessions without a principal, and tells the inner layers the caller, whatever the method.
///
/// The service puts the session's [`Principal`] into `Incoming.ext`, narrowed by the agents on whose behalf the request is made. Every
/// decision about that principal is therefore a decision about all of these agents.
#[derive(Debug, Clone)]
pub struct Identity<S> {
    pub(super) inner: S,
    pub(super) sink: Arc<dyn AuditSink>,
}

/// The refusal of a message.
enum Refusal {
    /// The refusal of a tool call, whose event is recorded by the audit layer.
    Call(Reply),
    /// The refusal of another request, with its caller.
    Request(Principal, ErrorObject),
}

fn identify(message: &Incoming) -> Result<Option<Principal>, Refusal> {
    let principal = message.session().and_then(Session::get::<Principal>);
    let call = gate::tool_call(message);
    let Some(principal) = principal else {
        // Other methods decide themselves what they require of their caller.
        let Some(call) = call else { return Ok(None) };
        let error = ErrorCode::AuthRequired.error("the session is not authenticated");
        return Err(Refusal::Call(call.refuse_with(RefusalKind::Identity, error)));
    };
    if let Some(call) = &call {
        // Written before the delegation is read, so that the trail has the caller even if the delegation is refused.
        call.note(|record| record.principal = Some(principal.clone()));
    }
    let chain = match read_chain(&message.params) {
        Ok(chain) if chain.is_empty() => return Ok(Some(principal)),
        Ok(chain) => chain,
        // A notification cannot be refused, so it goes on without a caller. A call is refused all the same, and its event says why.
        Err(_) if message.is_notification() && call.is_none() => return Ok(None),
        Err(error) => {
            return Err(match call {
                Some(call) => Refusal::Call(call.refuse_with(RefusalKind::Identity, error)),
                None => Refusal::Request(principal, error),
            });
        }
    };
    let principal = principal.on_behalf_of(chain);
    if let Some(call) = &call {
        call.note(|record| record.principal = Some(principal.clone()));
    }
    Ok(Some(principal))
}

/// Records a refusal, then answers with it.
async fn refuse<E>(sink: Arc<dyn AuditSink>, event: EventDraft, error: ErrorObject) -> Result<Reply, E> {
    let event = event.detail("reason", &error.message).result(AuditResult::Blocked);
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
        match identify(&message) {
            Err(Refusal::Call(refusal)) => return ResponseFuture::refused(refusal),
            Err(Refusal::Request(caller, error)) => {
                let mut event =
                    EventDraft::new(AuditEventType::ToolBlocked, &caller).detail("method", &*message.method);
                if let Some(trace) = message.ext.get::<TraceId>() {
                    event = event.trace(trace);
                }
                return ResponseFuture::waiting(refuse(self.sink.clone(), event, error));
            }
            // A principal that an outer layer may have put there does not count.
            Ok(None) => drop(message.ext.remove::<Principal>()),
            Ok(Some(principal)) => drop(message.ext.insert(principal)),
        }
        ResponseFuture::passing(self.inner.call(message))
    }
}
