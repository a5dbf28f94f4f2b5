//! `[console]`: the console for operators of other machines.

use super::http::address;
use serde::{Deserialize, Serialize};
use std::net::{IpAddr, SocketAddr};

/// The `[console]` table.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transform = super::annotate::ordered::<Self>))]
#[serde(default, deny_unknown_fields)]
pub struct ConsoleConfig {
    /// The address at which the console waits for a proxy, which ends TLS. Needs `origin`. Without it, only `mgp console` opens the console, on this
    /// machine. See [Over the network](https://github.com/mgp-rs/mgp/blob/main/docs/console.md#over-the-network).
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "address")]
    #[cfg_attr(feature = "schema", schemars(extend("x-type" = "address and port")))]
    pub listen: Option<SocketAddr>,
    /// The origin of the proxy, by which browsers reach the console, such as `https://console.example.com`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(extend("x-type" = "origin")))]
    pub origin: Option<String>,
    /// The IP addresses of the proxy. Connections from all others are closed. Default: this machine, if `listen` is a loopback address.
    #[cfg_attr(feature = "schema", schemars(extend("x-type" = "IP addresses")))]
    pub proxies: Vec<IpAddr>,
    /// The scope that lets a token of [`http.oauth`](https://github.com/mgp-rs/mgp/blob/main/docs/configuration.md#httpoauth) open the console as `viewer`. Tokens of admins open it as `admin`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub viewer_scope: Option<String>,
    /// The scope that lets a token of `http.oauth` open the console as `approver`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approver_scope: Option<String>,
}
