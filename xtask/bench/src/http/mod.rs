//! Bench `http`: a tool call over Streamable HTTP on loopback. One client calls both servers.

mod ours;
mod peer;
mod rows;
mod run;

pub(crate) use run::run;
