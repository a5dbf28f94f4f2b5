//! `mgp connect` and `mgp disconnect`: put the gateway into hosts' own files, and take it out again.

mod backup;
mod disconnect;
mod file;
mod follow;
mod gateway;
mod plan;
mod repair;
mod report;
mod run;

pub(crate) use disconnect::{DisconnectArgs, run as run_disconnect};
pub(in crate::command) use repair::repair;
pub(crate) use run::{ConnectArgs, run};
pub(in crate::command) use {file::HostFile, gateway::GatewayFile, report::Consent};
