//! The current authorization state at one server.

use super::{
    OAuthError, Secret,
    dpop::ProofKey,
    flight::Flight,
    scope,
    store::{KeptGrant, Tokens},
};
use http::HeaderValue;
use mgp_transport::http::client::Challenge;
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

/// The current authorization state at one server.
#[derive(Debug, Default)]
pub(super) struct State {
    /// True if the store was read.
    pub(super) loaded: bool,
    pub(super) grant: Option<KeptGrant>,
    pub(super) got: TokenOrigin,
    /// The last authorization, which may have ended.
    pub(super) flight: Option<Flight>,
    pub(super) asked: Option<GrantRequest>,
    /// The time of the last failed refresh.
    pub(super) failed: Option<Instant>,
    /// The newest nonce of the server for proofs of possession.
    pub(super) nonce: Option<String>,
    /// The restored key of the tokens, next to its stored form.
    pub(super) proof_key: Option<(Secret, Arc<ProofKey>)>,
}

/// The origin of the access token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum TokenOrigin {
    /// The store.
    #[default]
    Kept,
    /// A refresh token.
    Refreshed,
    /// A grant.
    Granted,
}

/// The last request for a grant.
#[derive(Debug)]
pub(super) struct GrantRequest {
    pub(super) at: Instant,
    pub(super) scopes: Vec<String>,
    pub(super) failure: Option<Arc<OAuthError>>,
}

impl State {
    /// Returns the `Authorization` header of requests, or `None` without an access token.
    pub(super) fn header(&self) -> Option<HeaderValue> {
        let tokens = self.grant.as_ref()?.tokens.as_ref()?;
        let scheme = if tokens.proof_key.is_some() { "DPoP" } else { "Bearer" };
        let mut value = HeaderValue::try_from(format!("{scheme} {}", tokens.access.expose())).ok()?;
        value.set_sensitive(true);
        Some(value)
    }

    /// Returns the key that the tokens are bound to, or `None` for bearer tokens.
    pub(super) fn proof_key(&mut self) -> Result<Option<Arc<ProofKey>>, OAuthError> {
        let tokens = self.grant.as_ref().and_then(|grant| grant.tokens.as_ref());
        let Some(stored) = tokens.and_then(|tokens| tokens.proof_key.as_ref()) else { return Ok(None) };
        if let Some((known, key)) = &self.proof_key
            && known == stored
        {
            return Ok(Some(key.clone()));
        }
        let key = Arc::new(ProofKey::restore(stored)?);
        self.proof_key = Some((stored.clone(), key.clone()));
        Ok(Some(key))
    }

    /// Returns the authorization in progress.
    pub(super) fn flight(&self) -> Option<Flight> {
        self.flight.clone().filter(|flight| !flight.is_over())
    }

    pub(super) fn is_fresh(&self) -> bool {
        let tokens = self.grant.as_ref().and_then(|grant| grant.tokens.as_ref());
        tokens.is_some_and(Tokens::is_fresh)
    }

    pub(super) fn has_refresh_token(&self) -> bool {
        let tokens = self.grant.as_ref().and_then(|grant| grant.tokens.as_ref());
        tokens.is_some_and(|tokens| tokens.refresh.is_some())
    }

    /// Returns the answer to a challenge, or `None` if the challenge needs an authorization.
    pub(super) fn answer(
        &self,
        challenge: &Challenge,
        pause: Duration,
    ) -> Option<Result<bool, Arc<OAuthError>>> {
        let now = self.header();
        if now.is_some() && now != challenge.sent {
            // Another request was faster.
            return Some(Ok(true));
        }
        if self.flight().is_some() {
            return None;
        }
        if challenge.demands_nonce() && now.is_some() {
            // The token was not judged. A new one would not help a server that supplies no usable nonce.
            return Some(Ok(self.nonce.is_some()));
        }
        if !challenge.lacks_scope()
            && challenge.attempt > 1
            && self.got == TokenOrigin::Granted
            && now.is_some()
        {
            // The server rejects a token that its own authorization server has just issued.
            return Some(Ok(false));
        }
        let asked = self.asked.as_ref().filter(|asked| asked.at.elapsed() < pause)?;
        if let Some(failure) = &asked.failure {
            return Some(Err(failure.clone()));
        }
        let scope = challenge.token_param("scope").unwrap_or_default();
        (challenge.lacks_scope() && scope::holds(&asked.scopes, scope)).then_some(Ok(false))
    }
}
