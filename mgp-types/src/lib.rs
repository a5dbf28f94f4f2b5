//! Wire types of MCP and of every MGP section: pure data, no runtime, no I/O, no clock.
//!
//! - [`json`]: JSON that is carried as text and edited in place.
//! - [`rpc`]: JSON-RPC 2.0 (§1.5), and methods as types.
//! - [`context`]: what layers tell each other about a call, never on the wire.
//! - One module for each section of the specification, named for it.

pub mod context;
pub mod json;
pub mod rpc;
