//! The OAuth resource server, which verifies tokens.

use super::{
    ResourceServerBuilder,
    claims::{Claims, ExpectedClaims},
    introspection::Introspector,
    keys::{KeyCache, NoKey},
    proof::{ProofCheck, UsedProofs},
    rules::Rules,
    subject::Subject,
    token::{Jws, presented},
};
use async_trait::async_trait;
use http::{HeaderMap, Method};
use mgp_transport::seam::{Authenticate, Authentication, CredentialError, RequestLine, ResourceMetadata};
use mgp_types::oauth::SignatureAlgorithm;
use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};
use url::Url;

/// An OAuth resource server, which verifies the tokens of the authorization servers that it trusts, for
/// `HttpServerBuilder::authenticate`.
///
/// A token is accepted if all of these conditions hold:
///
/// - Its signature is valid, by an allowed algorithm and a key of its issuer; or its issuer, when queried, confirms that the token
///   is active.
/// - Its issuer is one of the configured ones, compared exactly.
/// - The token is meant for this server.
/// - The token is valid at this time: neither too early, nor expired.
/// - The token has the scopes that every request requires.
/// - If the token is bound to a key, each request proves possession of the key (RFC 9449), with a proof of its own.
///
/// ```
/// use mgp_security::identity::oauth::{Issuer, KeySet, ResourceServer};
/// use mgp_transport::seam::Authenticate;
///
/// let keys = KeySet::parse(br#"{"keys":[]}"#)?;
/// let server = ResourceServer::builder()
///     .issuer(Issuer::new("https://auth.example").keys(keys))
///     .required_scopes(["mcp"])
///     .tool_scopes("delete_file", ["files:write"])
///     .build()?;
/// assert_eq!(server.metadata().authorization_servers, ["https://auth.example"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ResourceServer {
    pub(super) issuers: Vec<KnownIssuer>,
    pub(super) introspector: Option<Introspector>,
    pub(super) algorithms: Vec<SignatureAlgorithm>,
    /// The names that tokens for this server have as their audience. If there are none, tokens must name the server's URL.
    pub(super) audiences: Vec<String>,
    pub(super) leeway: Duration,
    pub(super) rules: Rules,
    pub(super) subject: Subject,
    pub(super) metadata: ResourceMetadata,
    /// The proofs of possession that were used.
    pub(super) used_proofs: UsedProofs,
}

/// An issuer whose signed tokens are accepted.
#[derive(Debug)]
pub(super) struct KnownIssuer {
    pub(super) id: String,
    pub(super) keys: KeyCache,
    pub(super) agent_prefix: String,
}

impl ResourceServer {
    /// Returns a builder of a resource server, which trusts no issuer yet.
    #[must_use]
    pub fn builder() -> ResourceServerBuilder {
        ResourceServerBuilder::default()
    }

    /// Judges the token of a request, and its proof of possession. Without the request's line, no proof can be checked.
    async fn judge(
        &self,
        headers: &HeaderMap,
        line: Option<(&Method, &str)>,
        resource: &str,
    ) -> Result<Authentication, CredentialError> {
        let presented = presented(headers)?;
        let token = presented.token;
        let (authentication, claims) = self.judge_token(token, resource).await?;
        match (presented.is_proved, claims.is_bound(), line) {
            (false, false, _) => Ok(authentication),
            (false, true, Some(_)) => Err(CredentialError::invalid_token(
                "the token is bound to a key: expected Authorization: DPoP, and a proof of possession (cnf)",
            )),
            (_, true, None) => Err(CredentialError::invalid_token(
                "the token is bound to a key, whose possession cannot be proved here (cnf)",
            )),
            (true, false, _) => Err(CredentialError::invalid_token(
                "the token is not bound to a key: expected Authorization: Bearer (cnf)",
            )),
            (true, true, Some((method, path))) => {
                let thumbprint = claims.key_thumbprint().ok_or_else(|| {
                    CredentialError::invalid_token(
                        "the token is bound in a way that cannot be proved here (cnf)",
                    )
                })?;
                let url = url_of(resource, path);
                let (thumbprint, now) = (thumbprint.as_str(), SystemTime::now());
                let check = ProofCheck { method, url: &url, token, thumbprint, now };
                let proved = check.run(headers, &self.used_proofs);
                proved.map(|()| authentication).map_err(CredentialError::invalid_proof)
            }
        }
    }

    async fn judge_token(
        &self,
        token: &str,
        resource: &str,
    ) -> Result<(Authentication, Arc<Claims>), CredentialError> {
        let jws = Jws::parse(token);
        let named = jws.as_ref().and_then(|jws| jws.claims.text("iss"));
        let issuer = named.and_then(|named| self.issuers.iter().find(|issuer| issuer.id == named));
        match (jws, issuer, &self.introspector) {
            // An issuer that signs its tokens is not queried about tokens whose signature is wrong.
            (Some(jws), Some(issuer), _) => {
                self.check_signature(&jws, issuer).await?;
                let claims = Arc::new(Claims(jws.claims));
                let accepted = self.accept(&claims, &issuer.id, &issuer.agent_prefix, resource, false)?;
                Ok((accepted, claims))
            }
            (_, _, Some(introspector)) => {
                let claims = introspector.claims(token).await?;
                let prefix = introspector.settings.agent_prefix.as_deref().unwrap_or_default();
                let accepted = self.accept(&claims, &introspector.settings.issuer, prefix, resource, true)?;
                Ok((accepted, claims))
            }
            (Some(_), None, None) => {
                Err(CredentialError::invalid_token("the token's issuer is unknown (iss)"))
            }
            (None, _, None) => Err(CredentialError::invalid_token("the token is not a signed access token")),
        }
    }

    async fn check_signature(&self, token: &Jws<'_>, issuer: &KnownIssuer) -> Result<(), CredentialError> {
        let algorithm =
            SignatureAlgorithm::parse(&token.algorithm).filter(|named| self.algorithms.contains(named));
        let Some(algorithm) = algorithm else {
            return Err(CredentialError::invalid_token(
                "the token is signed by an algorithm that is not allowed (alg)",
            ));
        };
        match issuer.keys.judge(|keys| keys.verify(algorithm, token)).await {
            Ok(true) => Ok(()),
            Ok(false) => Err(CredentialError::invalid_token("the token's signature is wrong")),
            Err(NoKey::Unknown) => {
                Err(CredentialError::invalid_token("the token is signed with an unknown key (kid)"))
            }
            Err(NoKey::Unavailable) => Err(CredentialError::unavailable(
                "the keys of the token's issuer cannot be fetched",
                issuer.keys.retry_after(),
            )),
        }
    }

    /// Returns the caller and the scopes of a verified token, if the token is for this server and valid now.
    fn accept(
        &self,
        claims: &Claims,
        issuer: &str,
        prefix: &str,
        resource: &str,
        vouched: bool,
    ) -> Result<Authentication, CredentialError> {
        let own = [resource];
        let named: Vec<&str> = self.audiences.iter().map(String::as_str).collect();
        let audiences = if named.is_empty() { &own[..] } else { &named };
        let (leeway, now) = (self.leeway, SystemTime::now());
        let expires = claims.check(&ExpectedClaims { issuer, audiences, leeway, now, vouched })?;
        let scopes = claims.scopes();
        let principal = self.subject.principal(claims, prefix, &scopes, &self.rules.admin)?;
        self.rules.check(&scopes)?;
        Ok(Authentication { scopes, expires, ..Authentication::new(principal) })
    }
}

/// Returns the URL of a request, as clients know it: that of the resource for its own path, else the path at the resource's origin. A proxy may
/// have removed the beginning of the resource's path.
fn url_of(resource: &str, path: &str) -> String {
    match Url::parse(resource) {
        Ok(url) if url.path().ends_with(path) => resource.to_owned(),
        Ok(mut url) => {
            url.set_path(path);
            url.into()
        }
        Err(_) => resource.to_owned(),
    }
}

#[async_trait]
impl Authenticate for ResourceServer {
    async fn authenticate(
        &self,
        headers: &HeaderMap,
        resource: &str,
    ) -> Result<Authentication, CredentialError> {
        let judged = self.judge(headers, None, resource).await;
        judged.map_err(|denied| denied.asking_for(&self.rules.required))
    }

    async fn authenticate_request(
        &self,
        request: RequestLine<'_>,
        headers: &HeaderMap,
        resource: &str,
    ) -> Result<Authentication, CredentialError> {
        let judged = self.judge(headers, Some((request.method, request.path)), resource).await;
        judged.map_err(|denied| denied.asking_for(&self.rules.required))
    }

    fn check(&self, who: &Authentication, method: &str, name: Option<&str>) -> Result<(), CredentialError> {
        self.rules.check_method(who, method, name)
    }

    fn metadata(&self) -> ResourceMetadata {
        self.metadata.clone()
    }
}
