//! Streamable HTTP, MCP's transport over HTTP, both ends; and HTTP+SSE, which came before it.
//!
//! - [`server`]: one endpoint, many sessions, behind checks of Host, Origin, and API key or token.
//! - [`client`]: one connection to such an endpoint.
//! - `origin`: plain requests to one origin, such as an API.
//! - [`fetch`], `redirect`: further needs of authorization: fetching small documents, and receiving the browser's redirect.

mod era;
pub(crate) mod header;
pub mod param_header;

#[cfg(feature = "http-client")]
pub mod client;
#[cfg(feature = "http-client")]
pub mod fetch;
#[cfg(feature = "http-client")]
pub mod origin;
#[cfg(feature = "http-redirect")]
pub mod redirect;
#[cfg(feature = "http-server")]
pub mod server;
#[cfg(feature = "http-client")]
mod tls;
#[cfg(feature = "http-client")]
pub mod zone;

#[cfg(test)]
#[cfg(all(feature = "http-server", feature = "http-client"))]
mod tests;
