//! Dynamic client registration (RFC 7591).

use super::{Client, method};
use crate::auth::{
    OAuthError, Secret,
    discovery::{ServerMetadata, read_json, refusal},
    error::shown,
    store::{AuthMethod, ClientOrigin, KeptClient},
};
use http::HeaderMap;
use mgp_transport::http::{
    fetch::{Fetcher, shown_url},
    zone::is_loopback,
};
use serde::Deserialize;
use serde_json::json;
use url::Url;

const WHAT: &str = "client registration";
/// The maximum length of ids and secrets, in bytes.
const MAX_TEXT: usize = 4096;

#[derive(Debug, Deserialize)]
struct RegistrationResponse {
    client_id: String,
    #[serde(default)]
    client_secret: Option<Secret>,
    #[serde(default)]
    client_secret_expires_at: Option<u64>,
    #[serde(default)]
    token_endpoint_auth_method: Option<String>,
}

/// Registers a client with the redirect URI `redirect_uri`.
pub(super) async fn register(
    fetcher: &Fetcher,
    server: &ServerMetadata,
    endpoint: &Url,
    name: &str,
    redirect_uri: &Url,
) -> Result<Client, OAuthError> {
    let wanted = method::to_register(server);
    let mut grants = vec!["authorization_code"];
    if server.grant_types.as_ref().is_none_or(|types| types.iter().any(|one| one == "refresh_token")) {
        grants.push("refresh_token");
    }
    // Unlike a web server, an app on a user's machine cannot keep a secret.
    let kind = if is_loopback(redirect_uri) || redirect_uri.scheme() != "https" { "native" } else { "web" };
    let request = json!({
        "client_name": name,
        "redirect_uris": [redirect_uri.as_str()],
        "grant_types": grants,
        "response_types": ["code"],
        "application_type": kind,
        "token_endpoint_auth_method": wanted.as_str(),
    });
    let body = request.to_string().into_bytes();
    let fetched = fetcher.post(endpoint, "application/json", HeaderMap::new(), body).await;
    let fetched = fetched.map_err(|source| OAuthError::Fetch { what: WHAT, source })?;
    if !fetched.status.is_success() {
        return Err(refusal(WHAT, &shown_url(endpoint), &fetched));
    }
    let registered: RegistrationResponse = read_json(WHAT, &fetched)?;
    let secret_length = registered.client_secret.as_ref().map_or(0, |secret| secret.expose().len());
    if registered.client_id.is_empty() || registered.client_id.len().max(secret_length) > MAX_TEXT {
        let problem = format!("expected client_id and client_secret of at most {MAX_TEXT} bytes");
        return Err(OAuthError::Content { what: WHAT, url: shown_url(&fetched.url), problem });
    }
    let method = match (registered.token_endpoint_auth_method.as_deref(), &registered.client_secret) {
        (Some(name), secret) => AuthMethod::parse(name)
            .filter(|method| match method {
                AuthMethod::None => true,
                AuthMethod::ClientSecretBasic | AuthMethod::ClientSecretPost => secret.is_some(),
                AuthMethod::PrivateKeyJwt => false,
            })
            .ok_or_else(|| OAuthError::Unsupported {
                issuer: server.issuer.clone(),
                what: "a usable token_endpoint_auth_method",
                problem: format!("expected {}, found {:?}", wanted.as_str(), shown(name)),
            })?,
        (None, Some(_)) => method::with_secret(server),
        (None, None) => AuthMethod::None,
    };
    let kept = KeptClient {
        origin: ClientOrigin::Registration,
        id: registered.client_id,
        secret: registered.client_secret,
        // Zero means that the secret does not expire.
        secret_expires_at: registered.client_secret_expires_at.filter(|at| *at != 0),
        method,
        redirect_uri: Some(redirect_uri.to_string()),
    };
    Ok(Client { kept, key: None })
}
