//! `cargo xtask fuzz`: arbitrary bytes for the parsers of our own that read what others wrote. The targets stand in `fuzz/`.

mod build;
mod command;
mod target;

pub(crate) use command::run;
