//! Tokens over real HTTP: an MCP server, an authorization server, and a client that may be anybody.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod authority;
mod introspection;
mod issuers;
mod key_sets;
mod rig;
mod scopes;
mod signed;
mod signer;
