//! The implementation of an [`OAuth`](super::OAuth): one authorization at a time, shared by all requests that need it.

use super::{
    OAuthError,
    discovery::{Discovery, DiscoveryResult, same_issuer},
    dpop::{ALGORITHM, PROOF, ProofKey, nonce_of},
    error::shown,
    flight::Flight,
    flow::{GrantContext, GrantedTokens, refresh},
    registered_client::RegisteredClient,
    registration::{Client, is_usable},
    scope::{self, ScopeInputs},
    settings::{Grant, Settings},
    state::{GrantRequest, State, TokenOrigin},
    store::{Binding, ClientOrigin, KeptGrant, StoreHold, TokenStore},
};
use http::{HeaderMap, HeaderValue, Method, header::AUTHORIZATION};
use mgp_transport::http::{client::Challenge, fetch::Fetcher, zone::zone_of_server};
use parking_lot::Mutex;
use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use url::Url;

/// The parts of an [`OAuth`](super::OAuth).
pub(super) struct Core {
    pub(super) server: Url,
    pub(super) settings: Settings,
    pub(super) fetcher: Fetcher,
    pub(super) store: Arc<dyn TokenStore>,
    /// The maximum time to wait for another process to release the store.
    pub(super) patience: Duration,
    pub(super) state: Mutex<State>,
}

/// The answer to a challenge.
pub(super) enum Response {
    /// The answer is known.
    Now(Result<bool, Arc<OAuthError>>),
    /// The message is sent again after this authorization.
    After(Flight),
}

impl Core {
    fn key(&self) -> &str {
        self.server.as_str()
    }

    /// Returns `true` if tokens may be sent to `endpoint`, that is, if it has the origin of the server.
    pub(super) fn serves(&self, endpoint: &Url) -> bool {
        endpoint.origin() == self.server.origin()
    }

    /// Returns the `Authorization` header of requests, or `None` without an access token.
    fn authorization(&self) -> Option<HeaderValue> {
        self.state.lock().header()
    }

    /// Returns the headers of one request: the access token, and the proof that it needs.
    pub(super) fn headers(&self, method: &Method, endpoint: &Url) -> Result<HeaderMap, OAuthError> {
        let (authorization, proof) = {
            let mut state = self.state.lock();
            let proof_key = state.proof_key()?;
            let tokens = state.grant.as_ref().and_then(|grant| grant.tokens.as_ref());
            let token = tokens.map(|tokens| tokens.access.clone());
            (state.header(), proof_key.map(|key| (key, token, state.nonce.clone())))
        };
        let mut headers: HeaderMap = authorization.map(|value| (AUTHORIZATION, value)).into_iter().collect();
        if let Some((key, token, nonce)) = proof {
            headers.insert(PROOF, key.proof(method, endpoint, token.as_ref(), nonce.as_deref())?);
        }
        Ok(headers)
    }

    /// Stores the nonce that a response supplies for the next proof.
    pub(super) fn note_nonce(&self, headers: &HeaderMap) {
        if let Some(nonce) = nonce_of(headers) {
            self.state.lock().nonce = Some(nonce);
        }
    }

    /// Reads the store, the first time.
    pub(super) async fn load(&self) -> Result<(), OAuthError> {
        if self.state.lock().loaded {
            return Ok(());
        }
        let kept = self.store.load(self.key()).await?;
        let mut state = self.state.lock();
        if !std::mem::replace(&mut state.loaded, true) {
            state.grant = kept;
        }
        Ok(())
    }

    pub(super) async fn forget(&self) -> Result<(), OAuthError> {
        let _hold = self.hold().await;
        self.store.remove(self.key()).await?;
        let mut state = self.state.lock();
        state.grant = None;
        state.asked = None;
        Ok(())
    }

    /// Returns the authorization that a request without a fresh token waits for, starting a refresh if none is in progress.
    /// Returns `None` if the token is fresh, or if there is nothing to wait for.
    pub(super) fn renewal(self: &Arc<Self>) -> Option<Flight> {
        let mut state = self.state.lock();
        if state.is_fresh() {
            return None;
        }
        let failed = state.failed.is_some_and(|at| at.elapsed() < self.settings.pause);
        if state.flight().is_none() && state.has_refresh_token() && !failed {
            let core = self.clone();
            state.flight = Some(Flight::start(async move { core.renew().await }));
        }
        state.flight()
    }

    /// Returns the answer to a challenge, or the authorization that provides it.
    pub(super) fn respond(self: &Arc<Self>, challenge: Challenge) -> Response {
        let mut state = self.state.lock();
        if let Some(answer) = state.answer(&challenge, self.settings.pause) {
            return Response::Now(answer);
        }
        let flight = state.flight().unwrap_or_else(|| {
            let core = self.clone();
            Flight::start(async move { core.authorize(&challenge).await })
        });
        state.flight = Some(flight.clone());
        Response::After(flight)
    }

    /// Uses the tokens that another process got in the meantime, or else refreshes.
    async fn renew(&self) -> Result<(), Arc<OAuthError>> {
        let Some(kept) = self.kept().await? else { return Ok(()) };
        let useless = self.authorization();
        if self.takes_over(&kept, useless.as_ref()) {
            return Ok(());
        }
        self.refresh(&kept, useless.as_ref()).await.map(drop)
    }

    async fn authorize(&self, challenge: &Challenge) -> Result<(), Arc<OAuthError>> {
        if challenge.remote.is_some() {
            self.fetcher.widen(zone_of_server(&self.server, challenge.remote).await);
        }
        let kept = self.kept().await?;
        let lacks_scope = challenge.lacks_scope();
        if let Some(kept) = &kept
            && !lacks_scope
            && self.takes_over(kept, challenge.sent.as_ref())
        {
            return Ok(());
        }
        // Of several issuers, one that already knows this client is preferred.
        let of_client = self.settings.client.as_ref().and_then(RegisteredClient::its_issuer);
        let of_kept = kept.as_ref().map(|kept| kept.issuer.as_str());
        let preferred = self.settings.preferred.iter().map(String::as_str);
        let preferred: Vec<_> = preferred.chain(of_client).chain(of_kept).collect();
        let discovery = Discovery {
            server: &self.server,
            resource_metadata: challenge.token_param("resource_metadata"),
            preferred: &preferred,
            old_servers: self.settings.old_servers,
        };
        let found = discovery.run(&self.fetcher).await?;
        let same = kept.as_ref().filter(|kept| same_issuer(&kept.issuer, &found.server.issuer));
        // A token that was refreshed for this message and is still rejected is not refreshed again.
        let refreshed = challenge.attempt > 1 && self.state.lock().got == TokenOrigin::Refreshed;
        if let Some(same) = same
            && !lacks_scope
            && !refreshed
            && self.refresh(same, challenge.sent.as_ref()).await?
        {
            return Ok(());
        }
        let scopes = scope::choose(ScopeInputs {
            challenged: challenge.token_param("scope"),
            of_resource: found.scopes.as_deref(),
            of_server: found.server.scopes.as_deref(),
            before: same.map(|kept| kept.scopes.as_slice()).unwrap_or_default(),
            always: &self.settings.scopes,
            offline: self.settings.offline && matches!(self.settings.grant, Grant::User(_)),
        });
        let proof_key = self.proof_key(challenge, &found)?;
        self.ask(&found, kept.as_ref(), scopes, proof_key.as_ref()).await
    }

    /// Returns a new key for the tokens if the server accepts tokens that are bound to one. Bearer tokens are the fallback if the
    /// authorization server does not state that it can bind them, unless the server accepts nothing else.
    fn proof_key(
        &self,
        challenge: &Challenge,
        found: &DiscoveryResult,
    ) -> Result<Option<ProofKey>, OAuthError> {
        let is_bound = self.state.lock().header().is_some_and(|value| value.as_bytes().starts_with(b"DPoP "));
        if !challenge.offers_dpop() && !is_bound {
            return Ok(None);
        }
        let offers_bearer = challenge.schemes.iter().any(|scheme| scheme.name.eq_ignore_ascii_case("bearer"));
        match &found.server.proof_algorithms {
            Some(algorithms) if algorithms.iter().any(|name| name == ALGORITHM) => {}
            _ if offers_bearer => return Ok(None),
            None => {}
            Some(algorithms) => {
                return Err(OAuthError::Unsupported {
                    issuer: found.server.issuer.clone(),
                    what: "tokens with a proof of possession",
                    problem: format!(
                        "the server demands them, and {ALGORITHM} is not among {}",
                        shown(&algorithms.join(", "))
                    ),
                });
            }
        }
        ProofKey::generate().map(Some)
    }

    /// Requests new tokens, and records the time and the scopes.
    async fn ask(
        &self,
        found: &DiscoveryResult,
        kept: Option<&KeptGrant>,
        scopes: Vec<String>,
        proof_key: Option<&ProofKey>,
    ) -> Result<(), Arc<OAuthError>> {
        let (settings, fetcher) = (&self.settings, &self.fetcher);
        let context = GrantContext { settings, fetcher, found, kept, scopes: &scopes, proof_key };
        let given = context.run().await.map_err(Arc::new);
        let failure = given
            .as_ref()
            .err()
            .filter(|error| matches!(self.settings.grant, Grant::User(_)) || error.code().is_some());
        let asked = GrantRequest { at: Instant::now(), scopes: scopes.clone(), failure: failure.cloned() };
        self.state.lock().asked = Some(asked);
        let GrantedTokens { client, tokens } = match given {
            Ok(given) => given,
            Err(error) => {
                // A refusal by the user proves that the authorization server knows the client.
                if !matches!(&*error, OAuthError::Refused { error, .. } if error == "access_denied") {
                    self.doubt(found, kept).await;
                }
                return Err(error);
            }
        };
        let bound = (client.kept.origin == ClientOrigin::Settings)
            .then(|| Binding { client: client.kept.id.clone(), issuer: found.server.issuer.clone() });
        let grant = KeptGrant {
            issuer: found.server.issuer.clone(),
            token_endpoint: found.server.token_endpoint.to_string(),
            resource: found.resource.clone(),
            client: client.to_kept(),
            scopes,
            tokens: Some(tokens),
            binding: bound.or(kept.and_then(|kept| kept.binding.clone())),
        };
        // Another process that refreshes the old grant now would overwrite this one.
        let _hold = self.hold().await;
        self.keep(grant, TokenOrigin::Granted).await;
        Ok(())
    }

    /// Makes the next attempt register a new client, because the stored registration gave no token and may be gone.
    async fn doubt(&self, found: &DiscoveryResult, used: Option<&KeptGrant>) {
        let Some(used) = used.filter(|used| same_issuer(&used.issuer, &found.server.issuer)) else { return };
        if used.client.origin != ClientOrigin::Registration || used.client.redirect_uri.is_none() {
            return;
        }
        let _hold = self.hold().await;
        // The user may have taken minutes: another process may have got tokens, or another client.
        if let Ok(Some(mut kept)) = self.kept().await
            && kept.client == used.client
        {
            kept.client.redirect_uri = None;
            let got = self.state.lock().got;
            self.keep(kept, got).await;
        }
    }

    /// Trades the refresh token while no other process does. Returns `true` if there is a new access token, and `false` if there is
    /// no usable refresh token or the authorization server refuses it.
    async fn refresh(
        &self,
        seen: &KeptGrant,
        useless: Option<&HeaderValue>,
    ) -> Result<bool, Arc<OAuthError>> {
        let _hold = self.hold().await;
        let kept = self.kept().await?.unwrap_or_else(|| seen.clone());
        if self.takes_over(&kept, useless) {
            return Ok(true);
        }
        let token = kept.tokens.as_ref().and_then(|tokens| tokens.refresh.as_ref());
        let client = Client::of_kept(&kept.client, self.settings.client.as_ref());
        let (Some(token), Some(client)) = (token, client.filter(|client| is_usable(&client.kept))) else {
            return Ok(false);
        };
        if kept.issuer != seen.issuer {
            return Ok(false);
        }
        match refresh(&self.fetcher, &kept, &client, token, self.settings.leeway).await {
            Ok(tokens) => {
                self.state.lock().failed = None;
                self.keep(KeptGrant { tokens: Some(tokens), ..kept }, TokenOrigin::Refreshed).await;
                Ok(true)
            }
            Err(error) => {
                self.state.lock().failed = Some(Instant::now());
                tracing::debug!(%error, "an access token was not refreshed");
                if error.code() == Some("invalid_grant") {
                    return Ok(self.lose(&kept, useless).await?);
                }
                // Another client, or another request, may succeed; the refresh token is still good.
                if error.is_refusal() { Ok(false) } else { Err(Arc::new(error)) }
            }
        }
    }

    /// Drops a refresh token that is no longer accepted. If another process has traded it in the meantime, in spite of the hold,
    /// its tokens stay. Returns `true` if they can be used.
    async fn lose(&self, traded: &KeptGrant, useless: Option<&HeaderValue>) -> Result<bool, OAuthError> {
        match self.kept().await? {
            Some(kept) if kept != *traded => Ok(self.takes_over(&kept, useless)),
            _ => {
                self.keep(KeptGrant { tokens: None, ..traded.clone() }, TokenOrigin::Kept).await;
                Ok(false)
            }
        }
    }

    /// Prevents other processes from trading the tokens. Returns `None` if the hold is not obtained in time: its holder is
    /// considered stuck, and work continues without the hold.
    async fn hold(&self) -> Option<StoreHold> {
        let held = self.store.hold(self.key(), self.patience).await;
        held.inspect_err(
            |error| tracing::warn!(%error, "tokens are traded without excluding other processes"),
        )
        .ok()
    }

    /// Returns the currently stored grant, from any process; if the store has none, the one in memory.
    async fn kept(&self) -> Result<Option<KeptGrant>, OAuthError> {
        let kept = self.store.load(self.key()).await?;
        Ok(kept.or_else(|| self.state.lock().grant.clone()))
    }

    /// Uses the tokens of `kept` if they are fresh, come from another process, and are not the `useless` ones. Returns `true` if
    /// they are used.
    fn takes_over(&self, kept: &KeptGrant, useless: Option<&HeaderValue>) -> bool {
        let mut state = self.state.lock();
        if state.grant.as_ref() == Some(kept) {
            return false;
        }
        let theirs = State { grant: Some(kept.clone()), ..State::default() };
        let taken = theirs.is_fresh() && theirs.header().as_ref() != useless;
        if taken {
            state.grant = theirs.grant;
            state.got = TokenOrigin::Kept;
        }
        taken
    }

    async fn keep(&self, grant: KeptGrant, got: TokenOrigin) {
        if let Err(error) = self.store.save(self.key(), &grant).await {
            tracing::warn!(%error, "tokens are not kept beyond this process");
        }
        let mut state = self.state.lock();
        state.grant = Some(grant);
        state.got = got;
    }
}
