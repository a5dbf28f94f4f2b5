//! Bench `gateway`: a tool call through a gateway in front of one server, compared with a direct call.
//! Every gateway is a separate program with its own configuration; hosts reach it over HTTP.

mod kernel;
mod peers;
mod process;
mod rows;
mod run;
mod server;
mod turns;

pub(crate) use kernel::{PATH, STATE, program, start};
pub(crate) use process::Process;
pub(crate) use run::run;
pub(crate) use server::{PATH as SERVER_PATH, ServerTransport, Target, myself, serve, start as start_server};
