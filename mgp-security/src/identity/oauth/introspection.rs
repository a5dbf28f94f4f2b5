//! Token introspection (RFC 7662): queries an authorization server whether a token is active.

use super::{
    claims::Claims,
    token_cache::{Digest, TokenCache},
};
use base64::{Engine, prelude::BASE64_STANDARD};
use http::{
    HeaderValue, Request, StatusCode,
    header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE},
};
use mgp_transport::seam::{CredentialError, Fetch, LogLimit};
use mgp_types::json::RawObject;
use std::{fmt, sync::Arc, time::Duration};
use tokio::{sync::Semaphore, time::Instant};
use url::form_urlencoded;

/// The longest answer that is read, in bytes.
const MAX_ANSWER: usize = 64 * 1024;
/// The pause before a client tries again if the server could not be reached.
const RETRY_AFTER: Duration = Duration::from_secs(5);

/// An authorization server that is queried about each token.
///
/// ```
/// use mgp_security::identity::oauth::Introspection;
/// use std::time::Duration;
/// let asked = Introspection::new("https://auth.example", "https://auth.example/introspect", "mgp", "s3cret")
///     .remember(Duration::from_secs(10));
/// assert!(!format!("{asked:?}").contains("s3cret"));
/// ```
#[derive(Clone)]
pub struct Introspection {
    pub(super) issuer: String,
    pub(super) url: String,
    pub(super) agent_prefix: Option<String>,
    client_id: String,
    client_secret: String,
    remember: Duration,
    room: usize,
    at_once: usize,
    timeout: Duration,
}

impl Introspection {
    /// Creates the settings to query `issuer` at `url`, with the credentials of a client.
    #[must_use]
    pub fn new(issuer: &str, url: &str, client_id: &str, client_secret: &str) -> Self {
        Self {
            issuer: issuer.to_owned(),
            url: url.to_owned(),
            agent_prefix: None,
            client_id: client_id.to_owned(),
            client_secret: client_secret.to_owned(),
            remember: Duration::from_secs(30),
            room: 10_000,
            at_once: 16,
            timeout: Duration::from_secs(10),
        }
    }

    /// Sets the time for which an answer is remembered. The default is 30 seconds. A revoked token is accepted for no longer than this.
    #[must_use]
    pub fn remember(mut self, time: Duration) -> Self {
        self.remember = time;
        self
    }

    /// Sets the number of remembered answers about active tokens, and separately about inactive ones. The default is 10 000.
    #[must_use]
    pub fn room(mut self, answers: usize) -> Self {
        self.room = answers;
        self
    }

    /// Sets the number of concurrent queries. The default is 16. Others wait, and fail at the time limit.
    #[must_use]
    pub fn at_once(mut self, questions: usize) -> Self {
        self.at_once = questions;
        self
    }

    /// Sets the time limit of one answer. The default is 10 seconds.
    #[must_use]
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = limit;
        self
    }

    /// Sets the prefix of the ids of the issuer's agents. See [`Issuer::agent_prefix`](super::Issuer::agent_prefix).
    #[must_use]
    pub fn agent_prefix(mut self, prefix: &str) -> Self {
        self.agent_prefix = Some(prefix.to_owned());
        self
    }

    /// Returns the client's id and secret as the server reads them (RFC 6749, section 2.3.1).
    fn credentials(&self) -> Option<HeaderValue> {
        let encode = |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
        let pair = format!("{}:{}", encode(&self.client_id), encode(&self.client_secret));
        let mut value = HeaderValue::from_str(&format!("Basic {}", BASE64_STANDARD.encode(pair))).ok()?;
        value.set_sensitive(true);
        Some(value)
    }
}

impl fmt::Debug for Introspection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Introspection")
            .field("url", &self.url)
            .field("client_id", &self.client_id)
            .finish_non_exhaustive()
    }
}

/// A client that queries the server about tokens, and remembers the answers.
pub(super) struct Introspector {
    pub(super) settings: Introspection,
    fetch: Arc<dyn Fetch>,
    open: Semaphore,
    active: TokenCache<Arc<Claims>>,
    inactive: TokenCache<()>,
    /// Limits the warnings about tokens that could not be introspected, because anybody can send them.
    failures: LogLimit,
}

impl Introspector {
    pub(super) fn new(settings: Introspection, fetch: Arc<dyn Fetch>) -> Self {
        Self {
            fetch,
            open: Semaphore::new(settings.at_once.clamp(1, Semaphore::MAX_PERMITS)),
            active: TokenCache::new(settings.room),
            inactive: TokenCache::new(settings.room),
            failures: LogLimit::default(),
            settings,
        }
    }

    /// Returns the claims that the server reports of an active token. The answer may be remembered, so the caller must check
    /// whether the token has expired since.
    pub(super) async fn claims(&self, token: &str) -> Result<Arc<Claims>, CredentialError> {
        let digest = digest(token);
        if let Some(known) = self.known(&digest) {
            return known;
        }
        let asked = tokio::time::timeout(self.settings.timeout, async {
            let _open = self.open.acquire().await;
            // Another call may have queried the same token in the meantime.
            if let Some(known) = self.known(&digest) {
                return known;
            }
            self.ask(token, digest).await
        });
        asked.await.unwrap_or_else(|_| Err(self.unavailable("no answer in time")))
    }

    fn known(&self, digest: &Digest) -> Option<Result<Arc<Claims>, CredentialError>> {
        self.active.get(digest).map(Ok).or_else(|| self.inactive.get(digest).map(|()| Err(inactive())))
    }

    async fn ask(&self, token: &str, digest: Digest) -> Result<Arc<Claims>, CredentialError> {
        let form = form_urlencoded::Serializer::new(String::new())
            .append_pair("token", token)
            .append_pair("token_type_hint", "access_token")
            .finish();
        let mut request = Request::post(&self.settings.url)
            .header(ACCEPT, "application/json")
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded");
        if let Some(credentials) = self.settings.credentials() {
            request = request.header(AUTHORIZATION, credentials);
        }
        let request = request.body(form).map_err(|_| self.unavailable("its URL is invalid"))?;
        let answer = self.fetch.fetch(request, MAX_ANSWER).await;
        let answer = answer.map_err(|error| self.unavailable(&error.to_string()))?;
        if answer.status() != StatusCode::OK {
            return Err(self.unavailable(&format!("the answer has the status {}", answer.status())));
        }
        let claims = RawObject::parse(answer.into_body()).ok();
        let active = claims.as_ref().and_then(|claims| claims.decode::<bool>("active").ok().flatten());
        let now = Instant::now();
        let until = now.checked_add(self.settings.remember).unwrap_or(now);
        match (claims, active) {
            (Some(claims), Some(true)) => {
                let claims = Arc::new(Claims(claims));
                self.active.insert(digest, claims.clone(), until);
                Ok(claims)
            }
            (Some(_), Some(false)) => {
                self.inactive.insert(digest, (), until);
                Err(inactive())
            }
            _ => Err(self.unavailable("the answer does not say whether the token is active")),
        }
    }

    /// Logs the reason for a failure. The returned denial states only that the token is not at fault.
    fn unavailable(&self, reason: &str) -> CredentialError {
        if let Some(left_out) = self.failures.admit() {
            tracing::warn!(url = self.settings.url, reason, left_out, "failed to introspect a token");
        }
        CredentialError::unavailable("the authorization server cannot be asked about the token", RETRY_AFTER)
    }
}

fn inactive() -> CredentialError {
    CredentialError::invalid_token("the token is not active")
}

fn digest(token: &str) -> Digest {
    let digest = ring::digest::digest(&ring::digest::SHA256, token.as_bytes());
    let mut bytes = [0; 32];
    bytes.copy_from_slice(digest.as_ref());
    bytes
}

impl fmt::Debug for Introspector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.settings.fmt(f)
    }
}
