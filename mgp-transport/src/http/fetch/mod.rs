//! Small documents over HTTP, from untrusted URLs that a server names.
//!
//! Each document has a size limit and a time limit. Only https is used, except on this machine. Redirects stay within their
//! origin. No address in a network that is closed to the server that named it is contacted, neither directly nor through a proxy
//! of the environment.

mod error;
mod fetcher;
mod http_fetch;
mod resolver;
mod route;

#[cfg(test)]
#[cfg(feature = "http-server")]
mod tests;

pub use error::{DocumentError, shown_url};
pub use fetcher::{FetchLimits, FetchResponse, Fetcher};
pub use http_fetch::HttpFetch;
