//! `cargo xtask ci`: every check there is, all of them run, then one closing line.

mod busy;
mod command;
mod features;
mod packages;
mod slowest;
mod step;
mod steps;
mod summary;

pub(crate) use command::run;
