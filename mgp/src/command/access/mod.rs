//! `mgp access`: the agents that may use each tool.

mod explain;
mod known;
mod list;
mod matrix;
mod roles;
mod rule;
mod run;
mod schema;
mod unreadable;

pub(crate) use known::unknown_agent;
pub(crate) use run::{AccessArgs, run};
