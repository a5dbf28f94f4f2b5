//! The OAuth resource server, which verifies tokens.

use super::{
    ResourceServerBuilder,
    claims::{Claims, ExpectedClaims},
    introspection::Introspector,
    keys::{KeyCache, NoKey},
    rules::Rules,
    subject::Subject,
    token::{Jws, bearer},
};
use async_trait::async_trait;
use http::HeaderMap;
use mgp_transport::seam::{Authenticate, Authentication, CredentialError, ResourceMetadata};
use mgp_types::oauth::SignatureAlgorithm;
use std::time::{Duration, SystemTime};

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

    async fn judge(&self, token: &str, resource: &str) -> Result<Authentication, CredentialError> {
        let jws = Jws::parse(token);
        let named = jws.as_ref().and_then(|jws| jws.claims.text("iss"));
        let issuer = named.and_then(|named| self.issuers.iter().find(|issuer| issuer.id == named));
        match (jws, issuer, &self.introspector) {
            // An issuer that signs its tokens is not queried about tokens whose signature is wrong.
            (Some(jws), Some(issuer), _) => {
                self.check_signature(&jws, issuer).await?;
                self.accept(&Claims(jws.claims), &issuer.id, &issuer.agent_prefix, resource, false)
            }
            (_, _, Some(introspector)) => {
                let claims = introspector.claims(token).await?;
                let prefix = introspector.settings.agent_prefix.as_deref().unwrap_or_default();
                self.accept(&claims, &introspector.settings.issuer, prefix, resource, true)
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

#[async_trait]
impl Authenticate for ResourceServer {
    async fn authenticate(
        &self,
        headers: &HeaderMap,
        resource: &str,
    ) -> Result<Authentication, CredentialError> {
        let judged = match bearer(headers) {
            Ok(token) => self.judge(token, resource).await,
            Err(denied) => Err(denied),
        };
        judged.map_err(|denied| denied.asking_for(&self.rules.required))
    }

    fn check(&self, who: &Authentication, method: &str, name: Option<&str>) -> Result<(), CredentialError> {
        self.rules.check_method(who, method, name)
    }

    fn metadata(&self) -> ResourceMetadata {
        self.metadata.clone()
    }
}
