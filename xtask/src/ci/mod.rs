//! `cargo xtask ci`: every check of the gate, each of which runs even if another fails, then one closing line.

mod busy;
mod command;
mod features;
mod packages;
mod problems;
mod step;
mod steps;
mod summary;
mod test_times;

pub(crate) use command::run;
