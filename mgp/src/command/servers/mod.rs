//! `mgp servers`: whether every server comes up, and the servers that are registered beside the configuration.

mod add;
mod explain;
mod remove;
mod run;
mod show;
mod watch;

pub(crate) use run::{ServersArgs, run};
