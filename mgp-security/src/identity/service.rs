//! The service that knows the caller.

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

/// Refuses tool calls on sessions that belong to nobody, and tells the inner layers who calls, whatever the method.
///
/// It puts the session's [`Principal`] into `Incoming.ext`, narrowed by the agents on whose behalf the request is made. So whatever
/// is decided by that principal is decided for all of them.
#[derive(Debug, Clone)]
pub struct Identity<S> {
    pub(super) inner: S,
    pub(super) sink: Arc<dyn AuditSink>,
}

/// Why a message is not for the inner service.
enum Refusal {
    /// A call, whose event is the audit layer's.
    Call(Reply),
    /// Another request, refused to its caller.
    Request(Principal, ErrorObject),
}

fn identify(message: &Incoming) -> Result<Option<Principal>, Refusal> {
    let principal = message.session().and_then(Session::get::<Principal>);
    let call = gate::tool_call(message);
    let Some(principal) = principal else {
        // Other methods say themselves what they ask of their caller.
        let Some(call) = call else { return Ok(None) };
        let error = ErrorCode::AuthRequired.error("the session is not authenticated");
        return Err(Refusal::Call(call.refuse_with(RefusalKind::Identity, error)));
    };
    if let Some(call) = &call {
        // Written before the delegation is read, so that the trail has the caller of a refused one.
        call.note(|record| record.principal = Some(principal.clone()));
    }
    let chain = match read_chain(&message.params) {
        Ok(chain) if chain.is_empty() => return Ok(Some(principal)),
        Ok(chain) => chain,
        // Nobody can be told, so it is heard from nobody. A call runs something, and its event says why it did not.
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

/// Records a refusal before it is answered.
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
            // What somebody outside may have put there does not count.
            Ok(None) => drop(message.ext.remove::<Principal>()),
            Ok(Some(principal)) => drop(message.ext.insert(principal)),
        }
        ResponseFuture::passing(self.inner.call(message))
    }
}
