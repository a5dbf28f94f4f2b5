//! Commands as tools: each call runs a program, confined like a server, and without a shell.

mod endpoint;
mod line;
mod run;

pub use endpoint::{CommandEndpoint, CommandSpec};
