//! The attempts to send one message, whose requests are authorized, and the retries of refused ones.

use super::{Authorize, AuthorizeError, Challenge, HttpClientConfig};
use http::{HeaderMap, HeaderValue, Method, StatusCode, header::AUTHORIZATION};
use reqwest::Response;
use url::Url;

/// The attempts to send one message.
#[derive(Debug)]
pub(in crate::http) struct Attempts<'a> {
    by: Option<&'a dyn Authorize>,
    limit: u32,
    /// The number of times that the message was refused.
    refused: u32,
    /// The number of times that the server demanded a nonce.
    nonces: u32,
    sent: Option<HeaderValue>,
}

impl<'a> Attempts<'a> {
    pub(in crate::http) fn new(config: &'a HttpClientConfig) -> Self {
        Self {
            by: config.authorize.as_deref(),
            limit: config.authorize_attempts,
            refused: 0,
            nonces: 0,
            sent: None,
        }
    }

    /// Returns the headers of the next attempt. They replace an `Authorization` that the request already has.
    pub(in crate::http) async fn headers(
        &mut self,
        method: &Method,
        endpoint: &Url,
    ) -> Result<HeaderMap, AuthorizeError> {
        let Some(by) = self.by else { return Ok(HeaderMap::new()) };
        let mut headers = by.headers(method, endpoint).await?;
        headers.values_mut().for_each(|value| value.set_sensitive(true));
        self.sent = headers.get(AUTHORIZATION).cloned();
        Ok(headers)
    }

    /// Returns the headers of the next attempt, or none if authorization fails: the request is then sent without them.
    pub(super) async fn headers_or_none(&mut self, method: &Method, endpoint: &Url) -> HeaderMap {
        self.headers(method, endpoint).await.unwrap_or_else(|error| {
            tracing::debug!(%error, "a request is sent without authorization");
            HeaderMap::new()
        })
    }

    /// Reads the response, and returns whether to send the message again.
    pub(in crate::http) async fn again(
        &mut self,
        response: &Response,
        endpoint: &Url,
    ) -> Result<bool, AuthorizeError> {
        let Some(by) = self.by else { return Ok(false) };
        by.responded(endpoint, response.headers());
        let status = response.status();
        if !matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
            return Ok(false);
        }
        let mut challenge = Challenge::new(status, endpoint.clone(), response.headers());
        if status == StatusCode::FORBIDDEN && !challenge.lacks_scope() {
            return Ok(false);
        }
        // A demand for a nonce does not mean that the token was refused.
        let count = if challenge.demands_nonce() { &mut self.nonces } else { &mut self.refused };
        if *count >= self.limit {
            tracing::warn!(limit = self.limit, "the server still refuses a message after it was sent again");
            return Ok(false);
        }
        *count += 1;
        challenge.remote = response.remote_addr();
        challenge.attempt = self.refused.max(1);
        challenge.sent = self.sent.clone();
        by.challenged(challenge).await
    }
}
