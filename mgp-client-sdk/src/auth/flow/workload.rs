//! The JWT bearer grant (RFC 7523 §2.1): a party that the authorization server trusts vouches for the client.

use super::{GrantContext, GrantedTokens};
use crate::auth::{OAuthError, Secret, registration::Client, secret_source::SecretSource};

const BEARER: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";

impl GrantContext<'_> {
    /// Requests tokens with an assertion of the platform of this program.
    pub(super) async fn workload(self, source: &dyn SecretSource) -> Result<GrantedTokens, OAuthError> {
        let client = self.own_client()?;
        let assertion = source.secret(&self.found.server.issuer).await;
        let assertion = assertion.map_err(|error| OAuthError::Assertion(error.to_string()))?;
        let resource = self.found.resource.as_deref();
        self.by_assertion("access token of the workload", client, &assertion, resource).await
    }

    /// Trades an assertion for a token.
    pub(super) async fn by_assertion(
        self,
        what: &'static str,
        client: Client,
        assertion: &Secret,
        resource: Option<&str>,
    ) -> Result<GrantedTokens, OAuthError> {
        let scope = self.scope();
        let fields = [
            ("grant_type", Some(BEARER)),
            ("assertion", Some(assertion.expose())),
            ("resource", resource),
            ("scope", scope.as_deref()),
        ];
        let tokens = self.tokens(what, &client, &fields).await?;
        Ok(GrantedTokens { client, tokens })
    }
}
