//! Small documents over HTTP, from places that a server names and that nobody has vouched for.
//!
//! Each has a bound on its size and a time limit. Only https is spoken, but for this machine; redirects lead no farther than
//! their origin; and an address in a network that the one who named it has no business in is not spoken to, neither straight nor
//! by a proxy of the environment.

mod error;
mod fetcher;
mod http_fetch;
mod resolver;
mod route;

#[cfg(test)]
#[cfg(feature = "http-server")]
mod tests;

pub use error::{DocumentError, shown_url};
pub use fetcher::{FetchLimits, Fetched, Fetcher};
pub use http_fetch::HttpFetch;
