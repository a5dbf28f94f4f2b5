//! The refresh token grant.

use crate::auth::{
    OAuthError, Secret,
    dpop::ProofKey,
    registration::Client,
    store::{KeptGrant, Tokens},
    token::TokenRequest,
};
use mgp_transport::http::fetch::Fetcher;
use std::time::Duration;
use url::Url;

const WHAT: &str = "refreshed access token";

/// Trades a refresh token at the token endpoint that issued it, as the client that it was issued to.
pub(in crate::auth) async fn refresh(
    fetcher: &Fetcher,
    kept: &KeptGrant,
    client: &Client,
    token: &Secret,
    leeway: Duration,
) -> Result<Tokens, OAuthError> {
    let endpoint = Url::parse(&kept.token_endpoint).map_err(|error| OAuthError::Setting {
        name: "token endpoint that was kept",
        problem: error.to_string(),
    })?;
    let fields = [
        ("grant_type", Some("refresh_token")),
        ("refresh_token", Some(token.expose())),
        ("resource", kept.resource.as_deref()),
    ];
    // The refresh token may be bound to the key as well.
    let proof_key = kept.tokens.as_ref().and_then(|tokens| tokens.proof_key.as_ref());
    let proof_key = proof_key.map(ProofKey::restore).transpose()?;
    let proof_key = proof_key.as_ref();
    let request = TokenRequest {
        what: WHAT,
        issuer: &kept.issuer,
        endpoint: &endpoint,
        client,
        proof_key,
        fields: &fields,
    };
    let tokens = request.send(fetcher).await?.into_tokens(WHAT, &kept.issuer, leeway, proof_key)?;
    // A token that was not replaced remains valid.
    Ok(Tokens { refresh: tokens.refresh.or(Some(token.clone())), ..tokens })
}
