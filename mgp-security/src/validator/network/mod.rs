//! §4.5 `network_restricted`: blocks requests to this machine, private networks and metadata services.

mod address;
mod budget;
mod check;
mod code;
mod commands;
mod host;
mod keys;
mod names;
mod pairs;
mod ports;
mod programs;
mod readings;
mod siblings;
mod sockets;
mod tokens;
mod urls;

#[cfg(test)]
mod tests;

pub use check::NetworkRestricted;
