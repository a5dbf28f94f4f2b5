//! `[http]`: the kernel as an HTTP server for hosts.

use super::oauth::OAuthConfig;
use serde::{Deserialize, Deserializer, Serialize, de::Error};
use std::net::SocketAddr;

/// The `[http]` table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transform = super::annotate::ordered::<Self>))]
#[serde(default, deny_unknown_fields)]
pub struct HttpConfig {
    /// The address to listen on. Without it, HTTP is not served. An address that other machines can reach needs `api_keys` or `oauth`.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "address")]
    #[cfg_attr(feature = "schema", schemars(extend("x-type" = "address and port")))]
    pub listen: Option<SocketAddr>,
    /// Values of the `Host` header that are accepted in addition to those of the loopback interface.
    pub allowed_hosts: Vec<String>,
    /// Values of the `Origin` header that are accepted, such as `https://app.example.com`. Browsers let pages of these origins call (CORS), with any
    /// method and header of the endpoint. Pages of other origins cannot call.
    pub allowed_origins: Vec<String>,
    /// The keys of the callers.
    pub api_keys: Vec<ApiKey>,
    /// The authorization servers whose tokens are accepted in addition to the keys.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oauth: Option<OAuthConfig>,
    /// True if HTTP+SSE, the transport of 2024-11-05, is served too, at `/sse`.
    pub sse: bool,
    /// True if the tools are served over [REST](https://github.com/mgp-rs/mgp/blob/main/docs/rest.md) too, at `/tools/NAME` and `/openapi.json`, with
    /// a page about them at `/docs`.
    pub rest: bool,
    /// The ids of the servers without which `/readyz` responds 503. See [Health checks](https://github.com/mgp-rs/mgp/blob/main/docs/configuration.md#health-checks).
    pub required_servers: Vec<String>,
    /// The largest request body, in bytes.
    #[cfg_attr(feature = "schema", schemars(range(min = 1024, max = 67_108_864)))]
    pub body_limit: usize,
    /// The most bytes that the bodies of all requests may hold together, from their arrival until each request is handled. Bodies of at most 64 KiB
    /// do not count. Over this, a request is refused with 503.
    #[cfg_attr(feature = "schema", schemars(range(min = 1024, max = 2_147_483_647), extend("x-type" = "`body_limit` to 2147483647")))]
    pub total_body_limit: usize,
    /// The most of the bytes of `total_body_limit` that one agent's requests may hold. Default: a quarter of `total_body_limit`. Over this, a request
    /// is refused with 429. A [limit per agent](https://github.com/mgp-rs/mgp/blob/main/docs/configuration.md#limits-per-agent).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1024, max = 2_147_483_647), extend("x-type" = "`body_limit` to 2147483647")))]
    pub total_body_limit_per_agent: Option<usize>,
    /// The time for a request's body to arrive, in seconds. After it, the request is refused with 408.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 3600)))]
    pub body_secs: u64,
    /// The most TCP connections at once. If the process may not open that many files (`ulimit -n`), fewer are allowed, and a warning at the start
    /// reports it.
    #[cfg_attr(feature = "schema", schemars(range(min = 2, max = 100_000)))]
    pub max_connections: usize,
    /// The most connections without an authenticated request. Default: a quarter of `max_connections`. See [Unauthenticated
    /// connections](https://github.com/mgp-rs/mgp/blob/main/docs/configuration.md#unauthenticated-connections).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 99_999), extend("x-type" = "1 to `max_connections` - 1")))]
    pub max_unauthenticated_connections: Option<usize>,
    /// The most authenticated connections that one agent may have. Default: a quarter of the authenticated connections. A [limit per
    /// agent](https://github.com/mgp-rs/mgp/blob/main/docs/configuration.md#limits-per-agent).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 100_000)))]
    pub max_connections_per_agent: Option<usize>,
    /// The time for the head of a request to arrive on an unauthenticated connection, in seconds. After it, the connection is closed.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 600)))]
    pub head_secs: u64,
    /// The most sessions at once. For one more, the session that is idle longest ends: one of the same agent, or of an agent that has more. If none
    /// is idle, the new one is refused with 503.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 100_000)))]
    pub max_sessions: usize,
    /// The most sessions that one agent may have. Default: a quarter of `max_sessions`. A [limit per
    /// agent](https://github.com/mgp-rs/mgp/blob/main/docs/configuration.md#limits-per-agent).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 100_000)))]
    pub max_sessions_per_agent: Option<usize>,
    /// The longest time that a session may be silent before it ends, in seconds.
    #[cfg_attr(feature = "schema", schemars(range(min = 1, max = 604_800)))]
    pub session_idle_secs: u64,
    /// The time from the request to end, which turns `/readyz` off, until calls are refused, in milliseconds. In this time, a balancer notices that the
    /// gateway ends. A second signal ends it.
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 600_000)))]
    pub shutdown_delay_ms: u64,
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
            required_servers: Vec::new(),
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
            shutdown_delay_ms: 0,
        }
    }
}

/// One key of `http.api_keys`: only its hash, never the key itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transform = super::annotate::ordered::<Self>))]
#[serde(deny_unknown_fields)]
pub struct ApiKey {
    /// A name for the key, for logs. Unique.
    pub id: String,
    /// The SHA-256 of the key, in 64 lower-case hexadecimal digits. The key itself is not stored.
    pub hash: String,
    /// The agent on whose behalf the key's owner calls.
    pub agent: String,
    /// True if the key's owner may grant, approve and read the audit. Only hosts with such a key are asked for approvals.
    #[serde(default)]
    pub admin: bool,
}

pub(super) fn address<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<SocketAddr>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let expected = "expected an IP address and a port, such as 127.0.0.1:7433";
    text.parse().map(Some).map_err(|_| D::Error::custom(format!("{text:?} is not an address: {expected}")))
}
