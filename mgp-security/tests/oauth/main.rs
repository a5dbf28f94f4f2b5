//! Tests of tokens over real HTTP: an MCP server, an authorization server, and an arbitrary client.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod authority;
mod introspection;
mod issuers;
mod key_sets;
mod proofs;
mod rig;
mod scopes;
mod signed;
mod signer;
