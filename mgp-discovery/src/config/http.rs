//! `[http]`: the kernel as an HTTP server for hosts.

use super::oauth::OAuthConfig;
use serde::{Deserialize, Deserializer, Serialize, de::Error};
use std::net::SocketAddr;

/// The `[http]` table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HttpConfig {
    /// The address to listen on. `None` if the kernel serves no HTTP.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "address")]
    pub listen: Option<SocketAddr>,
    /// Values of the `Host` header that are accepted in addition to those of the loopback interface.
    pub allowed_hosts: Vec<String>,
    /// Values of the `Origin` header that are accepted.
    pub allowed_origins: Vec<String>,
    /// The keys of the callers.
    pub api_keys: Vec<ApiKey>,
    /// The authorization servers whose tokens are accepted in addition to the keys.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oauth: Option<OAuthConfig>,
    /// True if HTTP+SSE, the transport of 2024-11-05, is served too.
    pub sse: bool,
    /// True if the tools are served over REST too.
    pub rest: bool,
    /// The largest request body, in bytes.
    pub body_limit: usize,
    /// The most bytes that the bodies of all running requests may hold together.
    pub total_body_limit: usize,
    /// The most of these bytes that the bodies of one agent may hold, if keys or tokens tell agents apart. `None` means a quarter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_body_limit_per_agent: Option<usize>,
    /// The time for a request's body to arrive, in seconds.
    pub body_secs: u64,
    /// The most connections that may be open at once.
    pub max_connections: usize,
    /// The most of these connections that may be open without an authenticated request. `None` means a quarter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_unauthenticated_connections: Option<usize>,
    /// The most of the other connections that one agent may have, if keys or tokens tell agents apart. `None` means a quarter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_connections_per_agent: Option<usize>,
    /// The time for the head of a request on an unauthenticated connection to arrive, in seconds.
    pub head_secs: u64,
    /// The most sessions that may exist at once.
    pub max_sessions: usize,
    /// The most of these sessions that one agent may have, if keys or tokens tell agents apart. `None` means a quarter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_sessions_per_agent: Option<usize>,
    /// The time after which a silent session ends, in seconds.
    pub session_idle_secs: u64,
}

impl Default for HttpConfig {
    fn default() -> Self {
        Self {
            listen: None,
            allowed_hosts: Vec::new(),
            allowed_origins: Vec::new(),
            api_keys: Vec::new(),
            oauth: None,
            sse: false,
            rest: false,
            body_limit: 4 * 1024 * 1024,
            total_body_limit: 256 * 1024 * 1024,
            total_body_limit_per_agent: None,
            body_secs: 30,
            max_connections: 768,
            max_unauthenticated_connections: None,
            max_connections_per_agent: None,
            head_secs: 10,
            max_sessions: 256,
            max_sessions_per_agent: None,
            session_idle_secs: 3_600,
        }
    }
}

/// One key of `http.api_keys`: only its hash, never the key itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApiKey {
    /// The name of the key, for logs.
    pub id: String,
    /// The SHA-256 of the key, in 64 lower-case hexadecimal digits.
    pub hash: String,
    /// The agent that the key's owner calls for.
    pub agent: String,
    /// True if the key's owner may grant, approve and read the audit.
    #[serde(default)]
    pub admin: bool,
}

pub(super) fn address<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<SocketAddr>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let expected = "expected an IP address and a port, such as 127.0.0.1:7433";
    text.parse().map(Some).map_err(|_| D::Error::custom(format!("{text:?} is not an address: {expected}")))
}
