//! The answer to a request that is refused before it reaches a session.

use super::DenialReason;
use crate::http::header::JSON;
use axum::response::{IntoResponse, Response};
use http::{
    HeaderMap, HeaderValue, StatusCode,
    header::{CONTENT_TYPE, HeaderName, RETRY_AFTER, WWW_AUTHENTICATE},
};
use mgp_types::{
    error::{ErrorCode, Recovery},
    rpc::{ErrorObject, FrameError, RequestId, write_response},
};
use std::time::Duration;

/// The time after which a request that found no room may be retried.
const RETRY_AFTER_REFUSAL: Duration = Duration::from_secs(1);

/// An HTTP status with a JSON-RPC error as its body.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) status: StatusCode,
    pub(super) error: ErrorObject,
    pub(super) id: Option<RequestId>,
    /// Headers in addition to those of every refusal.
    pub(super) headers: Option<Box<HeaderMap>>,
    /// The reason why the gate denied the request, if it did.
    pub(super) denial: Option<DenialReason>,
    /// True if the client supports MGP. Other clients are answered in plain MCP.
    pub(super) has_mgp: bool,
}

impl Refusal {
    /// Creates a refusal with a message that describes the fault of the request.
    pub(super) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self::with(status, ErrorObject::invalid_request(message))
    }

    /// Creates a refusal with status 400.
    pub(super) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message)
    }

    pub(super) fn with(status: StatusCode, error: ErrorObject) -> Self {
        Self { status, error, id: None, headers: None, denial: None, has_mgp: false }
    }

    /// Creates the refusal for lack of room. Nothing of the request ran, and it may be retried soon.
    pub(super) fn no_room(status: StatusCode, message: impl Into<String>) -> Self {
        Self::for_now(status, ErrorCode::ResourceExhausted, message)
    }

    /// Creates the refusal of a server that is shutting down.
    pub(super) fn draining() -> Self {
        Self::for_now(StatusCode::SERVICE_UNAVAILABLE, ErrorCode::ServerDraining, "the server shuts down")
    }

    /// Creates the refusal of a request for a session that no replica can serve now. Nothing of the request ran.
    pub(super) fn unavailable(message: impl Into<String>) -> Self {
        Self::for_now(StatusCode::SERVICE_UNAVAILABLE, ErrorCode::ServerNotReady, message)
    }

    /// Creates the refusal of a request that may be retried in a moment.
    fn for_now(status: StatusCode, code: ErrorCode, message: impl Into<String>) -> Self {
        let advice =
            Recovery::unsent(code).after_ms(RETRY_AFTER_REFUSAL.as_millis().try_into().unwrap_or(u64::MAX));
        Self::with(status, code.error_with(message, advice))
            .header(RETRY_AFTER, HeaderValue::from(RETRY_AFTER_REFUSAL.as_secs()))
    }

    /// Adds a header.
    pub(super) fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.get_or_insert_default().insert(name, value);
        self
    }

    /// Selects MGP's error codes if the client supports MGP.
    pub(super) fn in_mgp(mut self, has_mgp: bool) -> Self {
        self.has_mgp = has_mgp;
        self
    }

    /// Names the request that is refused.
    pub(super) fn of(mut self, id: Option<&RequestId>) -> Self {
        self.id = id.cloned();
        self
    }

    /// Sets the reason of a denial, for the observer of denials.
    pub(super) fn because(mut self, reason: DenialReason) -> Self {
        self.denial = Some(reason);
        self
    }

    /// Creates the refusal for an unknown session, whether it never existed, has ended, or is another caller's.
    pub(super) fn no_session() -> Self {
        Self::new(StatusCode::NOT_FOUND, "unknown or expired session: start a new one with initialize")
    }
}

impl From<FrameError> for Refusal {
    fn from(error: FrameError) -> Self {
        Self { id: error.id, ..Self::with(StatusCode::BAD_REQUEST, error.error) }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        tracing::debug!(status = self.status.as_u16(), error = %self.error, "refused");
        let mut body = Vec::new();
        let error = if self.has_mgp { self.error } else { self.error.to_plain_mcp() };
        write_response(&mut body, self.id.as_ref(), &Err(error));
        let mut response = (self.status, json(body)).into_response();
        if let Some(reason) = self.denial {
            // For the gate, which processes every response.
            response.extensions_mut().insert(reason);
        }
        if let Some(headers) = self.headers {
            response.headers_mut().extend(*headers);
        } else if self.status == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

/// Returns a response whose body is JSON.
pub(super) fn json(text: impl IntoResponse) -> Response {
    ([(CONTENT_TYPE, HeaderValue::from_static(JSON))], text).into_response()
}
