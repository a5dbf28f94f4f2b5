//! The connection's edge: the only place that turns the result of a service into the answer to send.

use super::{Body, ConnectionError, ConnectionState, Outgoing, Route, SendError};
use crate::seam::{BoxError, CallError, CancelCause, CancelToken, Reply};
use mgp_types::{
    error::ErrorCode,
    negotiation::Negotiation,
    rpc::{ErrorObject, RawResult, RequestId},
};
use std::any::Any;

/// Turns an error of the infrastructure into the error that the caller receives.
///
/// Time limits and overload, including tower's own, have their own codes (§14). A lost peer is 5002. Anything else is an internal
/// error whose text stays in the log. The error of a call that may have been sent states that its outcome is unknown.
#[must_use]
pub fn error_at_edge(error: &BoxError) -> ErrorObject {
    if error.is::<tower::timeout::error::Elapsed>() {
        return ErrorCode::Timeout.error_outcome_unknown("the time limit of the call passed");
    }
    if error.is::<tower::load_shed::error::Overloaded>() {
        return ErrorCode::ResourceExhausted.error("too many calls are under way");
    }
    if let Some(error) = error.downcast_ref::<CallError>() {
        let code = match error {
            CallError::Peer(error) => return error.clone(),
            CallError::Unreadable(_) | CallError::Result { .. } => ErrorCode::UpstreamError,
            CallError::Timeout { .. } => ErrorCode::UpstreamTimeout,
            CallError::TooManyCalls { .. } | CallError::SlowCaller { .. } => ErrorCode::ResourceExhausted,
            _ => ErrorCode::UpstreamUnavailable,
        };
        return match error {
            error if error.is_outcome_unknown() => code.error_outcome_unknown(error.to_string()),
            CallError::Connection(_) => code.error_unsent(error.to_string()),
            error => code.error(error.to_string()),
        };
    }
    if error.is::<ConnectionError>() {
        return ErrorCode::UpstreamUnavailable.error_outcome_unknown(error.to_string());
    }
    tracing::error!(%error, "a request failed");
    ErrorObject::internal("internal error")
}

/// Returns the error that the caller receives if the call failed: the reply's, or the infrastructure's.
#[must_use]
pub fn error_of(reply: &Result<Reply, BoxError>) -> Option<ErrorObject> {
    match reply {
        Ok(reply) => reply.as_error().cloned(),
        Err(error) => Some(error_at_edge(error)),
    }
}

/// Returns the answer for a handler that panicked, and logs the panic.
pub(crate) fn panicked(panic: &(dyn Any + Send), method: &str) -> Reply {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message");
    tracing::error!(method, panic = text, "a handler panicked");
    Reply::error(ErrorObject::internal("internal error: the handler panicked"))
}

/// Answers a request exactly once. A request whose caller cancelled it or is gone gets no answer.
pub(crate) async fn answer(
    shared: &ConnectionState,
    id: &RequestId,
    route: &Route,
    cancel: &CancelToken,
    result: Result<Reply, BoxError>,
) {
    match prepare(shared, id, cancel, result) {
        Some(outcome) => {
            let body = Body::Response { id: Some(id), outcome: &outcome };
            let message = Outgoing { route, body, urgent: false };
            while shared.outbound.try_send(&message) == Err(SendError::Full) {
                shared.outbound.room(&message).await;
            }
        }
        // Nothing is written, so no buffer can be full.
        None => {
            let silence = Outgoing { route, body: Body::Silence { id }, urgent: true };
            let _ = shared.outbound.try_send(&silence);
        }
    }
    shared.running.remove(id);
}

/// Returns the outcome to send for the result of a service; `None` if the caller gets no answer.
fn prepare(
    shared: &ConnectionState,
    id: &RequestId,
    cancel: &CancelToken,
    result: Result<Reply, BoxError>,
) -> Option<Result<RawResult, ErrorObject>> {
    if let Some(CancelCause::Notification | CancelCause::Disconnected) = cancel.cause() {
        return None;
    }
    let exact = result.as_ref().is_ok_and(Reply::is_exact);
    let outcome = match result {
        Ok(reply) => reply.into_outcome().unwrap_or_else(|| {
            tracing::error!(%id, "a request was answered with Reply::none");
            Err(ErrorObject::internal("internal error: the request got no answer"))
        }),
        Err(error) => Err(error_at_edge(&error)),
    };
    Some(outcome.map_err(|error| {
        // MGP's codes are sent only to peers that negotiated MGP; others get the nearest code of MCP.
        if exact || shared.session.has::<Negotiation>() { error } else { error.to_plain_mcp() }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_types::error::Recovery;
    use std::{sync::Arc, time::Duration};

    #[test]
    fn each_infrastructure_error_has_its_code() {
        let code = |error: BoxError| error_at_edge(&error).code;
        let own = ErrorObject::new(-32050, "the peer's own");
        assert_eq!(error_at_edge(&CallError::Peer(own.clone()).into()), own);
        for (error, expected) in [
            (CallError::TooManyCalls { limit: 1 }.into(), ErrorCode::ResourceExhausted),
            (CallError::SlowCaller { limit: 1 }.into(), ErrorCode::ResourceExhausted),
            (CallError::Unreadable(String::new()).into(), ErrorCode::UpstreamError),
            (CallError::Timeout { method: "x", timeout: Duration::ZERO }.into(), ErrorCode::UpstreamTimeout),
            (CallError::Connection(ConnectionError::Closed).into(), ErrorCode::UpstreamUnavailable),
            (CallError::Lost(ConnectionError::Closed).into(), ErrorCode::UpstreamUnavailable),
            (ConnectionError::WriteTimeout(Duration::ZERO).into(), ErrorCode::UpstreamUnavailable),
            (tower::timeout::error::Elapsed::new().into(), ErrorCode::Timeout),
            (tower::load_shed::error::Overloaded::new().into(), ErrorCode::ResourceExhausted),
        ] {
            assert_eq!(code(error), i64::from(expected));
        }
    }

    #[test]
    fn only_a_call_that_was_certainly_not_sent_may_be_repeated() {
        let closed = || ConnectionError::Closed;
        for (error, retryable, unknown) in [
            (CallError::TooManyCalls { limit: 1 }.into(), true, false),
            (CallError::Connection(closed()).into(), true, false),
            (tower::load_shed::error::Overloaded::new().into(), true, false),
            (CallError::NotControl.into(), false, false),
            (CallError::Lost(closed()).into(), false, true),
            (CallError::SlowCaller { limit: 1 }.into(), false, true),
            (CallError::Unreadable(String::new()).into(), false, true),
            (tower::timeout::error::Elapsed::new().into(), false, true),
            (closed().into(), false, true),
        ] {
            let error: BoxError = error;
            let advice = Recovery::from_error(&error_at_edge(&error)).unwrap();
            assert_eq!((advice.retryable, advice.is_outcome_unknown()), (retryable, unknown), "{error}");
        }
    }

    #[test]
    fn details_of_an_unknown_error_stay_in_the_log() {
        let secret: BoxError = "the password is 1234".into();
        let error = error_at_edge(&secret);
        assert_eq!((error.code, error.message.as_str()), (-32603, "internal error"));
        let read: BoxError = ConnectionError::Read(Arc::new(std::io::ErrorKind::Other.into())).into();
        assert_eq!(error_at_edge(&read).code, i64::from(ErrorCode::UpstreamUnavailable));
    }
}
