//! Bench `call`: a tool call, JSON bytes on a byte stream in memory between client and server.

mod add;
mod forwarder;
mod kernel;
mod ours;
mod peer;
mod rows;
mod run;

pub(crate) use run::run;
