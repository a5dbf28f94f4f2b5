//! The authorization code grant: a user is asked.

use super::{GrantContext, GrantedTokens, pkce::Pkce, redirect::ExpectedRedirect};
use crate::auth::{
    OAuthError, random, registration::Client, scope::OFFLINE, token::form, user_agent::UserAgent,
};
use url::Url;

const WHAT: &str = "access token";

impl GrantContext<'_> {
    /// Sends the user to the authorization server and trades the returned code.
    pub(super) async fn code(self, agent: &dyn UserAgent) -> Result<GrantedTokens, OAuthError> {
        let server = &self.found.server;
        let unsupported = |what, problem: &str| OAuthError::Unsupported {
            issuer: server.issuer.clone(),
            what,
            problem: problem.to_owned(),
        };
        let endpoint = server.authorization_endpoint.as_ref().ok_or_else(|| {
            unsupported("the authorization code grant", "its metadata has no authorization_endpoint")
        })?;
        if !server.pkce {
            return Err(unsupported(
                "PKCE with S256",
                "its metadata does not list S256 in code_challenge_methods_supported",
            ));
        }
        let earlier = self.kept.and_then(|kept| kept.client.redirect_uri.as_deref());
        let earlier = earlier.and_then(|uri| Url::parse(uri).ok());
        let visit = agent.begin(earlier.as_ref()).await?;
        let redirect_uri = visit.redirect_uri().clone();
        let client = self.choice().for_user(self.fetcher, &redirect_uri).await?;
        let (pkce, state) = (Pkce::new()?, random::text()?);
        let url = self.url(endpoint, &client, &redirect_uri, &pkce, &state);
        let limit = self.settings.timeout;
        let redirect = tokio::time::timeout(limit, visit.authorize(&url)).await;
        let redirect = redirect.map_err(|_| OAuthError::Timeout(limit))??;
        let expected = ExpectedRedirect { redirect_uri: &redirect_uri, state: &state, server };
        let code = expected.code(&redirect)?;
        let fields = [
            ("grant_type", Some("authorization_code")),
            ("code", Some(code.expose())),
            ("redirect_uri", Some(redirect_uri.as_str())),
            ("code_verifier", Some(pkce.verifier.expose())),
            ("resource", self.found.resource.as_deref()),
        ];
        let tokens = self.tokens(WHAT, &client, &fields).await?;
        Ok(GrantedTokens { client, tokens })
    }

    /// Returns the URL of the authorization request, which the user visits.
    fn url(self, endpoint: &Url, client: &Client, redirect_uri: &Url, pkce: &Pkce, state: &str) -> Url {
        let scope = self.scope();
        let fields = form(&[
            ("response_type", Some("code")),
            ("client_id", Some(&client.kept.id)),
            ("redirect_uri", Some(redirect_uri.as_str())),
            ("code_challenge", Some(&pkce.challenge)),
            ("code_challenge_method", Some("S256")),
            ("state", Some(state)),
            ("resource", self.found.resource.as_deref()),
            ("scope", scope.as_deref()),
            // OpenID Connect Core §11: without it offline_access is ignored.
            ("prompt", self.scopes.iter().any(|scope| scope == OFFLINE).then_some("consent")),
        ]);
        let mut url = endpoint.clone();
        let query = match endpoint.query() {
            Some(query) if !query.is_empty() => format!("{query}&{fields}"),
            _ => fields,
        };
        url.set_query(Some(&query));
        url.set_fragment(None);
        url
    }
}
