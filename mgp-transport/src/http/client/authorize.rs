//! The hook that authorizes an HTTP client.

use super::Challenge;
use crate::seam::BoxError;
use async_trait::async_trait;
use http::{HeaderMap, Method};
use mgp_types::{error::ErrorCode, rpc::ErrorObject};
use std::{fmt, sync::Arc};
use url::Url;

/// A source of the headers that authorize requests. It obtains new rights if a server demands them.
///
/// Many requests call it at the same time. A wait for a server or a person must have a time limit.
#[async_trait]
pub trait Authorize: fmt::Debug + Send + Sync {
    /// Returns the `Authorization` of a request to `endpoint`, and further headers that belong to it; an empty map sends the request
    /// without any. A credential must only be sent to the endpoint that it was issued for. Each attempt gets headers of its own,
    /// because a proof of possession (RFC 9449) is valid for one request.
    ///
    /// # Errors
    /// Returns an [`AuthorizeError`] if the message must not be sent.
    async fn headers(&self, method: &Method, endpoint: &Url) -> Result<HeaderMap, AuthorizeError>;

    /// Reads the headers of a response of `endpoint`, whatever its status. The default implementation ignores them.
    fn responded(&self, endpoint: &Url, headers: &HeaderMap) {
        let _ = (endpoint, headers);
    }

    /// Handles a request that was refused with 401, or with 403 for lack of scope. Returns whether to send the message again.
    /// Requests that are refused at the same time should cause only one authorization.
    ///
    /// # Errors
    /// Returns an [`AuthorizeError`], which fails the call of the message.
    async fn challenged(&self, challenge: Challenge) -> Result<bool, AuthorizeError>;
}

/// The reason why a request could not be authorized.
#[derive(Debug, Clone, thiserror::Error)]
#[error("failed to authorize: {0}")]
pub struct AuthorizeError(#[source] Arc<dyn std::error::Error + Send + Sync>);

impl AuthorizeError {
    /// Creates an error with a cause. The caller sees the text of the cause, which must hold no secret.
    pub fn new(cause: impl Into<BoxError>) -> Self {
        Self(Arc::from(cause.into()))
    }

    /// Returns the error for a call that could not be sent.
    pub(super) fn of_call(&self) -> ErrorObject {
        ErrorCode::AuthRequired.error(self.to_string())
    }
}
