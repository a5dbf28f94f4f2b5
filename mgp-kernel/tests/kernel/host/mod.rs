//! Hosts: their connections, sessions and eras.

mod batches;
#[cfg(all(unix, feature = "http"))]
mod http;
#[cfg(feature = "http")]
pub(crate) mod http_eras;
#[cfg(feature = "http")]
mod http_sessions;
mod negotiation;
mod null_ids;
mod parking;
mod plain;
#[cfg(feature = "http")]
mod tokens;
