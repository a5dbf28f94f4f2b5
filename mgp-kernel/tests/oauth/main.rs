//! The OAuth client of a kernel against an authorization server and a protected MCP server, both made for it, over loopback.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

// The rig reads tokens with it.
use base64 as _;

mod kernel;
#[allow(dead_code, unused_imports, reason = "the tests of the client use all of it")]
#[path = "../../../mgp-client-sdk/tests/oauth/rig/mod.rs"]
mod rig;
