//! What a request is told that never reached a session.

use super::denial::DenialReason;
use crate::http::header::JSON;
use axum::response::{IntoResponse, Response};
use http::{
    HeaderMap, HeaderValue, StatusCode,
    header::{CONTENT_TYPE, WWW_AUTHENTICATE},
};
use mgp_types::rpc::{ErrorObject, FrameError, RequestId, write_response};

/// An HTTP status with a JSON-RPC error as its body.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) status: StatusCode,
    pub(super) error: ErrorObject,
    pub(super) id: Option<RequestId>,
    /// Headers beside those that every refusal has.
    pub(super) headers: Option<Box<HeaderMap>>,
    /// Why it was turned away at the door, where it was.
    pub(super) denial: Option<DenialReason>,
}

impl Refusal {
    /// What was wrong with the request, in words.
    pub(super) fn new(status: StatusCode, message: impl Into<String>) -> Self {
        Self::with(status, ErrorObject::invalid_request(message))
    }

    pub(super) fn with(status: StatusCode, error: ErrorObject) -> Self {
        Self { status, error, id: None, headers: None, denial: None }
    }

    /// Names the request that is refused.
    pub(super) fn of(mut self, id: Option<&RequestId>) -> Self {
        self.id = id.cloned();
        self
    }

    /// Marks the request as turned away at the door.
    pub(super) fn because(mut self, reason: DenialReason) -> Self {
        self.denial = Some(reason);
        self
    }

    /// Says that there is no such session, whether it never was, has ended, or is another caller's.
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
        write_response(&mut body, self.id.as_ref(), &Err(self.error));
        let mut response = (self.status, body).into_response();
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(JSON));
        if let Some(reason) = self.denial {
            // For the gate, which hears of every answer.
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
