//! The console in the browser: the gateway serves it on loopback from the first time that an operator opens it, and over the network if
//! `console.listen` says so.

mod commands;
#[cfg(test)]
mod examples;
mod keys;
mod network;
mod server;
mod tokens;

pub(crate) use commands::RunLine;
pub(crate) use network::serve_network;
pub(crate) use server::ConsoleServer;
