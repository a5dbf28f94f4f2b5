//! The metadata of an authorization server (RFC 8414, OpenID Connect Discovery).

use super::{document, well_known};
use crate::auth::{OAuthError, error::shown};
use mgp_transport::http::fetch::{Fetcher, shown_url};
use serde::Deserialize;
use url::{Origin, Url};

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
    dpop_signing_alg_values_supported: Option<Vec<String>>,
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
    /// The algorithms of proofs of possession (RFC 9449) that the server supports.
    pub(in crate::auth) proof_algorithms: Option<Vec<String>>,
    /// True if the server supports PKCE (RFC 7636) with the method S256.
    pub(in crate::auth) pkce: bool,
    /// True if every redirect names its issuer (RFC 9207).
    pub(in crate::auth) names_issuer: bool,
    /// True if a client id may be the URL of the client's metadata document.
    pub(in crate::auth) takes_documents: bool,
}

/// Returns `true` if two identifiers name the same issuer: their texts are equal, except for a slash at the end. Both forms have the same
/// well-known URL (RFC 8414 §3.1), so the same document is valid for both. Nothing else is normalized.
pub(in crate::auth) fn same_issuer(one: &str, other: &str) -> bool {
    without_slash(one) == without_slash(other)
}

fn without_slash(issuer: &str) -> &str {
    issuer.strip_suffix('/').unwrap_or(issuer)
}

/// Finds the metadata of an issuer that is named by the MCP server `server`, or by its metadata.
pub(super) async fn find(
    fetcher: &Fetcher,
    issuer: &str,
    server: &Url,
) -> Result<ServerMetadata, OAuthError> {
    let (found, url) = lookup(fetcher, issuer).await?;
    expect(fetcher, found, &url, issuer, server).await
}

/// Fetches the document of an issuer, even if it names another issuer.
async fn lookup(fetcher: &Fetcher, issuer: &str) -> Result<(IssuerDocument, Url), OAuthError> {
    let url = Url::parse(issuer).ok().filter(|url| url.query().is_none() && url.fragment().is_none());
    let url = url.ok_or_else(|| OAuthError::Setting {
        name: "issuer of the protected resource metadata",
        problem: format!("expected a URL without query and fragment, found {:?}", shown(issuer)),
    })?;
    let candidates = well_known::of_issuer(&url);
    for candidate in &candidates {
        if let Some(found) = document::fetch::<IssuerDocument>(fetcher, WHAT, candidate).await? {
            return Ok((found, candidate.clone()));
        }
    }
    let tried = candidates.iter().map(Url::as_str).collect::<Vec<_>>().join(", ");
    Err(OAuthError::NoMetadata { issuer: shown(issuer), tried })
}

/// Returns the metadata of a document that was published at `url`, where the issuer `expected` publishes its metadata.
///
/// A document that names another issuer must not send a code or a secret to anybody but that issuer. RFC 8414 §3.3 is about mix-ups of this kind,
/// and the `iss` of redirects (RFC 9207) only protects the recorded issuer. The document is used as it is if its endpoints are that issuer's own.
/// Otherwise it is a pointer to that issuer, whose own document is used instead.
async fn expect(
    fetcher: &Fetcher,
    found: IssuerDocument,
    url: &Url,
    expected: &str,
    server: &Url,
) -> Result<ServerMetadata, OAuthError> {
    if same_issuer(&found.issuer, expected) || found.speaks_for_its_issuer(url, server) {
        return check(fetcher, found, url);
    }
    if let Ok((own, place)) = lookup(fetcher, &found.issuer).await
        && same_issuer(&own.issuer, &found.issuer)
    {
        return check(fetcher, own, &place);
    }
    let (found, expected) = (shown(&found.issuer), shown(expected));
    Err(OAuthError::Issuer { url: shown_url(url), found, expected })
}

impl IssuerDocument {
    /// Returns `true` if the document of another issuer may be used as it is. It must be published by the MCP server or on the host of that
    /// issuer, and every recipient of a code, a token or a secret must be on the host of that issuer. The user may also be sent to the host of
    /// the publisher.
    fn speaks_for_its_issuer(&self, url: &Url, server: &Url) -> bool {
        let Ok(issuer) = Url::parse(&self.issuer).map(|issuer| issuer.origin()) else { return false };
        let publisher = url.origin();
        let is_at = |endpoint: Option<&str>, hosts: &[&Origin]| {
            let origin = endpoint.map(|endpoint| Url::parse(endpoint).map(|endpoint| endpoint.origin()));
            match origin {
                Some(Ok(origin)) => hosts.contains(&&origin),
                Some(Err(_)) => false,
                None => true,
            }
        };
        issuer.is_tuple()
            && (publisher == server.origin() || publisher == issuer)
            && is_at(self.token_endpoint.as_deref(), &[&issuer])
            && is_at(self.registration_endpoint.as_deref(), &[&issuer])
            && is_at(self.authorization_endpoint.as_deref(), &[&issuer, &publisher])
    }
}

/// Returns the metadata of a server of 2025-03-26, which is its own authorization server: the document published at its root, or
/// else the conventional endpoints.
pub(super) async fn of_old_server(fetcher: &Fetcher, server: &Url) -> Result<ServerMetadata, OAuthError> {
    let issuer = server.origin().ascii_serialization();
    let url = well_known::at_root(server, "oauth-authorization-server");
    if let Some(found) = document::fetch::<IssuerDocument>(fetcher, WHAT, &url).await? {
        return expect(fetcher, found, &url, &issuer, server).await;
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
        proof_algorithms: None,
        pkce: true,
        names_issuer: false,
        takes_documents: false,
    })
}

/// Returns the metadata of a document, with its endpoints checked.
fn check(fetcher: &Fetcher, found: IssuerDocument, url: &Url) -> Result<ServerMetadata, OAuthError> {
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
        proof_algorithms: found.dpop_signing_alg_values_supported,
        takes_documents: found.client_id_metadata_document_supported,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_trailing_slash_is_ignored_between_issuers() {
        for (one, other) in
            [("https://x.example", "https://x.example/"), ("https://x.example/t/", "https://x.example/t")]
        {
            assert!(same_issuer(one, other) && same_issuer(other, one) && same_issuer(one, one));
        }
        for other in [
            "https://x.example//",
            "https://X.example",
            "https://x.example:443",
            "http://x.example",
            "https://x.example/t",
            "",
        ] {
            assert!(!same_issuer("https://x.example", other), "{other}");
        }
    }

    #[test]
    fn a_foreign_document_is_accepted_if_secrets_stay_at_its_issuer() {
        let server = Url::parse("https://mcp.example/v1/mcp").unwrap();
        let check = |url: &str, issuer: &str, [authorize, token, register]: [&str; 3]| {
            let document = serde_json::json!({
                "issuer": issuer, "authorization_endpoint": authorize, "token_endpoint": token,
                "registration_endpoint": register,
            });
            let document: IssuerDocument = serde_json::from_value(document).unwrap();
            document.speaks_for_its_issuer(&Url::parse(url).unwrap(), &server)
        };
        let (own, auth) = ("https://mcp.example/x", "https://auth.example/x");
        let (root, issuer) =
            ("https://mcp.example/.well-known/oauth-authorization-server", "https://auth.example");
        assert!(check(root, issuer, [own, auth, auth]) && check(root, issuer, [auth, auth, auth]));
        for endpoints in
            [[auth, own, auth], [auth, auth, own], ["https://evil.example/x", auth, auth], [auth, "x", auth]]
        {
            assert!(!check(root, issuer, endpoints), "{endpoints:?}");
        }
        // The path of a tenant, on the issuer's own host.
        assert!(check("https://auth.example/.well-known/openid-configuration/t", issuer, [auth, auth, auth]));
        assert!(!check("https://evil.example/.well-known/openid-configuration", issuer, [auth, auth, auth]));
        assert!(
            !check(root, "mailto:auth@auth.example", [auth, auth, auth])
                && !check(root, "auth", [auth, auth, auth])
        );
    }
}
