//! The console in the browser: the gateway serves it on loopback from the first time that an operator opens it.

mod commands;
#[cfg(test)]
mod examples;
mod server;

pub(crate) use commands::RunLine;
pub(crate) use server::ConsoleServer;
