//! `[servers.auth.oauth]`: tokens that are got from the server's authorization server, when it asks for them.

use super::text::Secret;
use serde::{Deserialize, Serialize};

/// The `[servers.auth.oauth]` table. Empty where the server says all there is to know: the user is sent to a browser, and the
/// client registers itself.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ServerOAuth {
    /// On whose behalf tokens are got.
    pub grant: OAuthGrant,
    /// The id of a client that was registered before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// Its secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_secret: Option<Secret>,
    /// The authorization server that knows the client: no other is shown its secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issuer: Option<String>,
    /// The address of a document that describes the client, and is its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_metadata: Option<String>,
    /// What to ask for; what the server names where empty.
    pub scopes: Vec<String>,
}

/// On whose behalf tokens are got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OAuthGrant {
    /// The user's, who is sent to a browser.
    #[default]
    User,
    /// The client's own.
    ClientCredentials,
}
