//! The processes of a run.

mod balancer;
mod configuration;
mod database;
mod fleet;
mod process;
mod programs;
mod replica;
mod tool_server;

pub(crate) use configuration::{Agents, BURST, CALLS_A_MINUTE, Role};
pub(crate) use database::Database;
pub(crate) use fleet::Fleet;
pub(crate) use programs::lacking;
pub(crate) use replica::Replica;
