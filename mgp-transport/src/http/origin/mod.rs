//! Plain HTTP requests to one origin, such as an API, with its credentials.
//!
//! Every request goes to the base URL's scheme, host and port, whatever its path. A redirect elsewhere is not followed, so credentials
//! never leave the origin. Responses have a size limit and a time limit.

mod client;
mod error;

#[cfg(test)]
#[cfg(feature = "http-server")]
mod tests;

pub use client::{OriginClient, OriginLimits, OriginRequest};
pub use error::OriginError;
