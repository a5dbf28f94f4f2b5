//! `cargo xtask layers`: which crate may know what, proved from `cargo metadata` and from the sources.

mod command;
mod dependencies;
mod graph;
mod sources;
mod table;

pub(crate) use command::run;
