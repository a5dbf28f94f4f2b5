//! Chooses the client: the one of the settings, one by its metadata document, one that was registered before, or a new one.

use super::{Client, dynamic, method};
use crate::auth::{
    OAuthError,
    clock::now,
    discovery::{ServerMetadata, same_issuer},
    settings::Settings,
    store::{AuthMethod, ClientOrigin, KeptClient, KeptGrant},
};
use mgp_transport::http::fetch::Fetcher;
use url::Url;

/// The inputs of the choice of a client.
#[derive(Debug, Clone, Copy)]
pub(in crate::auth) struct Choice<'a> {
    pub(in crate::auth) settings: &'a Settings,
    pub(in crate::auth) server: &'a ServerMetadata,
    /// The stored grant of the MCP server, from any issuer.
    pub(in crate::auth) kept: Option<&'a KeptGrant>,
}

impl Choice<'_> {
    /// Returns the client of the settings, if it belongs to this authorization server.
    pub(in crate::auth) fn of_settings(self) -> Result<Option<Client>, OAuthError> {
        let Some(client) = &self.settings.client else { return Ok(None) };
        let used = self.kept.and_then(|kept| kept.binding.as_ref()).filter(|used| used.client == client.id);
        let bound = client.issuer.as_deref().or(used.map(|used| used.issuer.as_str()));
        if bound.is_some_and(|issuer| !same_issuer(issuer, &self.server.issuer)) {
            tracing::warn!(
                issuer = %self.server.issuer,
                "the client of the settings belongs to another authorization server and is not used"
            );
            return Ok(None);
        }
        let method = method::of_settings(client, self.server)?;
        Ok(Some(Client::of_settings(client, method)))
    }

    /// Returns the client for a user who is redirected to `redirect_uri`, registering one if necessary.
    pub(in crate::auth) async fn for_user(
        self,
        fetcher: &Fetcher,
        redirect_uri: &Url,
    ) -> Result<Client, OAuthError> {
        if let Some(client) = self.of_settings()? {
            return Ok(client);
        }
        if let Some(document) = self.settings.document.as_ref().filter(|_| self.server.takes_documents) {
            let kept = KeptClient {
                origin: ClientOrigin::Document,
                id: document.to_string(),
                secret: None,
                secret_expires_at: None,
                method: AuthMethod::None,
                redirect_uri: None,
            };
            return Ok(Client { kept, key: None });
        }
        let of_server = |kept: &&KeptGrant| same_issuer(&kept.issuer, &self.server.issuer);
        let kept = self.kept.filter(of_server).map(|kept| &kept.client);
        if let Some(client) = kept.filter(|client| is_registered(client, redirect_uri)) {
            return Ok(Client { kept: client.clone(), key: None });
        }
        match &self.server.registration_endpoint {
            Some(endpoint) if self.settings.register => {
                let name = &self.settings.client_name;
                dynamic::register(fetcher, self.server, endpoint, name, redirect_uri).await
            }
            _ => Err(self.none()),
        }
    }

    /// Returns the error for the case that there is no client.
    pub(in crate::auth) fn none(self) -> OAuthError {
        let problem = match (&self.settings.client, &self.settings.document) {
            (Some(_), _) => "the client of the settings belongs to another one",
            (None, Some(_)) => "it takes no client metadata document and registers no clients",
            (None, None) => "it registers no clients: expected a client id in the settings",
        };
        OAuthError::NoClient { issuer: self.server.issuer.clone(), problem: problem.to_owned() }
    }
}

fn is_registered(client: &KeptClient, redirect_uri: &Url) -> bool {
    client.origin == ClientOrigin::Registration
        && client.redirect_uri.as_deref() == Some(redirect_uri.as_str())
        && is_usable(client)
}

/// Returns `true` if the client's secret has not expired.
pub(in crate::auth) fn is_usable(client: &KeptClient) -> bool {
    client.secret_expires_at.is_none_or(|at| now() < at)
}
