//! Servers: their connections, restarts and processes.

#[cfg(target_os = "linux")]
pub(crate) mod any_order;
#[cfg(all(feature = "child", feature = "openapi"))]
mod api;
mod away;
mod bare_servers;
mod breaker;
#[cfg(all(target_os = "linux", feature = "child"))]
mod confinement;
mod finding_era;
#[cfg(feature = "http")]
mod http_forgotten;
#[cfg(feature = "http")]
pub(crate) mod http_refused;
mod instances;
mod kept_lists;
#[cfg(target_os = "linux")]
mod killed_server;
#[cfg(all(unix, feature = "child"))]
mod last_words;
mod odd_servers;
mod on_demand;
mod pins;
#[cfg(target_os = "linux")]
mod resource_limits;
