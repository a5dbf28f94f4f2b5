//! Callers over HTTP who come with a token of an OAuth authorization server.
//!
//! [`ResourceServer`] judges the tokens. Two kinds of them count: signed ones (JWT, RFC 9068), whose keys an [`Issuer`]
//! publishes, and any that the authorization server itself vouches for when it is asked ([`Introspection`], RFC 7662).
//! Either must be meant for this server (RFC 8707), and allow what is done with it.
//!
//! Nothing here connects by itself: what has to be fetched goes through a [`Fetch`](mgp_transport::seam::Fetch).

mod builder;
mod claims;
mod introspection;
mod issuer;
mod keys;
mod remembered;
mod resource_server;
mod rules;
mod subject;
mod token;

pub use builder::{InvalidResourceServer, ResourceServerBuilder};
pub use introspection::Introspection;
pub use issuer::Issuer;
pub use keys::{InvalidKeySet, KeySet, KeyTimes};
pub use mgp_types::oauth::SignatureAlgorithm;
pub use resource_server::ResourceServer;

#[cfg(doctest)]
#[doc = include_str!("../../../../docs/authorization.md")]
struct Page;
