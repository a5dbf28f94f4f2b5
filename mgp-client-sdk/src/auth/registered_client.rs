//! A client that a person registered beforehand.

use super::{Secret, SigningKey, store::AuthMethod};
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
    pub(super) method: Option<AuthMethod>,
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

    pub(super) fn its_issuer(&self) -> Option<&str> {
        self.issuer.as_deref()
    }

    /// Sets the authentication method of the client, regardless of the server's metadata.
    #[must_use]
    pub fn method(mut self, method: AuthMethod) -> Self {
        self.method = Some(method);
        self
    }
}
