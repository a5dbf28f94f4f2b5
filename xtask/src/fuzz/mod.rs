//! `cargo xtask fuzz`: arbitrary bytes for everything that reads what others wrote. The targets stand in `fuzz/`.

mod build;
mod command;
mod target;

pub(crate) use command::run;
