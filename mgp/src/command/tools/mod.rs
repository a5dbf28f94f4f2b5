//! `mgp tools`: lists, searches, shows, documents and scans the agent's tools, and manages their pinned definitions.

mod definitions;
mod expectation;
mod export;
mod gates;
mod index;
mod list;
mod run;
mod scan;
mod search;
mod server;
mod show;
mod spec;

pub(crate) use definitions::DefinitionRow;
pub(crate) use gates::{ToolGates, VALIDATORS_ADVISE, line, secrets, secrets_in_words};
pub(crate) use run::{ToolsArgs, run};
