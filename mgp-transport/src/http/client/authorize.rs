//! The hook that authorizes an HTTP client, and the retries of refused messages.

use super::{Challenge, HttpClientConfig};
use crate::seam::BoxError;
use async_trait::async_trait;
use http::{HeaderMap, HeaderValue, StatusCode, header::AUTHORIZATION};
use mgp_types::{error::ErrorCode, rpc::ErrorObject};
use reqwest::Response;
use std::{fmt, sync::Arc};
use url::Url;

/// A source of the `Authorization` header of requests. It obtains new rights if a server demands them.
///
/// Many requests call it at the same time. A wait for a server or a person must have a time limit.
#[async_trait]
pub trait Authorize: fmt::Debug + Send + Sync {
    /// Returns the `Authorization` of a request to `endpoint`; with `None`, the request is sent without one. A credential must
    /// only be sent to the endpoint that it was issued for.
    ///
    /// # Errors
    /// Returns an [`AuthorizeError`] if the message must not be sent.
    async fn header(&self, endpoint: &Url) -> Result<Option<HeaderValue>, AuthorizeError>;

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

/// The attempts to send one message.
#[derive(Debug)]
pub(super) struct Attempts<'a> {
    by: Option<&'a dyn Authorize>,
    limit: u32,
    /// The number of times that the message was refused.
    refused: u32,
    sent: Option<HeaderValue>,
}

impl<'a> Attempts<'a> {
    pub(super) fn new(config: &'a HttpClientConfig) -> Self {
        Self { by: config.authorize.as_deref(), limit: config.authorize_attempts, refused: 0, sent: None }
    }

    /// Returns the headers of the next attempt. They replace an `Authorization` that the request already has.
    pub(super) async fn headers(&mut self, endpoint: &Url) -> Result<HeaderMap, AuthorizeError> {
        let Some(by) = self.by else { return Ok(HeaderMap::new()) };
        self.sent = by.header(endpoint).await?;
        if let Some(value) = &mut self.sent {
            value.set_sensitive(true);
        }
        Ok(self.sent.iter().map(|value| (AUTHORIZATION, value.clone())).collect())
    }

    /// Returns the headers of the next attempt, or none if authorization fails: the request is then sent without them.
    pub(super) async fn headers_or_none(&mut self, endpoint: &Url) -> HeaderMap {
        self.headers(endpoint).await.unwrap_or_else(|error| {
            tracing::debug!(%error, "a request is sent without authorization");
            HeaderMap::new()
        })
    }

    /// Returns whether to send the message again after this response.
    pub(super) async fn again(
        &mut self,
        response: &Response,
        endpoint: &Url,
    ) -> Result<bool, AuthorizeError> {
        let Some(by) = self.by else { return Ok(false) };
        let status = response.status();
        if !matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
            return Ok(false);
        }
        let mut challenge = Challenge::new(status, endpoint.clone(), response.headers());
        if status == StatusCode::FORBIDDEN && !challenge.lacks_scope() {
            return Ok(false);
        }
        if self.refused >= self.limit {
            tracing::warn!(limit = self.limit, "the server still refuses a message after it was sent again");
            return Ok(false);
        }
        self.refused += 1;
        challenge.remote = response.remote_addr();
        challenge.attempt = self.refused;
        challenge.sent = self.sent.clone();
        by.challenged(challenge).await
    }
}
