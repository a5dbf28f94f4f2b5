//! A client of an authorization server.

use crate::auth::{
    Secret, SigningKey,
    store::{AuthMethod, ClientOrigin, KeptClient},
};
use std::sync::Arc;

/// A client that a person registered beforehand.
///
/// Set its issuer: otherwise, a server could name any authorization server and obtain the secret. Without an issuer, the client
/// belongs to the first issuer that it is used with.
#[derive(Debug, Clone)]
pub struct RegisteredClient {
    pub(super) id: String,
    pub(super) secret: Option<Secret>,
    pub(super) key: Option<Arc<SigningKey>>,
    pub(super) issuer: Option<String>,
    pub(in crate::auth) method: Option<AuthMethod>,
}

impl RegisteredClient {
    /// Creates a client that authenticates only with its id.
    pub fn new(id: impl Into<String>) -> Self {
        Self { id: id.into(), secret: None, key: None, issuer: None, method: None }
    }

    /// Sets the secret that the client authenticates with.
    #[must_use]
    pub fn secret(mut self, secret: impl Into<Secret>) -> Self {
        self.secret = Some(secret.into());
        self
    }

    /// Sets the key of the assertions that the client authenticates with.
    #[must_use]
    pub fn key(mut self, key: SigningKey) -> Self {
        self.key = Some(Arc::new(key));
        self
    }

    /// Sets the only authorization server that the client is used with: its issuer, as that server's metadata writes it, with or without
    /// a slash at the end.
    #[must_use]
    pub fn issuer(mut self, issuer: impl Into<String>) -> Self {
        self.issuer = Some(issuer.into());
        self
    }

    pub(in crate::auth) fn its_issuer(&self) -> Option<&str> {
        self.issuer.as_deref()
    }

    /// Sets the authentication method of the client, regardless of the server's metadata.
    #[must_use]
    pub fn method(mut self, method: AuthMethod) -> Self {
        self.method = Some(method);
        self
    }
}

/// A client with all of its credentials.
#[derive(Debug, Clone)]
pub(in crate::auth) struct Client {
    pub(in crate::auth) kept: KeptClient,
    pub(in crate::auth) key: Option<Arc<SigningKey>>,
}

impl Client {
    /// Creates a client from the settings.
    pub(in crate::auth) fn of_settings(client: &RegisteredClient, method: AuthMethod) -> Self {
        let kept = KeptClient {
            origin: ClientOrigin::Settings,
            id: client.id.clone(),
            secret: client.secret.clone(),
            secret_expires_at: None,
            method,
            redirect_uri: None,
        };
        Self { kept, key: client.key.clone() }
    }

    /// Restores a stored client, with the secret and key of the settings if it comes from there. Returns `None` if the settings no
    /// longer contain this client.
    pub(in crate::auth) fn of_kept(kept: &KeptClient, settings: Option<&RegisteredClient>) -> Option<Self> {
        match kept.origin {
            ClientOrigin::Settings => {
                let client = settings.filter(|client| client.id == kept.id)?;
                Some(Self::of_settings(client, kept.method))
            }
            ClientOrigin::Document | ClientOrigin::Registration => {
                Some(Self { kept: kept.clone(), key: None })
            }
        }
    }

    /// Returns the stored form of the client, which contains no secret of the settings.
    pub(in crate::auth) fn to_kept(&self) -> KeptClient {
        let mut kept = self.kept.clone();
        if kept.origin == ClientOrigin::Settings {
            kept.secret = None;
        }
        kept
    }
}
