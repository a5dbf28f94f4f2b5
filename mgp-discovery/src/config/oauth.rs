//! `[http.oauth]`: hosts that come with a token of an authorization server.

use super::text::{Secret, Text};
use mgp_types::oauth::SignatureAlgorithm;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The `[http.oauth]` table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OAuthConfig {
    /// The URL that hosts know the endpoint by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource: Option<String>,
    /// What tokens must name as their audience, in the place of that URL.
    pub audiences: Vec<String>,
    /// The authorization servers whose signed tokens count.
    pub issuers: Vec<OAuthIssuer>,
    /// The authorization server that is asked about tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub introspection: Option<OAuthIntrospection>,
    /// The algorithms that tokens may be signed by; all that are known where there are none.
    pub algorithms: Vec<SignatureAlgorithm>,
    /// The scopes that every request needs.
    pub required_scopes: Vec<String>,
    /// The scopes that a method needs beside those.
    pub method_scopes: BTreeMap<String, Vec<String>>,
    /// The scopes that a call of a tool needs beside those.
    pub tool_scopes: BTreeMap<String, Vec<String>>,
    /// The claim that holds the agent's id.
    pub agent_claim: String,
    /// The scope that gives the admin role.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub admin_scope: Option<String>,
    /// The claim that gives the admin role.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub admin_claim: Option<OAuthClaim>,
    /// How far clocks may differ, in seconds.
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
    /// Its name, as its tokens bear it.
    pub issuer: String,
    /// Where its keys are; its metadata says so where this is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jwks_url: Option<String>,
    /// The file that its keys stand in, where nothing is to be fetched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jwks_file: Option<Text>,
    /// What the ids of its agents begin with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_prefix: Option<String>,
}

/// The `[http.oauth.introspection]` table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OAuthIntrospection {
    /// The authorization server's name.
    pub issuer: String,
    /// Where it is asked.
    pub url: String,
    /// The name that we have there.
    pub client_id: Text,
    /// The secret that we have there.
    pub client_secret: Secret,
    /// How long an answer counts, in seconds.
    #[serde(default = "remember_secs")]
    pub remember_secs: u64,
    /// What the ids of its agents begin with.
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
    /// Its value, or one of its values.
    pub value: String,
}
