//! `mgp init`: makes a configuration from the servers of other hosts.

mod confine;
mod environment;
mod file;
mod run;
mod sources;
mod trial;

pub(crate) use run::{InitArgs, run};
