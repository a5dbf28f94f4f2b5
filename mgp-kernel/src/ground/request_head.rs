//! The refusal of a request other than a tool call, which is recorded before it is answered.

use super::{trace::with_trace, trail::Trail};
use mgp_security::audit::{AuditError, EventDraft};
use mgp_transport::seam::{Incoming, Reply, Session};
use mgp_types::{
    context::{Principal, TraceId},
    rpc::{ErrorObject, Method},
};

/// The maximum length of a request's subject in the audit trail, in characters.
const MOST_OF_SUBJECT: usize = 1000;

/// Refuses a request that cannot be read, or whose method the caller may not use.
pub(crate) async fn refuse_method(trail: &Trail, message: &Incoming, error: ErrorObject) -> Reply {
    RequestHead::of(message).refuse(trail, None, error).await
}

/// The method, the caller and the trace of a request, for the event of its refusal.
#[derive(Debug)]
pub(crate) struct RequestHead {
    method: Method,
    caller: Principal,
    pub(crate) trace: Option<TraceId>,
}

impl RequestHead {
    pub(crate) fn of(message: &Incoming) -> Self {
        // The request may not have passed the layer that sets the principal in its context.
        let of_session = || message.session().and_then(Session::get::<Principal>);
        let caller = message.principal().cloned().or_else(of_session);
        Self {
            method: message.method.clone(),
            caller: caller.unwrap_or_else(|| Principal::agent("unauthenticated")),
            trace: message.trace().cloned(),
        }
    }

    /// Refuses the request. The caller cannot distinguish a `subject` that does not exist from one that it may not see. The audit
    /// trail records both.
    pub(crate) async fn refuse(&self, trail: &Trail, subject: Option<&str>, error: ErrorObject) -> Reply {
        let mut event = EventDraft::of_refused(&self.method, &self.caller).method(&self.method);
        if let Some(subject) = subject {
            event = event.detail("subject", short(subject));
        }
        if let Some(trace) = &self.trace {
            event = event.trace(trace);
        }
        let recorded = trail.sink.record(event.detail("reason", short(&error.message)).finish()).await;
        let reply =
            recorded.map_or_else(|error| not_recorded(&error), |()| Reply::error(error.with_report()));
        self.traced(reply)
    }

    /// Returns the reply with the trace of the request in its error, if it is one.
    pub(crate) fn traced(&self, reply: Reply) -> Reply {
        match &self.trace {
            Some(trace) => reply.map_error(|error| with_trace(error, trace)),
            None => reply,
        }
    }
}

/// Returns the beginning of a host's text, which may be long.
pub(crate) fn short(text: &str) -> &str {
    text.char_indices().nth(MOST_OF_SUBJECT).map_or(text, |(end, _)| &text[..end])
}

pub(crate) fn not_recorded(error: &AuditError) -> Reply {
    tracing::error!(%error, "a request could not be recorded: its answer is withheld");
    Reply::error(error.withheld())
}
