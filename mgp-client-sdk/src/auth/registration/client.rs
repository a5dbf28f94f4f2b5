//! A client of an authorization server.

use crate::auth::{
    Secret, SigningKey,
    store::{AuthMethod, ClientOrigin, KeptClient},
};
use std::sync::Arc;

/// A client that was registered beforehand, by a person.
///
/// Name its issuer: a server could otherwise name any authorization server and be shown the secret. Without an issuer the client
/// belongs to the first one that the server names.
#[derive(Debug, Clone)]
pub struct RegisteredClient {
    pub(super) id: String,
    pub(super) secret: Option<Secret>,
    pub(super) key: Option<Arc<SigningKey>>,
    pub(super) issuer: Option<String>,
    pub(in crate::auth) method: Option<AuthMethod>,
}

impl RegisteredClient {
    /// A client by its id, which authenticates with nothing else.
    pub fn new(id: impl Into<String>) -> Self {
        Self { id: id.into(), secret: None, key: None, issuer: None, method: None }
    }

    /// It authenticates with a secret.
    #[must_use]
    pub fn secret(mut self, secret: impl Into<Secret>) -> Self {
        self.secret = Some(secret.into());
        self
    }

    /// It authenticates with assertions that it signs.
    #[must_use]
    pub fn key(mut self, key: SigningKey) -> Self {
        self.key = Some(Arc::new(key));
        self
    }

    /// The only authorization server that it is shown to, letter by letter as that server writes itself.
    #[must_use]
    pub fn issuer(mut self, issuer: impl Into<String>) -> Self {
        self.issuer = Some(issuer.into());
        self
    }

    pub(in crate::auth) fn its_issuer(&self) -> Option<&str> {
        self.issuer.as_deref()
    }

    /// How it authenticates, whatever the server's metadata says.
    #[must_use]
    pub fn method(mut self, method: AuthMethod) -> Self {
        self.method = Some(method);
        self
    }
}

/// A client as it is used, with all that it authenticates with.
#[derive(Debug, Clone)]
pub(in crate::auth) struct Client {
    pub(in crate::auth) kept: KeptClient,
    pub(in crate::auth) key: Option<Arc<SigningKey>>,
}

impl Client {
    /// A client of the settings.
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

    /// A kept client, with what stands in the settings; none where the settings have changed.
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

    /// What is kept of it: no secret of the settings.
    pub(in crate::auth) fn to_kept(&self) -> KeptClient {
        let mut kept = self.kept.clone();
        if kept.origin == ClientOrigin::Settings {
            kept.secret = None;
        }
        kept
    }
}
