//! The two servers, and what they saw.

mod authorization_server;
mod caller;
mod json;
mod mcp_server;
mod proof;
mod world;

pub(crate) use authorization_server::authorization_server;
use json::Json;

pub(crate) use caller::{agent, authorization, call, connect, url};
pub(crate) use world::{ProbeFault, ProofRules, World};
