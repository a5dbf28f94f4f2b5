//! Streamable HTTP, MCP's transport over HTTP, both ends.
//!
//! - [`server`]: one endpoint, many sessions, behind checks of Host, Origin and API key.
//! - [`client`]: one connection to such an endpoint.

mod era;
mod header;

#[cfg(feature = "http-client")]
pub mod client;
#[cfg(feature = "http-server")]
pub mod server;

#[cfg(test)]
#[cfg(all(feature = "http-server", feature = "http-client"))]
mod tests;
