//! Callers over HTTP that present a token of an OAuth authorization server.
//!
//! [`ResourceServer`] verifies the tokens. Two kinds are accepted: signed tokens (JWT, RFC 9068), whose keys an [`Issuer`]
//! publishes, and tokens that the authorization server itself confirms when it is queried ([`Introspection`], RFC 7662).
//! A token of either kind must be meant for this server (RFC 8707), and its scopes must allow the request.
//!
//! This module opens no connections itself: everything is fetched through a [`Fetch`](mgp_transport::seam::Fetch).

mod builder;
mod claims;
mod introspection;
mod issuer;
mod keys;
mod proof;
mod resource_server;
mod rules;
mod subject;
mod token;
mod token_cache;

pub use builder::{InvalidResourceServer, ResourceServerBuilder};
pub use introspection::Introspection;
pub use issuer::Issuer;
pub use keys::{InvalidKeySet, KeySet, KeyTimes};
pub use mgp_types::oauth::SignatureAlgorithm;
pub use resource_server::ResourceServer;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/authorization.md")]
struct Page;
