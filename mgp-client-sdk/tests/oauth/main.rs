//! An OAuth client against an authorization server and a protected MCP server, both made for it, over loopback.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod agents;
mod clients;
mod discovery;
mod grants;
mod probe;
mod proofs;
mod refresh;
mod rig;
mod scopes;
mod sharing;
mod trust;
