//! `[replicas]`: the network between gateways that share sessions.

use super::{http::address, text::Text};
use serde::{Deserialize, Serialize};
use std::net::SocketAddr;

/// The `[replicas]` table.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transform = super::annotate::ordered::<Self>))]
#[serde(default, deny_unknown_fields)]
pub struct ReplicasConfig {
    /// The address at which other gateways with the same `store.url` reach this one. Without it, sessions are not shared. Only these gateways can use
    /// the address: both ends show a certificate. See [Replicas](https://github.com/mgp-rs/mgp/blob/main/docs/configuration.md#replicas).
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "address")]
    #[cfg_attr(feature = "schema", schemars(extend("x-type" = "address and port")))]
    pub listen: Option<SocketAddr>,
    /// The host and the port by which other gateways reach `listen`. Default: `listen`, if it is one address.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(extend("x-type" = "host and port, `${VAR}`")))]
    pub advertise: Option<Text>,
}
