//! Enterprise-managed authorization: the enterprise's identity provider decides which users may use a server, and trades the
//! user's ID token for an assertion (ID-JAG). The assertion is then traded for a token at the server's authorization server.

use super::{GrantContext, GrantedTokens};
use crate::auth::{
    OAuthError, Secret, enterprise::Enterprise, error::shown, registration::Client, store::AuthMethod,
    token::TokenRequest,
};
use mgp_transport::http::{
    fetch::{FetchLimits, Fetcher, shown_url},
    zone::Zone,
};

const WHAT: &str = "assertion of the identity provider";
const EXCHANGE: &str = "urn:ietf:params:oauth:grant-type:token-exchange";
const ID_JAG: &str = "urn:ietf:params:oauth:token-type:id-jag";
const ID_TOKEN: &str = "urn:ietf:params:oauth:token-type:id_token";

impl GrantContext<'_> {
    pub(super) async fn enterprise(self, enterprise: &Enterprise) -> Result<GrantedTokens, OAuthError> {
        let client = self.own_client()?;
        let assertion = self.exchange(enterprise).await?;
        // The assertion itself names the resource.
        self.by_assertion("access token for the enterprise's user", client, &assertion, None).await
    }

    async fn exchange(self, enterprise: &Enterprise) -> Result<Secret, OAuthError> {
        let endpoint = &enterprise.token_endpoint;
        let issuer = enterprise.issuer.as_deref().unwrap_or(endpoint.as_str());
        let id_token = enterprise.id_token.secret(issuer).await;
        let id_token = id_token.map_err(|error| OAuthError::Assertion(error.to_string()))?;
        let client = &enterprise.client;
        let client = Client::of_settings(client, client.method.unwrap_or(AuthMethod::None));
        let scope = self.scope();
        let fields = [
            ("grant_type", Some(EXCHANGE)),
            ("requested_token_type", Some(ID_JAG)),
            ("audience", Some(self.found.server.issuer.as_str())),
            ("resource", self.found.resource.as_deref()),
            ("scope", scope.as_deref()),
            ("subject_token", Some(id_token.expose())),
            ("subject_token_type", Some(ID_TOKEN)),
        ];
        // The settings name the identity provider, so it may be in any network.
        let fetcher = Fetcher::new(FetchLimits::default(), Zone::Local)
            .map_err(|source| OAuthError::Fetch { what: WHAT, source })?;
        let request =
            TokenRequest { what: WHAT, issuer, endpoint, client: &client, proof_key: None, fields: &fields };
        let response = request.send(&fetcher).await?;
        match response.issued_token_type.as_deref() {
            Some(ID_JAG) => Ok(response.access_token),
            other => Err(OAuthError::Content {
                what: WHAT,
                url: shown_url(endpoint),
                problem: format!(
                    "expected issued_token_type {ID_JAG}, found {:?}",
                    shown(other.unwrap_or_default())
                ),
            }),
        }
    }
}
