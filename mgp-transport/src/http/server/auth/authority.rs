//! The principal that a request is made for: the owner of an API key or of a token, or one principal for everybody.

use super::{
    api_key::{ApiKeys, has_credentials},
    resource::ResourceUrl,
};
use crate::{
    http::server::{DenialReason, limits::ConnectionPlace, refusal::Refusal},
    seam::{Authenticate, CredentialError, LogLimit, RequestLine, Session, TokenGrant, UnauthenticatedMark},
};
use futures_util::future::poll_immediate;
use http::{HeaderMap, StatusCode};
use mgp_types::{context::Principal, rpc::ErrorObject};
use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

/// The authority on callers: the keys, the verifier of tokens, and the principal of everybody if there are neither.
#[derive(Debug)]
pub(in crate::http::server) struct Authority {
    pub(in crate::http::server) keys: ApiKeys,
    /// The verifier of tokens, if tokens are accepted.
    pub(in crate::http::server) authenticate: Option<Arc<dyn Authenticate>>,
    /// The URL that tokens must name as this server: the given one, or the one made of the first address that is bound.
    pub(in crate::http::server) resource: OnceLock<ResourceUrl>,
    /// The principal of every request if there are neither keys nor tokens.
    pub(in crate::http::server) principal: Principal,
    /// The rate limit on errors about a missing URL.
    without_resource: LogLimit,
}

/// The time to wait before a retry, if a token could not be verified in time.
const RETRY_AFTER: Duration = Duration::from_secs(5);

impl Authority {
    /// Creates an authority without keys and tokens. Every request is one of `principal`.
    pub(in crate::http::server) fn new(principal: Principal) -> Self {
        Self {
            keys: ApiKeys::default(),
            authenticate: None,
            resource: OnceLock::new(),
            principal,
            without_resource: LogLimit::default(),
        }
    }

    /// Returns `true` if callers are authenticated, by a key or a token.
    pub(in crate::http::server) fn knows_callers(&self) -> bool {
        !self.keys.is_empty() || self.takes_tokens()
    }

    /// Returns `true` if tokens are accepted.
    pub(in crate::http::server) fn takes_tokens(&self) -> bool {
        self.authenticate.is_some()
    }

    /// Returns `true` if callers are distinguished: by tokens, or by keys of more than one principal.
    pub(in crate::http::server) fn has_several_callers(&self) -> bool {
        self.takes_tokens() || self.keys.have_several_owners()
    }

    /// Records in a session the principal that opened it, and whether that principal is authenticated.
    pub(in crate::http::server) fn introduce(&self, session: &Session, principal: &Principal) {
        session.set(principal.clone());
        if !self.knows_callers() {
            session.set(UnauthenticatedMark);
        }
    }

    /// Returns the principal of a request, and the rights of its token, if it has one. `place` is the place of its connection, if
    /// the server accepts connections itself. `limit` is the time limit of verifying a token.
    pub(super) async fn caller(
        &self,
        (line, headers): (RequestLine<'_>, &HeaderMap),
        place: Option<&ConnectionPlace>,
        limit: Duration,
    ) -> Result<(Principal, Option<TokenGrant>), Refusal> {
        if let Some(owner) = self.keys.owner(headers) {
            return Ok(owner);
        }
        if let Some(authenticate) = &self.authenticate {
            let granted = self.granted(authenticate, (line, headers), place, limit).await?;
            return Ok((granted.who().principal.clone(), Some(granted)));
        }
        if self.keys.is_empty() {
            return Ok((self.principal.clone(), None));
        }
        let message = "missing or wrong API key: expected Authorization: Bearer or X-API-Key";
        let reason =
            if has_credentials(headers) { DenialReason::WrongKey } else { DenialReason::MissingCredentials };
        Err(Refusal::new(StatusCode::UNAUTHORIZED, message).because(reason))
    }

    async fn granted(
        &self,
        authenticate: &Arc<dyn Authenticate>,
        (line, headers): (RequestLine<'_>, &HeaderMap),
        place: Option<&ConnectionPlace>,
        limit: Duration,
    ) -> Result<TokenGrant, Refusal> {
        let Some(resource) = self.resource.get() else {
            if let Some(left_out) = self.without_resource.admit() {
                tracing::error!(
                    left_out,
                    "tokens cannot be verified: the server has no URL and did not bind its address itself"
                );
            }
            let error = ErrorObject::internal("the server does not know its own URL");
            return Err(Refusal::with(StatusCode::INTERNAL_SERVER_ERROR, error));
        };
        let judged = authenticate.authenticate_request(line, headers, resource.as_str());
        let judged = tokio::time::timeout(limit, judged);
        tokio::pin!(judged);
        let judged = match poll_immediate(judged.as_mut()).await {
            Some(judged) => judged,
            // Only verification that takes time holds up other requests.
            None => {
                let _judgement = place.map(ConnectionPlace::judge).transpose()?;
                judged.await
            }
        };
        let judged = judged.unwrap_or_else(|_| {
            Err(CredentialError::unavailable(
                format!("the token could not be verified within {limit:?}"),
                RETRY_AFTER,
            ))
        });
        match judged {
            Ok(who) => Ok(TokenGrant::new(who, authenticate.clone())),
            Err(denied) => Err(Refusal::denied(denied, Some(resource))),
        }
    }
}
