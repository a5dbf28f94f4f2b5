//! `[http.oauth]`: hosts that present a token of an authorization server.

use super::text::{Secret, Text};
use mgp_types::oauth::SignatureAlgorithm;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The `[http.oauth]` table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transform = super::annotate::ordered::<Self>))]
#[serde(default, deny_unknown_fields)]
pub struct OAuthConfig {
    /// The URL by which hosts know the endpoint, and the audience of tokens. Default: the URL of the bound address.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(url))]
    pub resource: Option<String>,
    /// The audiences that are accepted instead of `resource`: a token must name one of them.
    pub audiences: Vec<String>,
    /// The authorization servers whose signed tokens are accepted.
    pub issuers: Vec<OAuthIssuer>,
    /// The authorization server that is asked about tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub introspection: Option<OAuthIntrospection>,
    /// The algorithms that tokens may be signed with; any of these if the list is empty.
    pub algorithms: Vec<SignatureAlgorithm>,
    /// The scopes that every request needs.
    pub required_scopes: Vec<String>,
    /// The scopes that the method of that name, such as `resources/read`, needs in addition.
    pub method_scopes: BTreeMap<String, Vec<String>>,
    /// The scopes that a call of the tool of that name, `tool` or `server__tool`, needs in addition.
    pub tool_scopes: BTreeMap<String, Vec<String>>,
    /// The claim that holds the agent's id, as grants name it.
    pub agent_claim: String,
    /// The scope that lets a token's owner grant, approve and read the audit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub admin_scope: Option<String>,
    /// The claim that gives the admin role.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub admin_claim: Option<OAuthClaim>,
    /// The greatest difference between the clocks of an authorization server and of this machine, in seconds.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 600)))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transform = super::annotate::ordered::<Self>))]
#[serde(deny_unknown_fields)]
pub struct OAuthIssuer {
    /// An authorization server whose signed tokens are accepted, spelled exactly as in their `iss`. Unique.
    #[cfg_attr(feature = "schema", schemars(url))]
    pub issuer: String,
    /// The address of the server's keys, over `https` or on this machine. Default: the one in its metadata.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(url))]
    pub jwks_url: Option<String>,
    /// A file with the server's keys (a JWK set). With it, nothing is fetched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jwks_file: Option<Text>,
    /// A prefix for the ids of the agents that this server names. With several authorization servers, each needs one, even if it is `""`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_prefix: Option<String>,
}

/// The `[http.oauth.introspection]` table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transform = super::annotate::ordered::<Self>))]
#[serde(deny_unknown_fields)]
pub struct OAuthIntrospection {
    /// The authorization server that checks tokens that are not signed by one of `issuers`.
    #[cfg_attr(feature = "schema", schemars(url))]
    pub issuer: String,
    /// The server's introspection endpoint (RFC 7662), over `https` or on this machine.
    #[cfg_attr(feature = "schema", schemars(url))]
    pub url: String,
    /// The gateway's client id at that server.
    pub client_id: Text,
    /// The gateway's client secret at that server.
    pub client_secret: Secret,
    /// The time for which an answer is reused, in seconds. A revoked token is accepted for no longer than this.
    #[serde(default = "remember_secs")]
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 3600)))]
    pub remember_secs: u64,
    /// A prefix for the ids of the agents that this server names, as `agent_prefix` of `issuers`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_prefix: Option<String>,
}

fn remember_secs() -> u64 {
    30
}

/// A claim and a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transform = super::annotate::ordered::<Self>))]
#[serde(deny_unknown_fields)]
pub struct OAuthClaim {
    /// The name of a claim that gives the same rights as `admin_scope`.
    pub name: String,
    /// The claim's value, or one of its values.
    pub value: String,
}
