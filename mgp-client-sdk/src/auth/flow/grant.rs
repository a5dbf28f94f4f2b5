//! Requests tokens with the grant of the settings.

use crate::auth::{
    OAuthError,
    discovery::DiscoveryResult,
    dpop::ProofKey,
    registration::{Choice, Client},
    settings::{Grant, Settings},
    store::{KeptGrant, Tokens},
    token::TokenRequest,
};
use mgp_transport::http::fetch::Fetcher;

/// A request for tokens, with the settings and metadata that it needs.
#[derive(Debug, Clone, Copy)]
pub(in crate::auth) struct GrantContext<'a> {
    pub(in crate::auth) settings: &'a Settings,
    pub(in crate::auth) fetcher: &'a Fetcher,
    pub(in crate::auth) found: &'a DiscoveryResult,
    pub(in crate::auth) kept: Option<&'a KeptGrant>,
    pub(in crate::auth) scopes: &'a [String],
    /// The key that the tokens are to be bound to.
    pub(in crate::auth) proof_key: Option<&'a ProofKey>,
}

/// The tokens that were granted, and the client that they were granted to.
#[derive(Debug)]
pub(in crate::auth) struct GrantedTokens {
    pub(in crate::auth) client: Client,
    pub(in crate::auth) tokens: Tokens,
}

impl<'a> GrantContext<'a> {
    /// Sends the request, with the grant of the settings.
    pub(in crate::auth) async fn run(self) -> Result<GrantedTokens, OAuthError> {
        match &self.settings.grant {
            Grant::User(agent) => self.code(agent.as_ref()).await,
            Grant::Client => self.client_credentials().await,
            Grant::Enterprise(enterprise) => self.enterprise(enterprise).await,
            Grant::Workload(source) => self.workload(source.as_ref()).await,
        }
    }

    pub(super) fn choice(self) -> Choice<'a> {
        Choice { settings: self.settings, server: &self.found.server, kept: self.kept }
    }

    /// Returns the client of the settings, which grants without a user need.
    pub(super) fn own_client(self) -> Result<Client, OAuthError> {
        self.choice().of_settings()?.ok_or_else(|| self.choice().none())
    }

    /// Returns the scopes as one text, or `None` if the choice is left to the authorization server.
    pub(super) fn scope(self) -> Option<String> {
        (!self.scopes.is_empty()).then(|| self.scopes.join(" "))
    }

    /// Requests tokens from the authorization server.
    pub(super) async fn tokens(
        self,
        what: &'static str,
        client: &Client,
        fields: &[(&str, Option<&str>)],
    ) -> Result<Tokens, OAuthError> {
        let server = &self.found.server;
        let endpoint = &server.token_endpoint;
        let proof_key = self.proof_key;
        let request = TokenRequest { what, issuer: &server.issuer, endpoint, client, proof_key, fields };
        let response = request.send(self.fetcher).await?;
        response.into_tokens(what, &server.issuer, self.settings.leeway, proof_key)
    }
}
