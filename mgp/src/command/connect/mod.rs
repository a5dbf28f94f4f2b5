//! `mgp connect` and `mgp disconnect`: put the gateway into hosts' own files, and take it out again.

mod backup;
mod disconnect;
mod file;
mod gateway;
mod plan;
mod report;
mod run;

pub(in crate::command) use file::HostFile;
pub(in crate::command) use report::Consent;

pub(crate) use disconnect::{DisconnectArgs, run as run_disconnect};
pub(crate) use run::{ConnectArgs, run};
pub(in crate::command) use {gateway::GatewayFile, report::Consent};
