//! `[servers.auth.oauth]`: tokens that are obtained from the server's authorization server when the server requires them.

use super::text::Secret;
use serde::{Deserialize, Serialize};

/// The `[servers.auth.oauth]` table. An empty table suffices if the server provides everything: the user is sent to a
/// browser, and the client registers itself.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ServerOAuth {
    /// The party on whose behalf tokens are obtained.
    pub grant: OAuthGrant,
    /// The id of a client that was registered before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// The secret of that client.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_secret: Option<Secret>,
    /// The authorization server that knows the client. The secret is sent to no other one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issuer: Option<String>,
    /// The address of a document that describes the client. The address is the client's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_metadata: Option<String>,
    /// The scopes to ask for. Empty means those that the server names.
    pub scopes: Vec<String>,
}

/// The party on whose behalf tokens are obtained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OAuthGrant {
    /// The user, who is sent to a browser.
    #[default]
    User,
    /// The client itself.
    ClientCredentials,
}
