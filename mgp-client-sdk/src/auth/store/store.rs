//! What is kept of an authorization, and the trait of who keeps it.

use super::StoreHold;
use crate::auth::{Secret, clock::now};
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use std::{fmt, path::PathBuf, time::Duration};

/// Keeps what was authorized, one grant a server.
#[async_trait]
pub trait TokenStore: fmt::Debug + Send + Sync {
    /// What is kept of a server, which is named by its URL.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn load(&self, server: &str) -> Result<Option<KeptGrant>, StoreError>;

    /// Keeps this of a server, in the place of what was kept before.
    ///
    /// # Errors
    /// [`StoreError`]; what was kept before is then kept still.
    async fn save(&self, server: &str, grant: &KeptGrant) -> Result<(), StoreError>;

    /// Forgets a server.
    ///
    /// # Errors
    /// [`StoreError`].
    async fn remove(&self, server: &str) -> Result<(), StoreError>;

    /// Keeps others who share the store from trading this server's tokens, from before they are loaded until they are saved. A
    /// refresh token is often good for one use, and some authorization servers take the second for a theft and withdraw
    /// everything. Waits for who holds it now, for `limit` at most; `load`, `save` and `remove` wait for nobody.
    ///
    /// A store that nobody shares holds nothing, as here.
    ///
    /// # Errors
    /// [`StoreError`], also after `limit`.
    async fn hold(&self, server: &str, limit: Duration) -> Result<StoreHold, StoreError> {
        let _ = (server, limit);
        Ok(StoreHold::new(()))
    }
}

/// Why tokens could not be read or kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The file or its folder.
    #[error("failed to use the tokens in {path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        source: std::io::Error,
    },
    /// The file holds something else.
    #[error("cannot read the tokens in {path}: {problem}")]
    Broken {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// A store of another kind.
    #[error("failed to use the token store: {0}")]
    Other(String),
}

/// What is kept of one server. All of it belongs to one issuer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptGrant {
    /// The authorization server that gave it, and the only one that it is shown to.
    pub issuer: String,
    /// Where that server gives tokens.
    pub token_endpoint: String,
    /// The resource that the tokens are for, as its metadata names it; none of a server without such metadata.
    pub resource: Option<String>,
    /// The client that they were given to.
    pub client: KeptClient,
    /// The scopes that were asked for.
    pub scopes: Vec<String>,
    /// The tokens; none where they were refused since.
    pub tokens: Option<Tokens>,
    /// Which issuer the client of the settings belongs to, where they do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub binding: Option<Binding>,
}

/// A client of the settings belongs to the first issuer that it was used with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Binding {
    /// The client id.
    pub client: String,
    /// The issuer.
    pub issuer: String,
}

/// A client as an authorization server knows it. What stands in the settings, secrets among them, is not kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptClient {
    /// Where the id comes from.
    pub origin: ClientOrigin,
    /// The client id.
    pub id: String,
    /// The secret that came with a registration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<Secret>,
    /// When that secret ends, in seconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret_expires_at: Option<u64>,
    /// How it authenticates where tokens are given.
    pub method: AuthMethod,
    /// The redirect URI that was registered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redirect_uri: Option<String>,
}

/// Where a client id comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ClientOrigin {
    /// It stands in the settings.
    Settings,
    /// It is the URL of the client's metadata document.
    Document,
    /// It was registered on the way (RFC 7591).
    Registration,
}

/// How a client authenticates where tokens are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AuthMethod {
    /// It only says its id.
    None,
    /// Its secret as the password of HTTP Basic.
    ClientSecretBasic,
    /// Its secret as a field of the form.
    ClientSecretPost,
    /// An assertion that it signed.
    PrivateKeyJwt,
}

impl AuthMethod {
    /// Its name in metadata.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::ClientSecretBasic => "client_secret_basic",
            Self::ClientSecretPost => "client_secret_post",
            Self::PrivateKeyJwt => "private_key_jwt",
        }
    }

    /// The method of a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        [Self::None, Self::ClientSecretBasic, Self::ClientSecretPost, Self::PrivateKeyJwt]
            .into_iter()
            .find(|method| method.as_str() == name)
    }
}

/// Tokens as they were given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tokens {
    /// What requests carry.
    pub access: Secret,
    /// What gives a new access token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refresh: Option<Secret>,
    /// When the access token is to be renewed, shortly before its end, in seconds since 1970; none where nobody said when that is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub renew_at: Option<u64>,
}

impl Tokens {
    /// Whether the access token need not be renewed yet.
    #[must_use]
    pub fn is_fresh(&self) -> bool {
        self.renew_at.is_none_or(|at| now() < at)
    }
}
