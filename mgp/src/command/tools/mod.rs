//! `mgp tools`: what the agent can call, how it is found, documents about it, what the index holds, and which definitions changed.

mod definitions;
mod expectation;
mod export;
mod gates;
mod index;
mod list;
mod run;
mod scan;
mod search;
mod show;
mod spec;

pub(crate) use definitions::DefinitionRow;
pub(crate) use gates::{ToolGates, VALIDATORS_ADVISE, line, secrets, secrets_in_words};
pub(crate) use run::{ToolsArgs, run};
