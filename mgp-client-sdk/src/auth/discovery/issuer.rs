//! The metadata of an authorization server (RFC 8414, OpenID Connect Discovery).

use super::{document, well_known};
use crate::auth::{OAuthError, error::shown};
use mgp_transport::http::fetch::{Fetcher, shown_url};
use serde::Deserialize;
use url::Url;

pub(super) const WHAT: &str = "authorization server metadata";

#[derive(Debug, Deserialize)]
struct IssuerDocument {
    issuer: String,
    authorization_endpoint: Option<String>,
    token_endpoint: Option<String>,
    registration_endpoint: Option<String>,
    scopes_supported: Option<Vec<String>>,
    grant_types_supported: Option<Vec<String>>,
    token_endpoint_auth_methods_supported: Option<Vec<String>>,
    token_endpoint_auth_signing_alg_values_supported: Option<Vec<String>>,
    code_challenge_methods_supported: Option<Vec<String>>,
    #[serde(default)]
    authorization_response_iss_parameter_supported: bool,
    #[serde(default)]
    client_id_metadata_document_supported: bool,
}

/// The metadata of an authorization server, with its endpoints checked.
#[derive(Debug, Clone)]
pub(in crate::auth) struct ServerMetadata {
    /// The issuer's identifier, exactly as written.
    pub(in crate::auth) issuer: String,
    pub(in crate::auth) authorization_endpoint: Option<Url>,
    pub(in crate::auth) token_endpoint: Url,
    pub(in crate::auth) registration_endpoint: Option<Url>,
    pub(in crate::auth) scopes: Option<Vec<String>>,
    pub(in crate::auth) grant_types: Option<Vec<String>>,
    pub(in crate::auth) auth_methods: Option<Vec<String>>,
    pub(in crate::auth) signing_algorithms: Option<Vec<String>>,
    /// True if the server supports PKCE (RFC 7636) with the method S256.
    pub(in crate::auth) pkce: bool,
    /// True if every redirect names its issuer (RFC 9207).
    pub(in crate::auth) names_issuer: bool,
    /// True if a client id may be the URL of the client's metadata document.
    pub(in crate::auth) takes_documents: bool,
}

/// Finds the metadata of an issuer.
pub(super) async fn find(fetcher: &Fetcher, issuer: &str) -> Result<ServerMetadata, OAuthError> {
    let url = Url::parse(issuer).ok().filter(|url| url.query().is_none() && url.fragment().is_none());
    let url = url.ok_or_else(|| OAuthError::Setting {
        name: "issuer of the protected resource metadata",
        problem: format!("expected a URL without query and fragment, found {:?}", shown(issuer)),
    })?;
    let candidates = well_known::of_issuer(&url);
    for candidate in &candidates {
        if let Some(found) = document::fetch::<IssuerDocument>(fetcher, WHAT, candidate).await? {
            return check(fetcher, found, candidate, &[issuer]);
        }
    }
    let tried = candidates.iter().map(Url::as_str).collect::<Vec<_>>().join(", ");
    Err(OAuthError::NoMetadata { issuer: shown(issuer), tried })
}

/// Returns the metadata of a server of 2025-03-26, which is its own authorization server: the document published at its root, or
/// else the conventional endpoints.
pub(super) async fn of_old_server(fetcher: &Fetcher, server: &Url) -> Result<ServerMetadata, OAuthError> {
    let issuer = server.origin().ascii_serialization();
    let url = well_known::at_root(server, "oauth-authorization-server");
    if let Some(found) = document::fetch::<IssuerDocument>(fetcher, WHAT, &url).await? {
        // The root may be written with or without the slash at its end.
        return check(fetcher, found, &url, &[&issuer, &format!("{issuer}/")]);
    }
    let at = |path: &str| {
        let mut url = url.clone();
        url.set_path(path);
        url
    };
    Ok(ServerMetadata {
        issuer,
        authorization_endpoint: Some(at("/authorize")),
        token_endpoint: at("/token"),
        registration_endpoint: Some(at("/register")),
        scopes: None,
        grant_types: None,
        auth_methods: None,
        signing_algorithms: None,
        pkce: true,
        names_issuer: false,
        takes_documents: false,
    })
}

fn check(
    fetcher: &Fetcher,
    found: IssuerDocument,
    url: &Url,
    expected: &[&str],
) -> Result<ServerMetadata, OAuthError> {
    // Compared as text: an issuer that is equal only after normalization is another issuer.
    if !expected.contains(&found.issuer.as_str()) {
        let expected = expected.first().copied().unwrap_or_default().to_owned();
        return Err(OAuthError::Issuer { url: shown_url(url), found: shown(&found.issuer), expected });
    }
    let endpoint = |name: &str, text: Option<String>| {
        let Some(text) = text else { return Ok(None) };
        let problem = match Url::parse(&text) {
            Ok(endpoint) => match fetcher.check(&endpoint) {
                Ok(()) => return Ok(Some(endpoint)),
                Err(error) => error.to_string(),
            },
            Err(error) => format!("expected a URL: {error}"),
        };
        Err(OAuthError::Content { what: WHAT, url: shown_url(url), problem: format!("{name}: {problem}") })
    };
    let token_endpoint = endpoint("token_endpoint", found.token_endpoint)?.ok_or_else(|| {
        let problem = "token_endpoint is missing".to_owned();
        OAuthError::Content { what: WHAT, url: shown_url(url), problem }
    })?;
    Ok(ServerMetadata {
        authorization_endpoint: endpoint("authorization_endpoint", found.authorization_endpoint)?,
        token_endpoint,
        registration_endpoint: endpoint("registration_endpoint", found.registration_endpoint)?,
        issuer: found.issuer,
        scopes: found.scopes_supported,
        grant_types: found.grant_types_supported,
        auth_methods: found.token_endpoint_auth_methods_supported,
        signing_algorithms: found.token_endpoint_auth_signing_alg_values_supported,
        pkce: found
            .code_challenge_methods_supported
            .is_some_and(|methods| methods.iter().any(|one| one == "S256")),
        names_issuer: found.authorization_response_iss_parameter_supported,
        takes_documents: found.client_id_metadata_document_supported,
    })
}
