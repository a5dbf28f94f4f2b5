//! The stored record of an authorization, and the trait of stores.

use super::StoreHold;
use crate::auth::{Secret, clock::now};
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use std::{fmt, path::PathBuf, time::Duration};

/// A store of grants, one for each server.
#[async_trait]
pub trait TokenStore: fmt::Debug + Send + Sync {
    /// Loads the grant of a server, by its URL.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn load(&self, server: &str) -> Result<Option<KeptGrant>, StoreError>;

    /// Saves the grant of a server, replacing the earlier one.
    ///
    /// # Errors
    /// [`StoreError`]; the earlier grant is then unchanged.
    async fn save(&self, server: &str, grant: &KeptGrant) -> Result<(), StoreError>;

    /// Removes the grant of a server.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn remove(&self, server: &str) -> Result<(), StoreError>;

    /// Prevents other processes that share the store from trading this server's tokens, from before they are loaded until they
    /// are saved. A refresh token is often valid for one use, and some authorization servers treat a second use as theft and
    /// revoke everything. Waits at most `limit` for the current holder; `load`, `save` and `remove` do not wait for a holder.
    ///
    /// A store that is not shared needs no hold, so the default implementation returns an empty one.
    ///
    /// # Errors
    /// [`StoreError`], also after `limit`.
    async fn hold(&self, server: &str, limit: Duration) -> Result<StoreHold, StoreError> {
        let _ = (server, limit);
        Ok(StoreHold::new(()))
    }
}

/// The error of a token store that could not read or save tokens.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The file or its folder could not be used.
    #[error("failed to use the tokens in {path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The file does not hold tokens in a known format.
    #[error("cannot read the tokens in {path}: {problem}")]
    Broken {
        /// The file.
        path: PathBuf,
        /// The problem with the content.
        problem: String,
    },
    /// An error of another kind of store.
    #[error("failed to use the token store: {0}")]
    Other(String),
}

/// The stored grant of one server. All of it belongs to one issuer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptGrant {
    /// The authorization server that issued the grant, and the only one that it is sent to.
    pub issuer: String,
    /// The token endpoint of that authorization server.
    pub token_endpoint: String,
    /// The resource that the tokens are for, as its metadata names it; `None` for a server without such metadata.
    pub resource: Option<String>,
    /// The client that the tokens were issued to.
    pub client: KeptClient,
    /// The requested scopes.
    pub scopes: Vec<String>,
    /// The tokens; `None` if their refresh token was rejected since.
    pub tokens: Option<Tokens>,
    /// The issuer that the client of the settings belongs to, if the settings do not name one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub binding: Option<Binding>,
}

/// The binding of a client of the settings to the first issuer that it was used with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Binding {
    /// The client id.
    pub client: String,
    /// The issuer.
    pub issuer: String,
}

/// A client of an authorization server. Values of the settings, such as secrets, are not stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptClient {
    /// The origin of the client id.
    pub origin: ClientOrigin,
    /// The client id.
    pub id: String,
    /// The secret from a registration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<Secret>,
    /// The time at which that secret expires, in seconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_expires_at: Option<u64>,
    /// The client's authentication method at the token endpoint.
    pub method: AuthMethod,
    /// The redirect URI that was registered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redirect_uri: Option<String>,
}

/// The origin of a client id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ClientOrigin {
    /// The id is in the settings.
    Settings,
    /// The id is the URL of the client's metadata document.
    Document,
    /// The id comes from a dynamic registration (RFC 7591).
    Registration,
}

/// A method of client authentication at the token endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AuthMethod {
    /// The client sends only its id.
    None,
    /// The client sends its secret as the password of HTTP Basic.
    ClientSecretBasic,
    /// The client sends its secret as a field of the form.
    ClientSecretPost,
    /// The client sends an assertion that it signed.
    PrivateKeyJwt,
}

impl AuthMethod {
    /// Returns the method's name in metadata.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::ClientSecretBasic => "client_secret_basic",
            Self::ClientSecretPost => "client_secret_post",
            Self::PrivateKeyJwt => "private_key_jwt",
        }
    }

    /// Returns the method with a name, or `None` if the name is unknown.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        [Self::None, Self::ClientSecretBasic, Self::ClientSecretPost, Self::PrivateKeyJwt]
            .into_iter()
            .find(|method| method.as_str() == name)
    }
}

/// The tokens of a grant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tokens {
    /// The access token, which requests contain.
    pub access: Secret,
    /// The refresh token, which can be traded for a new access token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refresh: Option<Secret>,
    /// The time at which the access token is to be renewed, shortly before its expiry, in seconds since 1970; `None` if the
    /// authorization server gave no lifetime.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub renew_at: Option<u64>,
    /// The private key that the tokens are bound to (RFC 9449), in PKCS #8 as base64; `None` for bearer tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof_key: Option<Secret>,
}

impl Tokens {
    /// Returns `true` if the access token does not need to be renewed yet.
    #[must_use]
    pub fn is_fresh(&self) -> bool {
        self.renew_at.is_none_or(|at| now() < at)
    }
}
