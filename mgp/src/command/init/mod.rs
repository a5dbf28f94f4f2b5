//! `mgp init`: makes a configuration from the servers of other hosts.

mod confine;
mod environment;
pub(in crate::command) mod file;
mod run;
pub(in crate::command) mod sources;
mod stateful;
mod trial;

pub(in crate::command) use confine::{confine, obstacle};
pub(crate) use run::{InitArgs, run};
pub(in crate::command) use run::{check, take_variables};
pub(in crate::command) use stateful::separate;
