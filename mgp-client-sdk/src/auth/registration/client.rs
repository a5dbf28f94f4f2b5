//! A client of an authorization server.

use crate::auth::{
    SigningKey,
    registered_client::RegisteredClient,
    store::{AuthMethod, ClientOrigin, KeptClient},
};
use std::sync::Arc;

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
