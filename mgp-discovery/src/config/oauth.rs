//! `[http.oauth]`: hosts that present a token of an authorization server.

use super::text::{Secret, Text};
use mgp_types::oauth::SignatureAlgorithm;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The `[http.oauth]` table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OAuthConfig {
    /// The URL by which hosts know the endpoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource: Option<String>,
    /// The audiences that are accepted instead of that URL: a token must name one of them.
    pub audiences: Vec<String>,
    /// The authorization servers whose signed tokens are accepted.
    pub issuers: Vec<OAuthIssuer>,
    /// The authorization server that is asked about tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub introspection: Option<OAuthIntrospection>,
    /// The algorithms that tokens may be signed with. Empty allows all that are known.
    pub algorithms: Vec<SignatureAlgorithm>,
    /// The scopes that every request requires.
    pub required_scopes: Vec<String>,
    /// The additional scopes that a method needs, by method.
    pub method_scopes: BTreeMap<String, Vec<String>>,
    /// The additional scopes that a call of a tool needs, by tool.
    pub tool_scopes: BTreeMap<String, Vec<String>>,
    /// The claim that holds the agent's id.
    pub agent_claim: String,
    /// The scope that gives the admin role.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub admin_scope: Option<String>,
    /// The claim that gives the admin role.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub admin_claim: Option<OAuthClaim>,
    /// The tolerated difference between clocks, in seconds.
    pub leeway_secs: u64,
}

impl Default for OAuthConfig {
    fn default() -> Self {
        Self {
            resource: None,
            audiences: Vec::new(),
            issuers: Vec::new(),
            introspection: None,
            algorithms: Vec::new(),
            required_scopes: Vec::new(),
            method_scopes: BTreeMap::new(),
            tool_scopes: BTreeMap::new(),
            agent_claim: "sub".to_owned(),
            admin_scope: None,
            admin_claim: None,
            leeway_secs: 60,
        }
    }
}

/// One entry of `http.oauth.issuers`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OAuthIssuer {
    /// The name of the authorization server, as its tokens state it.
    pub issuer: String,
    /// The address of the server's keys. `None` takes the address from the server's metadata.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jwks_url: Option<String>,
    /// The file with the server's keys, instead of fetching them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jwks_file: Option<Text>,
    /// The prefix for the ids of the agents that this server names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_prefix: Option<String>,
}

/// The `[http.oauth.introspection]` table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OAuthIntrospection {
    /// The name of the authorization server.
    pub issuer: String,
    /// The address of the introspection endpoint.
    pub url: String,
    /// The kernel's client id there.
    pub client_id: Text,
    /// The kernel's client secret there.
    pub client_secret: Secret,
    /// The time for which an answer is reused, in seconds.
    #[serde(default = "remember_secs")]
    pub remember_secs: u64,
    /// The prefix for the ids of the agents that this server names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_prefix: Option<String>,
}

fn remember_secs() -> u64 {
    30
}

/// A claim and a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OAuthClaim {
    /// The claim's name.
    pub name: String,
    /// The claim's value, or one of its values.
    pub value: String,
}
