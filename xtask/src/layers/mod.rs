//! `cargo xtask layers`: the knowledge that each crate may have, proved from `cargo metadata` and from the sources.

mod command;
mod cycles;
mod dependencies;
mod graph;
mod methods;
mod modules;
mod paths;
mod rooms;
mod sources;
mod table;
mod weights;

pub(crate) use command::run;
