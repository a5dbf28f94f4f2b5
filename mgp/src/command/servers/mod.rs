//! `mgp servers`: shows the states of all servers, registers servers in addition to the configuration, and controls
//! the servers of running kernels.

mod add;
mod control;
mod explain;
mod remove;
mod run;
mod show;
mod watch;

pub(crate) use add::registered;
pub(crate) use run::{ServersArgs, run};
pub(crate) use show::on_demand;
