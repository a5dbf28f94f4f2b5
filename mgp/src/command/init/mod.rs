//! `mgp init`: a configuration out of what other hosts have.

mod confine;
mod environment;
mod file;
mod run;
mod sources;

pub(crate) use run::{InitArgs, run};
