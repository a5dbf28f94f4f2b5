//! `mgp tools`: what the agent can call, how it is found, and what the index holds.

mod index;
mod list;
mod run;
mod search;
mod show;

pub(crate) use run::{ToolsArgs, run};
