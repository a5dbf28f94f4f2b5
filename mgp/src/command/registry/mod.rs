//! `mgp registry`: searches a public registry for servers, and shows their entries for mgp.toml.

mod run;
mod search;
mod show;

pub(crate) use run::{RegistryArgs, run};
pub(in crate::command) use {run::registry, show::chosen};
