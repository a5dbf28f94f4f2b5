//! The identity provider of an enterprise.

use super::{RegisteredClient, Secret, SigningKey, secret_source::SecretSource, store::AuthMethod};
use std::sync::Arc;
use url::Url;

/// The identity provider of an enterprise, and the client's credentials there.
#[derive(Debug)]
pub struct Enterprise {
    pub(super) token_endpoint: Url,
    pub(super) issuer: Option<String>,
    pub(super) client: RegisteredClient,
    pub(super) id_token: Arc<dyn SecretSource>,
}

impl Enterprise {
    /// Creates an identity provider with its token endpoint, the client's id there, and a source of the user's ID token, which the
    /// provider issued to this client.
    pub fn new(
        token_endpoint: Url,
        client_id: impl Into<String>,
        id_token: impl SecretSource + 'static,
    ) -> Self {
        let client = RegisteredClient::new(client_id);
        Self { token_endpoint, issuer: None, client, id_token: Arc::new(id_token) }
    }

    /// Authenticates at the identity provider with a secret, as a field of the form.
    #[must_use]
    pub fn secret(mut self, secret: impl Into<Secret>) -> Self {
        self.client = self.client.secret(secret).method(AuthMethod::ClientSecretPost);
        self
    }

    /// Authenticates at the identity provider with the issuer `issuer`, with assertions that the client signs.
    #[must_use]
    pub fn key(mut self, key: SigningKey, issuer: impl Into<String>) -> Self {
        self.client = self.client.key(key).method(AuthMethod::PrivateKeyJwt);
        self.issuer = Some(issuer.into());
        self
    }
}
