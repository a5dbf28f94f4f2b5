//! `mgp servers`: whether every server comes up, the servers that are registered beside the configuration, and
//! those of running kernels.

mod add;
mod control;
mod explain;
mod remove;
mod run;
mod running;
mod show;
mod watch;

pub(crate) use add::registered;
pub(crate) use run::{ServersArgs, run};
pub(crate) use running::{asked, reports};
pub(crate) use show::on_demand;
