//! `[servers.auth.oauth]`: tokens that are obtained from the server's authorization server when the server requires them.

use super::text::Secret;
use serde::{Deserialize, Serialize};

/// The `[servers.auth.oauth]` table. An empty table suffices if the server provides everything: the user is sent to a
/// browser, and the client registers itself.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transform = super::annotate::ordered::<Self>))]
#[serde(default, deny_unknown_fields)]
pub struct ServerOAuth {
    /// On whose behalf tokens are obtained when the server requires them: for the user, whose browser is opened, or for the client itself. Excludes
    /// `bearer` and `api_key`.
    pub grant: OAuthGrant,
    /// The id of a client that is already registered with the authorization server. Without it, the client registers itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// The client's secret. Needs `client_id` and `issuer`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_secret: Option<Secret>,
    /// The authorization server of `client_id`, spelled as it names itself, with or without a slash at the end. The client's id and secret are sent to no other server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issuer: Option<String>,
    /// The `https` address of a document that describes the client; the address is the client's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_metadata: Option<String>,
    /// The scopes to request. Default: those that the server names.
    pub scopes: Vec<String>,
}

/// The party on whose behalf tokens are obtained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum OAuthGrant {
    /// The user, who is sent to a browser.
    #[default]
    User,
    /// The client itself.
    ClientCredentials,
}
